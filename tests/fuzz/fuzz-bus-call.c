/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever arguments a call on the bus has: those with a longer text are refused before anything else, words and ids are known or not, and what an error
 * or a hold repeats of a text is text. Each argument is a byte for its type and a length, and the bytes. */
#include <errno.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>

#include "bus-private.h"
#include "callers.h"
#include "decisions.h"
#include "fuzz.h"
#include "holds.h"
#include "str.h"

#define ARGUMENT_HEAD_BYTES 3
#define ARGUMENTS_MAX 16

/* Of a peer that never speaks: messages are made and read, and never sent. */
static sd_bus *connection(void) {
        static sd_bus *bus;
        int fds[2];

        if (bus)
                return bus;
        MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
        MUST(sd_bus_new(&bus) >= 0 && sd_bus_set_fd(bus, fds[0], fds[0]) >= 0 && sd_bus_start(bus) >= 0);
        return bus;
}

static void check_text(const char *text) {
        static struct holds holds;
        struct hold_entry held;
        char echo[BUS_ECHO_MAX], id[DECISION_ID_MAX];
        uint64_t sequence;
        uint32_t cookie;
        int mode = mode_from_string(text), hold = hold_from_string(text), r;

        MUST(mode < 0 || streq(mode_to_string((enum mode) mode), text));
        MUST(hold < 0 || streq(hold_to_string((enum hold) hold), text));
        MUST(bus_echo(echo, text) == echo && memchr(echo, '\0', sizeof(echo)) && str_is_text(echo));
        if (decision_parse_id(text, &sequence) == 0) {
                snprintf(id, sizeof(id), "d%" PRIu64, sequence);
                MUST(strlen(id) <= strlen(text));
        }
        r = holds_add(&holds, ":1.1", 0, HOLD_PAUSE, text, text, &cookie);
        MUST((r == 0 && strlen(text) < HOLD_TEXT_MAX) || (r == -EINVAL && strlen(text) >= HOLD_TEXT_MAX));
        if (r == 0)
                MUST(holds_remove(&holds, ":1.1", cookie, &held) == 0 && held.cookie == cookie && str_is_text(held.reason) && str_is_text(held.application_id));
}

/* Appends an argument of one of the types that calls have. Returns the length of the longest text, or -EINVAL: the library refuses it, and the whole call. */
static ssize_t append(sd_bus_message *call, uint8_t type, const char *text, uint32_t number) {
        int r = 0;

        switch (type % 6) {
        case 0:
                r = sd_bus_message_append(call, "s", text);
                break;
        case 1:
                r = sd_bus_message_append(call, "as", 2, "", text);
                break;
        case 2:
                r = sd_bus_message_append(call, "o", text);
                break;
        case 3:
                MUST(sd_bus_message_append(call, "u", number) >= 0);
                return 0;
        case 4:
                MUST(sd_bus_message_append(call, "tb", (uint64_t) number, 1) >= 0);
                return 0;
        default:
                MUST(sd_bus_message_append(call, "(uv)", number, "u", number) >= 0);
                return 0;
        }
        return r < 0 ? r : (ssize_t) strlen(text);
}

static ssize_t take_argument(sd_bus_message *call, uint8_t type, const uint8_t *bytes, size_t size) {
        char *text = malloc(size + 1);
        uint32_t number = 0;
        ssize_t length;

        MUST(text);
        memcpy(text, bytes, size);
        text[size] = '\0';
        memcpy(&number, bytes, MIN(size, sizeof(number)));
        length = append(call, type, text, number);
        check_text(text);
        free(text);
        return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        sd_bus_message *call = NULL;
        ssize_t longest = 0, text = 0;

        MUST(sd_bus_message_new_method_call(connection(), &call, "org.brio.Brio1", "/org/brio/Brio1", "org.brio.Brio1.Manager", "Fuzz") >= 0);
        for (size_t i = 0; i < ARGUMENTS_MAX && size >= ARGUMENT_HEAD_BYTES && text >= 0; i++) {
                size_t length = MIN((size_t) data[1] | (size_t) data[2] << 8, size - ARGUMENT_HEAD_BYTES);
                text = take_argument(call, data[0], data + ARGUMENT_HEAD_BYTES, length);
                longest = MAX(longest, text);
                data += ARGUMENT_HEAD_BYTES + length;
                size -= ARGUMENT_HEAD_BYTES + length;
        }
        if (text >= 0) {
                MUST(sd_bus_message_seal(call, 1, 0) >= 0 && sd_bus_message_rewind(call, true) >= 0);
                MUST(callers_values_fit(call) == (longest <= CALL_TEXT_MAX));
        }
        sd_bus_message_unref(call);
        return 0;
}
