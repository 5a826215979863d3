/* SPDX-License-Identifier: Apache-2.0 */
#include "crossover-section.h"

#include <string.h>

#include "runner/scenario.h"

struct section {
    struct fl_scenario_crossover crossover;
    struct fl_err *err;
};

static int take_section(void *arg, const struct fl_run_record *record)
{
    struct section *out = arg;
    const char *text = record->info.scenario_text;
    struct fl_scenario scenario;
    int rc =
        fl_scenario_read(record->info.scenario, text, strlen(text), false, &scenario, out->err);
    if (rc)
        return fl_fail_within(out->err, rc, "cannot read the scenario of run %lld",
                              (long long)record->id);
    out->crossover = scenario.crossover;
    fl_scenario_release(&scenario);
    return 0;
}

int fl_crossover_section_read(struct fl_store *store, int64_t run,
                              struct fl_scenario_crossover *out, struct fl_err *err)
{
    struct section section = {.err = err};
    int rc = fl_store_run(store, run, take_section, &section, err);
    *out = section.crossover;
    return rc;
}
