// SPDX-License-Identifier: GPL-3.0-or-later
// The daemon by way of brioctl, since QML has no bus of its own. It asks every two seconds while the applet is open, else every minute.
import QtQuick 2.15

import "words.js" as Words

Item {
    id: client

    property var source // runs commands: connectSource(), disconnectSource(), and take() for what they have written
    property bool watched: false
    property var told: ({running: false, mode: '', holds: [], cookie: 0, until: '', last: null})
    property string problem: ''
    readonly property string reason: Words.describeReason(tongue)
    readonly property var tongue: ({
        gettext: text => i18nd('brio', text),
        number: (value, decimals) => {
            const rounded = Number(value.toFixed(decimals));

            return rounded.toLocaleString(Qt.locale(), 'f', (String(rounded).split('.')[1] || '').length);
        },
    })

    readonly property string askMode: 'LC_ALL=C.UTF-8 brioctl mode --json'
    readonly property string askHolds: 'LC_ALL=C.UTF-8 brioctl holds --json'
    readonly property string askStarts: 'LC_ALL=C.UTF-8 brioctl startups --json'
    readonly property string askHelp: 'LC_ALL=C.UTF-8 brioctl prefetch --json'
    // The hold ends with its command, which ends after an hour, or when its input is closed: with the applet.
    readonly property string hold: `brioctl hold pause --application org.brio.Brio --reason ${quote(reason)} -- timeout ${Words.PAUSE_SECONDS} cat`
    property bool held: false
    property var until
    property var lastStart: null

    function quote(text) {
        return "'" + text.replace(/'/g, "'\\''") + "'";
    }

    function change(changes) {
        told = Object.assign({}, told, changes);
    }

    function look() {
        source.connectSource(askMode);
        if (watched)
            source.connectSource(askStarts);
    }

    function setMode(mode) {
        source.connectSource('brioctl mode ' + mode);
    }

    function act(action) {
        if (action === 'pause' && !held) {
            held = true;
            until = new Date(Date.now() + Words.PAUSE_SECONDS * 1000);
            source.connectSource(hold);
            settle.restart();
        } else if (action === 'resume') {
            source.disconnectSource(hold);
            held = false;
            settle.restart();
        } else if (action === 'auto') {
            setMode('auto');
        }
    }

    function read(text, without) {
        try {
            return JSON.parse(text);
        } catch (e) {
            return without;
        }
    }

    // What a command has written, and how it ended.
    function take(command, code, output, errors) {
        source.disconnectSource(command);
        if (command === askMode) {
            change({running: code === 0, mode: read(output, {mode: ''}).mode});
            if (code === 0)
                source.connectSource(askHolds);
        } else if (command === askHolds) {
            const holds = read(output, []).map(hold => [hold.cookie, hold.mode, hold.reason, hold.application_id]);
            const own = held ? holds.find(hold => hold[3] === 'org.brio.Brio' && hold[2] === reason) : undefined;

            change({holds: holds, cookie: own ? own[0] : 0, until: own ? Qt.formatTime(until, 'hh:mm') : ''});
        } else if (command === askStarts) {
            lastStart = Words.findLast(read(output, []));
            if (lastStart)
                source.connectSource(askHelp);
        } else if (command === askHelp) {
            const help = read(output, []).find(entry => entry.application === lastStart.application);

            change({last: {name: Words.shortenId(lastStart.application), latency: lastStart.latency_usec, without: help ? help.unhelped_usec : 0}});
        } else {
            if (command === hold)
                held = false;
            problem = code === 0 || code === 124 ? '' : errors.trim(); // 124: the hour is over
            source.connectSource(askMode);
        }
    }

    Timer {
        interval: client.watched ? 2000 : 60000
        repeat: true
        running: true
        triggeredOnStart: true
        onTriggered: client.look()
    }

    Timer {
        id: settle

        interval: 300
        onTriggered: client.look()
    }

    onWatchedChanged: look()
}
