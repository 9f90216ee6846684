/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "macro.h"
#include "terminal.h"

/* Alternate screen, no cursor, no wrapping of what is too long; and back. */
#define SCREEN_ENTER "\033[?1049h\033[?25l\033[?7l"
#define SCREEN_LEAVE "\033[?7h\033[?25h\033[?1049l"

/* One process has one terminal, and signal handlers must find it: hence globals. */
static struct termios saved;
static volatile sig_atomic_t keys_taken, screen_taken;

/* Safe in a signal handler: write(2) and tcsetattr(3) are. */
void terminal_leave(void) {
        if (screen_taken) {
                screen_taken = 0;
                if (write(STDOUT_FILENO, SCREEN_LEAVE, strlen(SCREEN_LEAVE)) < 0)
                        return; /* no terminal to show it */
        }
        if (keys_taken) {
                keys_taken = 0;
                tcsetattr(STDIN_FILENO, TCSANOW, &saved);
        }
}

static void on_crash(int signal_number) {
        terminal_leave();
        raise(signal_number); /* SA_RESETHAND: now for good */
}

/* Once: on a crash the terminal comes back before the core is dumped. A sanitizer's own handlers stay. */
static void guard_against_crashes(void) {
        static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
        static bool guarded;

        if (guarded)
                return;
        guarded = true;
        atexit(terminal_leave);
        for (size_t i = 0; i < ARRAY_SIZE(crashes); i++) {
                struct sigaction present, action = { .sa_handler = on_crash, .sa_flags = (int) SA_RESETHAND };
                if (sigaction(crashes[i], NULL, &present) == 0 && present.sa_handler == SIG_DFL)
                        sigaction(crashes[i], &action, NULL);
        }
}

int terminal_enter(void) {
        struct termios keys;

        guard_against_crashes();
        if (!keys_taken && isatty(STDIN_FILENO)) {
                if (tcgetattr(STDIN_FILENO, &saved) < 0)
                        return -errno;
                keys = saved;
                keys.c_lflag &= ~(tcflag_t) (ICANON | ECHO);
                keys.c_cc[VMIN] = 0; /* what is there, at once: the event loop says when */
                keys.c_cc[VTIME] = 0;
                if (tcsetattr(STDIN_FILENO, TCSANOW, &keys) < 0)
                        return -errno;
                keys_taken = 1;
        }
        if (write(STDOUT_FILENO, SCREEN_ENTER, strlen(SCREEN_ENTER)) < 0) {
                int r = -errno;
                terminal_leave();
                return r;
        }
        screen_taken = 1;
        return 0;
}

void terminal_size(unsigned *ret_lines, unsigned *ret_columns) {
        struct winsize size;
        bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;

        *ret_lines = known && size.ws_row > 0 ? size.ws_row : 24;
        *ret_columns = known && size.ws_col > 0 ? size.ws_col : 80;
}
