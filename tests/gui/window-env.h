/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole window, against a scripted daemon where one was started. */
#pragma once

#include <adwaita.h>
#include <stdbool.h>

#include "client.h"
#include "window.h"

struct app {
        BrioClient *client;
        BrioWindow *window;
};

/* What an application does at its start: style sheets, icons. */
void start_application(void);

/* The window in that size, and nothing of it kept. */
struct app open_window(int width, int height);
/* The same with the daemon of another bus. */
struct app open_window_on(const char *bus, int width, int height);
/* The window as the settings have it. */
struct app restore_window(GSettings *settings);
/* What brio_window_get_shown() says. */
bool window_shows(BrioWindow *window, const char *what);
/* For env_wait(). */
bool window_shows_pages(void *window);
bool window_shows_absent(void *window);
/* Ends everything. True if window and client are gone. */
bool close_window(struct app *app);
