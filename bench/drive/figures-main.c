/* SPDX-License-Identifier: GPL-3.0-or-later */
/* brio-drive-figures: what emulated drives do, against what their models intend, in simulated time. bench/drive/check makes a table of it. */
#include <stdio.h>
#include <string.h>

#include "figures.h"
#include "str.h"

static int usage(FILE *f, int status) {
        fputs("Usage: brio-drive-figures SEED FILE...\n\n"
              "For each model file and each figure of its [intended], a line: file, key, label, unit, intended, reached, with tabs between.\n",
              f);
        return status;
}

int main(int argc, char **argv) {
        struct drive_figure figures[FIGURES_MAX];
        uint64_t seed = 0;

        if (argc == 2 && streq(argv[1], "--help"))
                return usage(stdout, 0);
        if (argc < 3 || str_parse_u64(argv[1], &seed) < 0)
                return usage(stderr, 2);
        for (int i = 2; i < argc; i++) {
                struct drive_load_error error = { 0 };
                int n = drive_figures(argv[i], seed, figures, &error);

                if (n < 0) {
                        fprintf(stderr, "%s:%d: %s\n", argv[i], error.line, error.text[0] ? error.text : strerror(-n));
                        return 1;
                }
                for (int k = 0; k < n; k++)
                        printf("%s\t%s\t%s\t%s\t%.6g\t%.6g\n", argv[i], figures[k].key, figures[k].label, figures[k].unit, figures[k].intended,
                               figures[k].reached);
                fflush(stdout);
        }
        return 0;
}
