/* SPDX-License-Identifier: Apache-2.0 */
/* faultline crossover: where another level becomes the faster one, of a run that searched for it.
 */
#include <errno.h>
#include <string.h>

#include "command.h"
#include "crossover-section.h"
#include "faultline/registry.h"
#include "results/crossovers.h"
#include "terminal.h"

struct crossover_options {
    const char *store, *run;
};

static int read_section(struct fl_store *store, int64_t run, struct fl_scenario_crossover *out,
                        struct fl_err *err)
{
    int rc = fl_crossover_section_read(store, run, out, err);
    if (!rc && !out->search[0])
        return fl_fail(err, -EINVAL,
                       "run %lld did not search for crossovers: its scenario has no section "
                       "[crossover]",
                       (long long)run);
    return rc;
}

/* Bytes of a call of a cell at another level of the searched factor. */
static double traffic(void *arg, const char *key, const char *level)
{
    const struct fl_scenario_crossover *section = arg;
    struct fl_err err = {.text = ""};
    struct fl_cost cost = {.bytes = 0};
    struct fl_cell cell;
    int rc = fl_cell_parse(&cell, key, &err);
    for (size_t i = 0; !rc && i < cell.count; i++)
        if (!strcmp(cell.levels[i].factor->name, section->search))
            rc = fl_cell_set(&cell, cell.levels[i].factor, level, &err);
    const struct fl_kernel_ops *kernel =
        rc ? NULL : fl_registry_kernel(fl_cell_get(&cell, "kernel"), fl_cell_get(&cell, "library"));
    return kernel && !kernel->cost(&cell, &cost, &err) ? cost.bytes : 0;
}

static int read_crossovers(struct fl_store *store, const char *name, struct fl_crossovers *out,
                           struct fl_err *err)
{
    struct fl_scenario_crossover section;
    int64_t run;
    int rc = fl_store_find_run(store, name, &run, err);
    if (!rc)
        rc = read_section(store, run, &section, err);
    if (rc)
        return rc;
    const struct fl_crossover_query query = {
        .search = section.search,
        .compare = section.compare,
        .levels = {section.levels[0], section.levels[1]},
        .predictor = section.predictor,
        .predicted = section.predicted,
        .from = section.from,
        .to = section.to,
        .step = FL_CROSSOVER_STEP,
        .traffic = traffic,
        .arg = &section,
    };
    return fl_crossovers_read(store, run, &query, out, err);
}

static int read_run(const struct crossover_options *options, struct fl_crossovers *out,
                    struct fl_err *err)
{
    struct fl_store *store;
    int rc = fl_store_open(options->store, FL_STORE_READ, &store, err);
    if (rc)
        return rc;
    rc = read_crossovers(store, options->run, out, err);
    fl_store_close(store);
    return rc;
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct crossover_options options = {.store = FL_STORE_DEFAULT, .run = "latest"};
    const struct fl_option table[] = {
        {"store", "FILE", "store to read (faultline.db)", FL_OPTION_TEXT, &options.store},
        {"run", "ID|latest", "which run: an id, a label or latest (latest)", FL_OPTION_TEXT,
         &options.run},
        {.name = NULL},
    };
    struct fl_err err = {.text = ""};
    struct fl_crossovers crossovers;
    int first, rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    rc = fl_no_arguments(command, argc, argv, first, &err);
    if (!rc)
        rc = read_run(&options, &crossovers, &err);
    if (rc)
        return fl_complain(&err);
    rc = fl_crossovers_print(&crossovers, fl_terminal_width(), stdout, &err);
    fl_crossovers_release(&crossovers);
    return rc ? fl_complain(&err) : FL_EXIT_OK;
}

const struct fl_command fl_command_crossover = {
    .name = "crossover",
    .summary = "show where another level becomes the faster one",
    .arguments = "",
    .details =
        "Of a run whose scenario has a section [crossover]. Cells that differ only in the "
        "searched\n"
        "and the compared factor make a row: where the first level still wins and the second\n"
        "does already, the crossover between them, in bytes of traffic too, and what the\n"
        "predictor made of it. Below: where the predictor loses most against the better level.\n",
    .run = run,
};
