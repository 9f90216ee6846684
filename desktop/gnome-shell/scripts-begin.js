// SPDX-License-Identifier: GPL-3.0-or-later
// GNOME Shell 43 and 44: a script.
const {Gio, GLib, GObject, Shell} = imports.gi;
const ExtensionUtils = imports.misc.extensionUtils;
const Main = imports.ui.main;
const PopupMenu = imports.ui.popupMenu;
const QuickSettings = imports.ui.quickSettings;

const APPLICATION = 'org.brio.Brio';
