// SPDX-License-Identifier: GPL-3.0-or-later
const NO_DOT = PopupMenu.Ornament.NO_DOT || PopupMenu.Ornament.NONE; // the first since GNOME 46

const BrioToggle = GObject.registerClass(
class BrioToggle extends QuickSettings.QuickMenuToggle {
    _init(icon, tongue) {
        super._init({gicon: icon});
        this._tongue = tongue;
        this._icon = icon;
        // Before GNOME 44 there is one line, and it is called otherwise.
        this._hasSubtitle = 'subtitle' in this;
        this[this._hasSubtitle ? 'title' : 'label'] = 'Brio';

        this._modes = MODES.map(mode => this.menu.addAction(describeMode(mode, tongue), () => this._choose(mode)));
        this.menu.addMenuItem(new PopupMenu.PopupSeparatorMenuItem());
        this._pause = this.menu.addAction('', () => this._act(this._client.getState().cookie !== 0 ? 'resume' : 'pause'));
        this._holds = new PopupMenu.PopupMenuSection();
        this._held = '';
        this.menu.addMenuItem(this._holds);
        this.menu.addMenuItem(new PopupMenu.PopupSeparatorMenuItem(describeLastTitle(tongue)));
        this._last = new PopupMenu.PopupMenuItem('', {reactive: false});
        this.menu.addMenuItem(this._last);
        this.menu.addMenuItem(new PopupMenu.PopupSeparatorMenuItem());
        this._open = this.menu.addAction(describeOpen(tongue), () => {
            Main.panel.closeQuickSettings();
            Shell.AppSystem.get_default().lookup_app(`${APPLICATION}.desktop`).activate();
        });

        this._client = new BrioClient(() => this._show(), name => Main.notifyError('Brio', describeError(name, tongue)));
        this.connect('clicked', () => this._act(chooseAction(this._client.getState())));
        this.connect('destroy', () => this._client.destroy());
        this.menu.connect('open-state-changed', (_menu, isOpen) => {
            if (isOpen)
                this._client.askForLast();
        });
        this._locks = Main.sessionMode.connect('updated', () => this._show());
        this.connect('destroy', () => Main.sessionMode.disconnect(this._locks));
        this._open.visible = tongue.name(APPLICATION) !== '';
        this._show();
    }

    _act(action) {
        if (action === 'pause')
            this._client.pause(describeReason(this._tongue));
        else if (action === 'resume')
            this._client.resume();
        else if (action === 'auto')
            this._client.setMode('auto');
    }

    // To set the mode that there is anew would end all holds.
    _choose(mode) {
        if (mode !== this._client.getState().mode)
            this._client.setMode(mode);
    }

    // Each other program's hold, and below it what ends it. They are made anew only where they differ: one may have the focus.
    _showHolds(state) {
        const holds = listForeign(state);
        const held = JSON.stringify(holds);

        if (held === this._held)
            return;
        this._held = held;
        this._holds.removeAll();
        holds.forEach(hold => {
            const text = describeHold(hold, this._tongue);
            const title = new PopupMenu.PopupMenuItem(text, {reactive: false});
            const release = this._holds.addAction(describeRelease(this._tongue), () => this._client.release(hold[0]));

            title.label.clutter_text.set_line_wrap(true);
            title.label.clutter_text.set_ellipsize(0); // Pango.EllipsizeMode.NONE
            this._holds.addMenuItem(title, this._holds.numMenuItems - 1);
            release.accessible_name = `${describeRelease(this._tongue)}: ${text}`;
        });
    }

    _show() {
        if (!this._client)
            return;
        const state = this._client.getState();
        const text = describeState(state, this._tongue);

        // What was paused stays so while the screen is locked, which has no toggle.
        this.visible = !Main.sessionMode.isLocked;
        this.checked = isActive(state);
        if (this._hasSubtitle)
            this.subtitle = text;
        this.menu.setHeader(this._icon, 'Brio', text);
        MODES.forEach((mode, i) => {
            this._modes[i].setOrnament(mode === state.mode ? PopupMenu.Ornament.DOT : NO_DOT);
            this._modes[i].setSensitive(state.running);
        });
        this._pause.label.text = describePause(state, this._tongue);
        this._pause.setSensitive(state.running && state.mode === 'auto');
        this._showHolds(state);
        this._last.label.text = describeLast(state, this._tongue);
    }
});

// What is in the panel's menu from enable() to disable(). addTo(indicator): puts it there.
class BrioPlace {
    constructor(directory, gettext, addTo) {
        const icon = Gio.icon_new_for_string(`${directory}/org.brio.Brio-symbolic.svg`);
        const tongue = {
            gettext,
            number: (value, decimals) => value.toLocaleString(undefined, {maximumFractionDigits: decimals}),
            name: application => {
                const app = Shell.AppSystem.get_default().lookup_app(`${application}.desktop`);

                return app ? app.get_name() : '';
            },
        };

        this._indicator = new QuickSettings.SystemIndicator();
        this._toggle = new BrioToggle(icon, tongue);
        this._indicator.quickSettingsItems.push(this._toggle);
        addTo(this._indicator);
    }

    destroy() {
        this._toggle.destroy();
        this._indicator.destroy();
    }
}
