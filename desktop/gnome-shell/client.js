// SPDX-License-Identifier: GPL-3.0-or-later
// The daemon, as far as the toggle needs it. It is never started from here.

const MANAGER = 'org.brio.Brio1.Manager';
const ASKS_SECONDS = 300; // while a person is asked for a password

class BrioClient {
    // onChange(): something that getState() tells is another. onFailure(name): what a person asked for did not come about, with the error's name on the bus.
    constructor(onChange, onFailure) {
        this._onChange = onChange;
        this._onFailure = onFailure;
        this._cookie = 0;
        this._timer = 0;
        this._last = null;
        this._cancellable = new Gio.Cancellable();
        this._proxy = new Gio.DBusProxy({
            g_connection: Gio.DBus.system,
            g_name: 'org.brio.Brio1',
            g_object_path: '/org/brio/Brio1',
            g_interface_name: MANAGER,
            g_flags: Gio.DBusProxyFlags.DO_NOT_AUTO_START,
        });
        this._proxy.connect('g-properties-changed', () => this._onChange());
        this._proxy.connect('notify::g-name-owner', () => this._onOwner());
        this._proxy.connect('g-signal', (_proxy, _sender, name, parameters) => {
            if (name === 'HoldReleased' && parameters.deepUnpack()[0] === this._cookie)
                this._forgetHold();
        });
        this._proxy.init_async(GLib.PRIORITY_DEFAULT, this._cancellable, (proxy, result) => {
            if (this._finish(() => proxy.init_finish(result)))
                this._onChange();
        });
    }

    destroy() {
        if (this._cookie !== 0)
            this.resume();
        this._forgetTimer();
        this._onChange = () => {};
        this._onFailure = () => {};
        this._cancellable.cancel();
    }

    getState() {
        return {
            running: this._proxy.g_name_owner !== null,
            mode: this._getProperty('Mode', ''),
            holds: this._getProperty('ActiveHolds', []),
            cookie: this._cookie,
            until: this._until ? this._until.format('%H:%M') : '',
            last: this._last,
        };
    }

    setMode(mode) {
        this._call('SetMode', new GLib.Variant('(s)', [mode]), null);
    }

    pause(reason) {
        if (this._timer !== 0)
            return;
        this._reason = reason;
        this._until = GLib.DateTime.new_now_local().add_seconds(PAUSE_SECONDS);
        this._timer = GLib.timeout_add_seconds(GLib.PRIORITY_DEFAULT, PAUSE_SECONDS, () => {
            this._timer = 0;
            this.resume();
            return GLib.SOURCE_REMOVE;
        });
        this._hold();
    }

    resume() {
        const cookie = this._cookie;

        this._forgetHold();
        if (cookie !== 0)
            this.release(cookie);
    }

    // Another program's hold, for which polkit may ask for a password.
    release(cookie) {
        this._call('ReleaseHold', new GLib.Variant('(u)', [cookie]), null);
    }

    askForLast() {
        this._ask('GetStartups', '', startups => {
            const start = findLast(startups);

            if (!start)
                return;
            this._ask('GetPrefetch', start.application, lists => {
                this._last = {application: start.application, latency: start.latency_usec, without: lists.length > 0 ? lists[0].unhelped_usec : 0};
                this._onChange();
            });
        });
    }

    _getProperty(name, without) {
        const value = this._proxy.get_cached_property(name);

        return value ? value.deepUnpack() : without;
    }

    // A daemon that starts anew knows of no holds.
    _onOwner() {
        this._cookie = 0;
        if (this._proxy.g_name_owner !== null && this._timer !== 0)
            this._hold();
        this._onChange();
    }

    _hold() {
        this._call('Hold', new GLib.Variant('(sss)', ['pause', this._reason, 'org.brio.Brio']), answer => {
            if (answer)
                [this._cookie] = answer.deepUnpack();
            if (answer && this._timer === 0) // meanwhile it is wanted no more
                this.resume();
            else if (!answer)
                this._forgetHold();
            else
                this._onChange();
        });
    }

    _forgetHold() {
        this._cookie = 0;
        this._forgetTimer();
        this._onChange();
    }

    _forgetTimer() {
        if (this._timer !== 0)
            GLib.source_remove(this._timer);
        this._timer = 0;
    }

    // done(): with the answer, or null.
    _call(method, parameters, done) {
        const flags = Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION | Gio.DBusCallFlags.NO_AUTO_START;

        this._proxy.call(method, parameters, flags, ASKS_SECONDS * 1000, null, (proxy, result) => {
            const answer = this._finish(() => proxy.call_finish(result));

            if (done)
                done(answer);
        });
    }

    _ask(method, application, done) {
        this._proxy.call(method, new GLib.Variant('(s)', [application]), Gio.DBusCallFlags.NO_AUTO_START, -1, this._cancellable, (proxy, result) => {
            try {
                done(proxy.call_finish(result).recursiveUnpack()[0]);
            } catch (e) {
                console.debug(`Brio: ${method}: ${e.message}`); // nothing is known of it
            }
        });
    }

    _finish(finish) {
        try {
            return finish();
        } catch (e) {
            if (e.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.TIMED_OUT))
                this._onFailure('org.freedesktop.DBus.Error.NoReply');
            else if (!e.matches(Gio.IOErrorEnum, Gio.IOErrorEnum.CANCELLED))
                this._onFailure(Gio.DBusError.get_remote_error(e) || e.message);
            return null;
        }
    }
}
