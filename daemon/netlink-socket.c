/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include "macro.h"
#include "netlink-socket.h"

static bool has_option(int fd, int option, int value) {
        int found = -1;
        socklen_t size = sizeof(found);

        return getsockopt(fd, SOL_SOCKET, option, &found, &size) == 0 && found == value;
}

static int copy(int fd) {
        _cleanup_close_ int own = fcntl(fd, F_DUPFD_CLOEXEC, SD_LISTEN_FDS_START);
        int flags = own < 0 ? -1 : fcntl(own, F_GETFL);

        if (flags < 0 || fcntl(own, F_SETFL, flags | O_NONBLOCK) < 0)
                return -errno;
        return TAKE_FD(own);
}

/* What was passed stays open, so that its number remains known. */
int netlink_socket_take(int protocol) {
        int n = sd_listen_fds(false);

        for (int fd = SD_LISTEN_FDS_START; fd < SD_LISTEN_FDS_START + n; fd++)
                if (has_option(fd, SO_DOMAIN, AF_NETLINK) && has_option(fd, SO_PROTOCOL, protocol))
                        return copy(fd);
        return -ENOENT;
}

int netlink_socket_open(int protocol) {
        int fd = netlink_socket_take(protocol);

        if (fd != -ENOENT)
                return fd;
        fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
        return fd < 0 ? -errno : fd;
}

int netlink_socket_join(int fd, unsigned group) {
        return setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0 ? -errno : 0;
}
