// SPDX-License-Identifier: GPL-3.0-or-later
// What the open applet shows.
import QtQuick 2.15
import QtQuick.Layouts 1.15
import org.kde.plasma.components 3.0 as PlasmaComponents

import "words.js" as Words

ColumnLayout {
    id: panel

    property var client

    Layout.minimumHeight: implicitHeight
    Layout.minimumWidth: 260
    Layout.preferredWidth: 300
    spacing: 8

    PlasmaComponents.Label {
        Layout.fillWidth: true
        font.bold: true
        textFormat: Text.PlainText
        text: Words.describeState(panel.client.told, panel.client.tongue)
    }

    Repeater {
        model: Words.MODES

        PlasmaComponents.RadioButton {
            Layout.fillWidth: true
            checked: panel.client.told.mode === modelData
            enabled: panel.client.told.running
            text: Words.describeMode(modelData, panel.client.tongue)
            onClicked: {
                if (modelData !== panel.client.told.mode) // to set it anew would end all holds
                    panel.client.setMode(modelData);
                checked = Qt.binding(() => panel.client.told.mode === modelData);
            }
        }
    }

    PlasmaComponents.Button {
        Layout.fillWidth: true
        enabled: panel.client.told.running && panel.client.told.mode === 'auto'
        text: Words.describePause(panel.client.told, panel.client.tongue)
        onClicked: panel.client.act(panel.client.told.cookie !== 0 ? 'resume' : 'pause')
    }

    Repeater {
        model: Words.listForeign(panel.client.told)

        ColumnLayout {
            Layout.fillWidth: true

            PlasmaComponents.Label {
                id: held

                Layout.fillWidth: true
                text: Words.describeHold(modelData, panel.client.tongue)
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
            }

            PlasmaComponents.Button {
                Accessible.description: held.text
                Layout.fillWidth: true
                text: Words.describeRelease(panel.client.tongue)
                onClicked: panel.client.release(modelData[0])
            }
        }
    }

    PlasmaComponents.Label {
        Layout.fillWidth: true
        opacity: 0.7
        text: Words.describeLastTitle(panel.client.tongue)
        textFormat: Text.PlainText
    }

    PlasmaComponents.Label {
        Layout.fillWidth: true
        text: Words.describeLast(panel.client.told, panel.client.tongue)
        textFormat: Text.PlainText
        wrapMode: Text.Wrap
    }

    PlasmaComponents.Label {
        Layout.fillWidth: true
        text: panel.client.problem
        textFormat: Text.PlainText
        visible: text !== ''
        wrapMode: Text.Wrap
    }

    PlasmaComponents.Button {
        Layout.fillWidth: true
        text: Words.describeOpen(panel.client.tongue)
        visible: panel.client.canOpen
        onClicked: panel.client.openDashboard()
    }

    Item {
        Layout.fillHeight: true
    }
}
