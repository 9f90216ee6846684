// SPDX-License-Identifier: GPL-3.0-or-later
// Plasma 5.27.
import QtQuick 2.15
import org.kde.plasma.core 2.0 as PlasmaCore
import org.kde.plasma.plasmoid 2.0

import "words.js" as Words

Item {
    Plasmoid.icon: 'org.brio.Brio-symbolic'
    Plasmoid.toolTipMainText: 'Brio'
    Plasmoid.toolTipTextFormat: Text.PlainText
    Plasmoid.toolTipSubText: Words.describeState(daemon.told, daemon.tongue)
    Plasmoid.fullRepresentation: Panel {
        client: daemon
    }

    PlasmaCore.DataSource {
        id: commands

        engine: 'executable'
        onNewData: daemon.take(sourceName, data['exit code'], data.stdout, data.stderr)
    }

    PlasmaCore.DataSource {
        id: menu

        engine: 'apps'
        onNewData: daemon.takeName(sourceName, data)
    }

    Client {
        id: daemon

        applications: menu
        source: commands
        watched: Plasmoid.expanded
    }
}
