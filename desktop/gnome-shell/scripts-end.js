class BrioExtension {
    enable() {
        const menu = Main.panel.statusArea.quickSettings;

        this._place = new BrioPlace(ExtensionUtils.getCurrentExtension().path, ExtensionUtils.gettext, indicator => {
            menu._indicators.insert_child_at_index(indicator, 0);
            menu._addItems(indicator.quickSettingsItems);
        });
    }

    disable() {
        this._place.destroy();
        this._place = null;
    }
}

/* exported init */
function init() {
    ExtensionUtils.initTranslations('brio');
    return new BrioExtension();
}
