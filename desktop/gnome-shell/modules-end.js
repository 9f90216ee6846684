export default class BrioExtension extends Extension {
    enable() {
        this._place = new BrioPlace(this.path, text => this.gettext(text),
            indicator => Main.panel.statusArea.quickSettings.addExternalIndicator(indicator));
    }

    disable() {
        this._place.destroy();
        this._place = null;
    }
}
