// SPDX-License-Identifier: GPL-3.0-or-later
// What a desktop says of Brio, and what a click on it does, from what the daemon tells over the bus. GNOME Shell and Plasma read this file as it is:
// ECMAScript 2016, nothing is imported, nothing is kept.
//
// state: running (the daemon is on the bus), mode and holds (as the bus has them), cookie (of the own hold; 0: none), until (a text: when that ends),
//   last (null, or of the last start that was helped: application, latency and without, in microseconds; without 0: not known).
// tongue: gettext(text) translates; number(value, decimals) is a text; name(application) is what people call it, '' where that is not known.

var PAUSE_SECONDS = 3600;
var MODES = ['auto', 'advise', 'off'];

function fill(text, values) {
    let next = 0;

    return text.replace(/%s/g, () => values[next++]);
}

function describeMode(mode, tongue) {
    const _ = tongue.gettext;

    switch (mode) {
    case 'auto':
        return _('Automatic');
    case 'advise':
        return _('Advise');
    case 'off':
        return _('Off');
    default:
        return mode;
    }
}

// Other programs' holds.
function listForeign(state) {
    return state.holds.filter(hold => hold[0] !== state.cookie);
}

function findForeignPause(state) {
    return listForeign(state).filter(hold => hold[1] === 'pause')[0];
}

// A hold's title.
function describeHolder(hold, tongue) {
    const _ = tongue.gettext;
    const holder = hold[3] ? nameOf(hold[3], tongue) : '';

    switch (hold[1]) {
    case 'pause':
        // Translators: an application that has asked for it
        return holder ? fill(_('Paused by %s'), [holder]) : _('Paused');
    case 'throughput':
        // Translators: an application that has asked for it
        return holder ? fill(_('Full throughput for %s'), [holder]) : _('Full throughput');
    default:
        // Translators: an application that has asked that Brio acts as usual
        return holder ? fill(_('Kept responsive for %s'), [holder]) : _('Kept responsive');
    }
}

// With its reason, in the holder's own words.
function describeHold(hold, tongue) {
    const _ = tongue.gettext;

    // Translators: what an application has asked for, and its own words why: "Paused by Builder: a build runs"
    return hold[2] ? fill(_('%s: %s'), [describeHolder(hold, tongue), hold[2]]) : describeHolder(hold, tongue);
}

function describeRelease(tongue) {
    const _ = tongue.gettext;

    return _('Release');
}

// In a few words: they stand below the name.
function describeState(state, tongue) {
    const _ = tongue.gettext;
    const foreign = findForeignPause(state) || listForeign(state).filter(hold => hold[1] === 'throughput')[0];

    if (!state.running)
        return _('Not Running');
    if (state.mode !== 'auto')
        return describeMode(state.mode, tongue);
    if (state.cookie !== 0)
        // Translators: a time of today
        return fill(_('Paused until %s'), [state.until]);
    if (foreign)
        return describeHolder(foreign, tongue);
    return describeMode('auto', tongue);
}

// Whether it acts on drives now.
function isActive(state) {
    return state.running && state.mode === 'auto' && state.cookie === 0 && !findForeignPause(state);
}

// 'pause', 'resume', 'auto' (the mode is to be set), or '' where nothing can be done.
function chooseAction(state) {
    if (!state.running)
        return '';
    if (state.mode !== 'auto')
        return 'auto';
    if (state.cookie !== 0)
        return 'resume';
    return 'pause';
}

function describePause(state, tongue) {
    const _ = tongue.gettext;

    return state.cookie !== 0 ? _('Resume') : _('Pause for an Hour');
}

// What the list of holds says of the pause.
function describeReason(tongue) {
    const _ = tongue.gettext;

    return _('Paused for an hour from the desktop');
}

function describeOpen(tongue) {
    const _ = tongue.gettext;

    return _('Open Brio');
}

// Three digits, as the dashboard has them.
function formatDuration(usec, tongue) {
    const inSeconds = usec >= 999500;
    const value = usec / (inSeconds ? 1000000 : 1000);

    return tongue.number(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2) + (inSeconds ? ' s' : ' ms');
}

function describeLastTitle(tongue) {
    const _ = tongue.gettext;

    return _('Last Start Helped');
}

function describeLast(state, tongue) {
    const _ = tongue.gettext;
    const last = state.last;

    if (!last)
        return _('None yet');
    if (last.without > last.latency)
        // Translators: an application and two durations: "Firefox: 4.1 s instead of 20 s"
        return fill(_('%s: %s instead of %s'), [nameOf(last.application, tongue), formatDuration(last.latency, tongue), formatDuration(last.without, tongue)]);
    // Translators: an application and how long its start took: "Firefox: 4.1 s"
    return fill(_('%s: %s'), [nameOf(last.application, tongue), formatDuration(last.latency, tongue)]);
}

// Of the last start of each application, as GetStartups() tells them, the newest that was helped; null.
function findLast(startups) {
    return startups.filter(start => start.helped).reduce((last, start) => !last || start.time_usec > last.time_usec ? start : last, null);
}

function nameOf(application, tongue) {
    return tongue.name(application) || shortenId(application);
}

// What a person asked for did not come about. name: the error's on the bus, or what is known of it.
function describeError(name, tongue) {
    const _ = tongue.gettext;

    switch (name) {
    case 'org.brio.Brio1.Error.NotAuthorized':
    case 'org.freedesktop.DBus.Error.AccessDenied':
    case 'org.freedesktop.DBus.Error.InteractiveAuthorizationRequired':
        return _('Administrator permission is needed');
    case 'org.brio.Brio1.Error.LimitReached':
        return _('Too many holds: release one and try again');
    case 'org.brio.Brio1.Error.NotFound':
        return _('It has ended already');
    case 'org.freedesktop.DBus.Error.NameHasNoOwner':
    case 'org.freedesktop.DBus.Error.NoReply':
    case 'org.freedesktop.DBus.Error.ServiceUnknown':
    case 'org.freedesktop.DBus.Error.Timeout':
        return _('The daemon went away: try again when it is back');
    case 'org.freedesktop.DBus.Error.UnknownMethod':
        return _('The running daemon is of another version: log out and in');
    default:
        // Translators: %s is the error's name on the bus
        return fill(_('Failed: %s. “journalctl -u briod” tells more'), [name]);
    }
}

// What stands for an application's name where no desktop file has it.
function shortenId(application) {
    return application.split('.').pop() || application;
}
