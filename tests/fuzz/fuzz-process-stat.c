/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever the files of numbers say of a process or of its group: what is taken from them is whole, and its name is text. */
#include <errno.h>

#include "exec-entry.h"
#include "fuzz-files.h"
#include "fuzz.h"
#include "io-weight.h"
#include "proc-scan.h"
#include "process-stat.h"
#include "str.h"

static char *copy(const uint8_t *data, size_t size) {
        return fuzz_take(&(struct fuzz_input){ data, size }, NULL);
}

static void check_stat(char *text) {
        struct process_stat s;
        int r = process_stat_parse(text, &s);

        MUST(r == 0 || r == -EINVAL);
        if (r == 0)
                MUST(s.tgid > 0 && memchr(s.name, '\0', sizeof(s.name)) && str_is_text(s.name));
        free(text);
}

static void check_io(char *text) {
        struct proc_counters c = { 0 };
        int r = proc_parse_io(text, &c);

        MUST(r == 0 || r == -EINVAL || r == -ERANGE);
        MUST(r == 0 || (c.called_bytes == 0 && c.read_bytes == 0 && c.write_bytes == 0));
        free(text);
}

static void check_call(char *text) {
        struct exec_call call = { 0 };
        int r = exec_entry_parse(text, &call);

        MUST(r == 0 || r == 1);
        MUST(r == 1 || (call.program == 0 && call.environment == 0));
        free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        char *weight = copy(data, size);

        check_stat(copy(data, size));
        check_io(copy(data, size));
        check_call(copy(data, size));
        MUST(io_weight_parse(weight) <= 10000);
        free(weight);
        return 0;
}
