/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs with a rule of their own: what was set is kept beside the policies, whose own rules are stronger. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "bus.h"
#include "log.h"
#include "manager-private.h"
#include "program-store.h"

void manager_load_programs(struct manager *m, policy_report_fn report) {
        char dir[PATH_MAX];
        const char *state = manager_state_dir(m->options, dir, sizeof(dir));
        int r = m->options->replay ? 0 : program_store_load(state, report, m, &m->programs);

        if (r < 0)
                log_warning("%s/" PROGRAM_STORE_NAME " cannot be read: %s; no program has a rule but by a policy", state, strerror(-r));
        for (size_t i = 0; i < m->policies.n; i++)
                m->policies.policies[i].step_back.kept = &m->programs;
}

const char *manager_find_program_file(const struct manager *m, const char *name) {
        for (size_t i = 0; i < m->policies.n; i++) {
                const struct policy_program *p = policy_programs_find(&m->policies.policies[i].step_back.programs, name);
                if (p)
                        return policy_source_file(&m->policies.policies[i], p->source);
        }
        return NULL;
}

int manager_set_programs(struct manager *m, const struct policy_programs *programs) {
        char dir[PATH_MAX];
        int r = m->options->replay ? 0 : program_store_save(manager_state_dir(m->options, dir, sizeof(dir)), programs);

        if (r < 0)
                return r;
        m->programs = *programs;
        bus_manager_changed(m->bus, "ProgramRules");
        manager_tick(m);
        return 0;
}
