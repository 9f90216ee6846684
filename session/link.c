/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stdbool.h>

#include "link.h"
#include "names.h"

int link_call_manager(struct link *l, sd_bus_message_handler_t fn, void *userdata, const char *method, const char *types, ...) {
        sd_bus_message *m = NULL;
        va_list arguments;
        int r = sd_bus_message_new_method_call(l->system, &m, BRIO_BUS_NAME, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, method);

        if (r >= 0)
                r = sd_bus_message_set_auto_start(m, false);
        if (r >= 0 && *types) {
                va_start(arguments, types);
                r = sd_bus_message_appendv(m, types, arguments);
                va_end(arguments);
        }
        if (r >= 0)
                r = sd_bus_call_async(l->system, NULL, m, fn, userdata, 0);
        sd_bus_message_unref(m);
        return r < 0 ? r : 0;
}
