/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Emulated drives as a benchmark of drives would find them, in simulated time: seconds of computing. */
#include <glob.h>
#include <math.h>

#include "figures.h"
#include "test.h"

TEST(every_model_reaches_what_it_intends) {
        struct drive_figure figures[FIGURES_MAX];
        glob_t models;

        CHECK_INT(glob(MODELS_DIR "/*.conf", 0, NULL, &models), 0);
        for (size_t m = 0; m < models.gl_pathc; m++) {
                struct drive_load_error error = { 0 };
                int n = drive_figures(models.gl_pathv[m], test_seed(), figures, &error);

                CHECK_STR(error.text, "");
                CHECK(n >= 7);
                for (int i = 0; i < n; i++) {
                        printf("# %s: %s %.1f\n", basename(models.gl_pathv[m]), figures[i].key, figures[i].reached);
                        CHECK(fabs(figures[i].reached - figures[i].intended) <= figures[i].intended * 0.1);
                }
        }
        globfree(&models);
}
