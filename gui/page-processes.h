/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processes read and write which drive, live: a table to sort and to search. Asks the daemon only while it is shown. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define BRIO_TYPE_PAGE_PROCESSES (brio_page_processes_get_type ())
G_DECLARE_FINAL_TYPE (BrioPageProcesses, brio_page_processes, BRIO, PAGE_PROCESSES, AdwBin)

/* Shows what brio_processes_read() has made of an answer. */
void brio_page_processes_take (BrioPageProcesses *self,
                               GPtrArray         *told);

G_END_DECLS
