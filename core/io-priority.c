/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "io-priority.h"

#define LEVEL_MASK (IO_LEVELS - 1)

int io_class_from_priority(long priority, uint32_t *ret_level) {
        long class = priority >> IO_PRIORITY_CLASS_SHIFT;

        if (priority < 0 || class >= _IO_CLASS_MAX)
                return IO_CLASS_UNKNOWN;
        *ret_level = class == IO_CLASS_REALTIME || class == IO_CLASS_BEST_EFFORT ? (uint32_t) (priority & LEVEL_MASK) : 0;
        return (int) class;
}

const char *io_class_to_string(int io_class) {
        static const char *const words[_IO_CLASS_MAX] = {
                [IO_CLASS_NONE] = "none",
                [IO_CLASS_REALTIME] = "realtime",
                [IO_CLASS_BEST_EFFORT] = "best-effort",
                [IO_CLASS_IDLE] = "idle",
        };

        return io_class >= 0 && io_class < _IO_CLASS_MAX ? words[io_class] : "";
}

bool io_priority_yields(int io_class, uint32_t level) {
        return io_class == IO_CLASS_IDLE || (io_class == IO_CLASS_BEST_EFFORT && level > IO_LEVEL_USUAL);
}

bool io_priority_same(uint16_t a, uint16_t b) {
        return a == b || (a >> IO_PRIORITY_CLASS_SHIFT == IO_CLASS_NONE && b >> IO_PRIORITY_CLASS_SHIFT == IO_CLASS_NONE);
}

char *io_priority_format(uint16_t priority, char *buf, size_t size) {
        uint32_t level;
        int class = io_class_from_priority(priority, &level);

        if (class == IO_CLASS_REALTIME || class == IO_CLASS_BEST_EFFORT)
                snprintf(buf, size, "%s/%" PRIu32, class == IO_CLASS_REALTIME ? "RT" : "BE", level);
        else if (class == IO_CLASS_UNKNOWN)
                snprintf(buf, size, "%" PRIu16, priority);
        else
                snprintf(buf, size, "%s", io_class_to_string(class));
        return buf;
}
