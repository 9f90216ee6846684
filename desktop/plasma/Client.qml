// SPDX-License-Identifier: GPL-3.0-or-later
// The daemon by way of brioctl: the QML of Plasma 5.27 has no bus, and a command tells what it has written when it ends, so that none can go on telling. It asks
// every two seconds while the applet is open, else every minute, for the tool tip.
import QtQuick 2.15

import "words.js" as Words

Item {
    id: client

    property var source // runs commands: connectSource(), disconnectSource(), and take() for what they have written
    property var applications // of Plasma's engine "apps": connectSource('ID.desktop'), and takeName() for what comes of it
    property var names: ({}) // by the id of an application; '': asked for
    property bool canOpen: false // the dashboard is there
    property bool watched: false
    property var told: ({running: false, mode: '', holds: [], cookie: 0, until: '', last: null})
    property string problem: ''
    readonly property string reason: Words.describeReason(tongue)
    readonly property var tongue: ({
        gettext: text => i18nd('brio', text),
        name: application => names[application] || '',
        number: (value, decimals) => {
            const rounded = Number(value.toFixed(decimals));

            return rounded.toLocaleString(Qt.locale(), 'f', (String(rounded).split('.')[1] || '').length);
        },
    })

    readonly property string askMode: 'LC_ALL=C.UTF-8 brioctl mode --json'
    readonly property string askHolds: 'LC_ALL=C.UTF-8 brioctl holds --json'
    readonly property string askStarts: 'LC_ALL=C.UTF-8 brioctl startups --json'
    readonly property string askHelp: 'LC_ALL=C.UTF-8 brioctl prefetch --json'
    readonly property string askDashboard: 'command -v brio'
    readonly property string open: 'setsid -f brio >/dev/null 2>&1' // its own: it does not end with the applet
    // The hold ends with its command, which ends after an hour, or when its input is closed: with the applet.
    readonly property string hold: `LC_ALL=C.UTF-8 brioctl hold pause --application org.brio.Brio --reason ${quote(reason)} -- timeout ${Words.PAUSE_SECONDS} cat`
    property bool held: false
    property var until
    property var lastStart: null

    function quote(text) {
        return "'" + text.replace(/'/g, "'\\''") + "'";
    }

    // What shows it is made anew only where it is another: a button of it may have the focus.
    function change(changes) {
        const next = Object.assign({}, told, changes);

        if (JSON.stringify(next) !== JSON.stringify(told))
            told = next;
    }

    function look() {
        source.connectSource(askMode);
        if (watched) {
            source.connectSource(askStarts);
            source.connectSource(askDashboard);
        }
    }

    function learnName(application) {
        if (!application || application in names)
            return;
        names[application] = '';
        applications.connectSource(application + '.desktop');
    }

    function takeName(entry, data) {
        if (data.name)
            names = Object.assign({}, names, {[entry.replace(/\.desktop$/, '')]: data.name});
    }

    function setMode(mode) {
        source.connectSource('LC_ALL=C.UTF-8 brioctl mode ' + mode);
    }

    function release(cookie) {
        source.connectSource('LC_ALL=C.UTF-8 brioctl holds release ' + cookie);
    }

    function openDashboard() {
        source.connectSource(open);
    }

    // The name on the bus of what went wrong, by how brioctl ends and what it advises.
    function nameError(code, errors) {
        if (code === 3)
            return 'org.freedesktop.DBus.Error.ServiceUnknown';
        if (errors.includes('Try again with sudo.'))
            return 'org.brio.Brio1.Error.NotAuthorized';
        if (errors.includes('End one that is open'))
            return 'org.brio.Brio1.Error.LimitReached';
        if (errors.includes('are of different versions'))
            return 'org.freedesktop.DBus.Error.UnknownMethod';
        if (errors.includes('there is no hold'))
            return 'org.brio.Brio1.Error.NotFound';
        return code === 127 ? 'brioctl' : errors.trim().split('\n')[0]; // 127: a shell finds no such command
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
            else
                change({holds: [], cookie: 0, until: ''});
        } else if (command === askHolds) {
            const holds = read(output, []).map(hold => [hold.cookie, hold.mode, hold.reason, hold.application_id]);
            const own = held ? holds.find(hold => hold[3] === 'org.brio.Brio' && hold[2] === reason) : undefined;

            holds.forEach(hold => learnName(hold[3]));
            change({holds: holds, cookie: own ? own[0] : 0, until: own ? Qt.formatTime(until, 'hh:mm') : ''});
        } else if (command === askStarts) {
            lastStart = Words.findLast(read(output, []));
            if (lastStart) {
                learnName(lastStart.application);
                source.connectSource(askHelp);
            }
        } else if (command === askHelp) {
            const help = read(output, []).find(entry => entry.application === lastStart.application);

            change({last: {application: lastStart.application, latency: lastStart.latency_usec, without: help ? help.unhelped_usec : 0}});
        } else if (command === askDashboard) {
            canOpen = code === 0;
        } else {
            if (command === hold)
                held = false;
            problem = code === 0 || code === 124 ? '' : Words.describeError(nameError(code, errors), tongue); // 124: the hour is over
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
