/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Netlink sockets of the machine's network namespace. As a service briod has another one, in which neither udev nor the process connector is heard and no
 * socket of the machine's is seen: there are sockets that systemd opened outside (data/briod-*.socket). */
#pragma once

/* What systemd passed for this protocol (NETLINK_*). Returns a descriptor of the caller's, -ENOENT where it passed none, or -errno. */
int netlink_socket_take(int protocol);

/* That one, else a new one; close-on-exec, and it does not block. Returns a descriptor or -errno. */
int netlink_socket_open(int protocol);

/* Has what is sent to the group, counted from 1, told from now on. Returns 0 or -errno. */
int netlink_socket_join(int fd, unsigned group);
