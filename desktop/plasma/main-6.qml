// SPDX-License-Identifier: GPL-3.0-or-later
// Plasma 6.
import QtQuick
import org.kde.plasma.plasma5support as Plasma5Support
import org.kde.plasma.plasmoid

import "words.js" as Words

PlasmoidItem {
    id: root

    Plasmoid.icon: 'org.brio.Brio-symbolic'
    toolTipMainText: 'Brio'
    toolTipTextFormat: Text.PlainText
    toolTipSubText: Words.describeState(daemon.told, daemon.tongue)
    fullRepresentation: Panel {
        client: daemon
    }

    Plasma5Support.DataSource {
        id: commands

        engine: 'executable'
        onNewData: (sourceName, data) => daemon.take(sourceName, data['exit code'], data.stdout, data.stderr)
    }

    Plasma5Support.DataSource {
        id: menu

        engine: 'apps'
        onNewData: (sourceName, data) => daemon.takeName(sourceName, data)
    }

    Client {
        id: daemon

        applications: menu
        source: commands
        watched: root.expanded
    }
}
