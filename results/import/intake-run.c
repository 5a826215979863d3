/* SPDX-License-Identifier: Apache-2.0 */
/* The description of an imported run: machine, environment, and what was asked for. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "intake.h"
#include "results/database.h"

/* `imported origin=gbench host=box num_cpus=4`: never equal to that of a machine measured on. */
static void describe_machine(const struct fl_intake *intake, char *out, size_t size)
{
    const struct fl_facts *machine = &intake->machine;
    size_t used = (size_t)snprintf(out, size, "%s origin=%s", FL_INTAKE_UNKNOWN,
                                   fl_run_origin_name(intake->origin));

    for (size_t i = 0; i < machine->count && used + 1 < size; i++) {
        const struct fl_stored_level fact = {machine->items[i].name, machine->items[i].value,
                                             false};
        out[used++] = ' ';
        out[used] = '\0';
        used += fl_intake_put_level(out + used, size - used, &fact);
    }
}

/* What differs from the first round is kept beside it, under the round's name. */
static void keep_differences(struct fl_intake *intake)
{
    char name[160];

    for (size_t i = 0; i < intake->environment.count; i++) {
        const struct fl_fact *fact = &intake->environment.items[i];
        const char *before = fl_facts_get(&intake->first, fact->name);
        if (before && strcmp(before, fact->value) == 0)
            continue;
        snprintf(name, sizeof(name), "%.120s (round %d)", fact->name, intake->round);
        if (fl_facts_set(&intake->first, name, "%s", fact->value))
            fl_intake_note(intake, 1, false, "facts about later files, for which there is no room");
    }
}

/* Facts point into their own list, so that copying the list does not copy them. */
static void copy_facts(struct fl_facts *to, const struct fl_facts *from)
{
    *to = (struct fl_facts){.count = 0};
    for (size_t i = 0; i < from->count; i++)
        (void)fl_facts_set(to, from->items[i].name, "%s", from->items[i].value);
}

int fl_intake_keep_surroundings(struct fl_intake *intake)
{
    char fingerprint[sizeof(intake->fingerprint)];

    describe_machine(intake, fingerprint, sizeof(fingerprint));
    if (!intake->round) {
        memcpy(intake->fingerprint, fingerprint, sizeof(fingerprint));
        copy_facts(&intake->first, &intake->environment);
        intake->run_started_ns = intake->started_ns;
    } else if (strcmp(fingerprint, intake->fingerprint) != 0) {
        return fl_fail(intake->err, -EXDEV,
                       "cannot import '%s' as a round beside the files before it: it was measured "
                       "on another machine; import it by itself",
                       intake->file);
    } else {
        keep_differences(intake);
    }
    intake->environment = (struct fl_facts){.count = 0};
    intake->started_ns = 0;
    intake->round++;
    return 0;
}

/* The name behind the last slash of a path, of either kind, without its extension. */
static void base_name(const char *path, char *out, size_t size)
{
    for (const char *c = path; *c; c++)
        if ((*c == '/' || *c == '\\') && c[1])
            path = c + 1;
    const char *dot = strrchr(path, '.');
    size_t length = dot && dot != path ? (size_t)(dot - path) : strlen(path);
    snprintf(out, size, "%.*s", (int)length, path);
}

const char *fl_intake_scenario(struct fl_intake *intake)
{
    if (intake->options->scenario)
        return intake->options->scenario;
    if (!intake->scenario[0])
        base_name(strcmp(intake->file, "-") ? intake->file : "stdin", intake->scenario,
                  sizeof(intake->scenario));
    return intake->scenario;
}

void fl_intake_program(struct fl_intake *intake, const char *path)
{
    if (!intake->scenario[0])
        base_name(path, intake->scenario, sizeof(intake->scenario));
}

int fl_intake_end_run(struct fl_intake *intake)
{
    static const char forget[] =
        "DELETE FROM machine WHERE fingerprint = ? AND id NOT IN (SELECT machine FROM run)";
    /* How long it took there is not known. */
    static const char finish[] =
        "UPDATE run SET status = 'finished', finished_ns = started_ns WHERE id = ?";
    static const char count[] = "SELECT count(*) FROM run_cell WHERE run = ?";
    const struct fl_import_options *options = intake->options;
    struct fl_import_report *report = intake->report;

    if (!intake->run || !intake->round)
        return fl_fail(intake->err, -ENODATA, "cannot import '%s': there is nothing in it to store",
                       intake->file);
    const struct fl_run_info info = {
        .fingerprint = intake->fingerprint,
        .machine = intake->machine.items,
        .machine_count = intake->machine.count,
        .environment = intake->first.items,
        .environment_count = intake->first.count,
        .host = intake->host[0] ? intake->host : "unknown",
        .label = options->label,
        .scenario = fl_intake_scenario(intake),
        .command_line = options->command_line,
        .version = intake->program,
        .build_flags = intake->build,
        .rounds = intake->round,
        .origin = intake->origin,
        .commit_id = options->commit_id,
        .commit_ns = options->commit_ns,
        .started_ns =
            intake->run_started_ns ? intake->run_started_ns : (int64_t)time(NULL) * 1000000000,
    };
    int64_t cells = 0;
    int status = fl_db_describe_run(intake->store, intake->run, &info, intake->err);
    if (!status)
        status = fl_db_run(intake->store, forget, intake->err, "T", FL_INTAKE_UNKNOWN);
    if (!status)
        status = fl_db_run(intake->store, finish, intake->err, "i", intake->run);
    if (!status)
        status = fl_db_number(intake->store, count, &cells, intake->err, "i", intake->run);
    report->run = intake->run;
    report->runs++;
    report->rounds += (size_t)intake->round;
    report->cells += (size_t)cells;
    return status;
}
