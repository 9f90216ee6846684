# SPDX-License-Identifier: GPL-3.0-or-later
"""What is claimed of Brio on a whole Debian machine. The modules run in this order: the package goes last."""
ORDER = ("service", "sandbox", "limits", "users", "prefetch", "kernel", "drives", "bus", "hotplug", "tracing", "agreement", "cpus", "dashboard", "sleep", "power", "package")
# About this machine, while the guests run.
HOST = ("ends",)
