/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faultline's own JSON (docs/schema.md), one run a document; import-faultline-rows.c reads the
 * metrics, cells and samples of it.
 */
#include "import-faultline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/database.h"

int fl_own_out_of_memory(const struct fl_own *own)
{
    return fl_fail(own->intake->err, -ENOMEM, "cannot import: out of memory");
}

int fl_own_list(struct fl_own *own, enum fl_json_event event, int (*each)(struct fl_own *own))
{
    int status = 0;

    if (event != FL_JSON_ARRAY) {
        fl_json_skip(own->reader, event);
        return 0;
    }
    while (!status && (event = fl_json_next(own->reader)) != FL_JSON_ARRAY_END &&
           event != FL_JSON_END) {
        if (event == FL_JSON_OBJECT)
            status = each(own);
        else
            fl_json_skip(own->reader, event);
        fl_arena_release(&own->piece);
    }
    return status;
}

static const char *copy(struct fl_own *own, struct fl_arena *arena)
{
    char *text = fl_arena_alloc(arena, own->reader->length + 1, 1);

    return text ? memcpy(text, own->reader->text, own->reader->length + 1) : NULL;
}

int fl_own_facts(struct fl_own *own, enum fl_json_event event, struct fl_arena *arena,
                 struct fl_fact *facts, size_t room, size_t *count)
{
    *count = 0;
    if (event != FL_JSON_OBJECT) {
        fl_json_skip(own->reader, event);
        return 0;
    }
    while (fl_json_next(own->reader) == FL_JSON_KEY) {
        const char *name = copy(own, arena);
        event = fl_json_next(own->reader);
        const char *value = event == FL_JSON_STRING ? copy(own, arena) : "";
        fl_json_skip(own->reader, event);
        if (!name || !value)
            return fl_own_out_of_memory(own);
        if (*count < room)
            facts[(*count)++] = (struct fl_fact){name, value};
        else
            fl_intake_note(own->intake, 1, true, "facts beyond %zu", room);
    }
    return 0;
}

int fl_own_cell(struct fl_own *own, const char *key, int64_t *cell)
{
    static const char find[] =
        "SELECT id FROM cell JOIN run_cell ON cell = id WHERE key = ? AND run = ?";

    return fl_db_number(own->intake->store, find, cell, own->intake->err, "Ti", key,
                        own->intake->run);
}

/* ---- the run ---- */

static int keep_list(struct fl_own *own, enum fl_json_event event, const struct fl_fact **out,
                     size_t *count)
{
    struct fl_fact *facts =
        fl_arena_alloc(&own->kept, FL_SURROUNDINGS_MAX * sizeof(*facts), sizeof(void *));

    if (!facts)
        return fl_own_out_of_memory(own);
    *out = facts;
    return fl_own_facts(own, event, &own->kept, facts, FL_SURROUNDINGS_MAX, count);
}

static int take_machine(void *arg, enum fl_json_event event)
{
    struct fl_own *own = arg;

    return keep_list(own, event, &own->info.machine, &own->info.machine_count);
}

static int take_environment(void *arg, enum fl_json_event event)
{
    struct fl_own *own = arg;

    return keep_list(own, event, &own->info.environment, &own->info.environment_count);
}

static int take_run(void *arg, enum fl_json_event event)
{
    struct fl_own *own = arg;
    struct fl_run_info *info = &own->info;
    const struct fl_member members[] = {
        {"uuid", FL_MEMBER_TEXT, &own->uuid, NULL},
        {"status", FL_MEMBER_TEXT, &own->status, NULL},
        {"started_ns", FL_MEMBER_INTEGER, &info->started_ns, NULL},
        {"finished_ns", FL_MEMBER_INTEGER, &own->finished_ns, NULL},
        {"host", FL_MEMBER_TEXT, &info->host, NULL},
        {"label", FL_MEMBER_TEXT, &info->label, NULL},
        {"scenario", FL_MEMBER_TEXT, &info->scenario, NULL},
        {"title", FL_MEMBER_TEXT, &info->title, NULL},
        {"scenario_text", FL_MEMBER_TEXT, &info->scenario_text, NULL},
        {"command_line", FL_MEMBER_TEXT, &info->command_line, NULL},
        {"version", FL_MEMBER_TEXT, &info->version, NULL},
        {"build_flags", FL_MEMBER_TEXT, &info->build_flags, NULL},
        {"seed", FL_MEMBER_UNSIGNED, &info->seed, NULL},
        {"settle_ns", FL_MEMBER_INTEGER, &info->settle_ns, NULL},
        {"window_ns", FL_MEMBER_INTEGER, &info->window_ns, NULL},
        {"rounds", FL_MEMBER_INTEGER, &own->rounds, NULL},
        {"counted_rounds", FL_MEMBER_INTEGER, &own->counted_rounds, NULL},
        {"counted_calls", FL_MEMBER_INTEGER, &info->counted_calls, NULL},
        {"origin", FL_MEMBER_TEXT, &own->origin, NULL},
        {"commit_id", FL_MEMBER_TEXT, &info->commit_id, NULL},
        {"commit_ns", FL_MEMBER_INTEGER, &info->commit_ns, NULL},
        {"fingerprint", FL_MEMBER_TEXT, &info->fingerprint, NULL},
        {.key = NULL},
    };

    if (event != FL_JSON_OBJECT) {
        fl_json_skip(own->reader, event);
        return 0;
    }
    int status = fl_members_read(own->reader, members, &own->kept, own);
    return status == -ENOMEM ? fl_own_out_of_memory(own) : status < 0 ? status : 0;
}

/* ---- expectations ---- */

static int take_expectation(struct fl_own *own)
{
    struct fl_expectation row = {.rule = "", .metric = "", .expected = "", .held = -1};
    const char *key = NULL;
    const struct fl_member members[] = {
        {"rule", FL_MEMBER_TEXT, &row.rule, NULL},
        {"metric", FL_MEMBER_TEXT, &row.metric, NULL},
        {"host", FL_MEMBER_TEXT, &row.host, NULL},
        {"cell", FL_MEMBER_TEXT, &key, NULL},
        {"expected", FL_MEMBER_TEXT, &row.expected, NULL},
        {"measured", FL_MEMBER_TEXT, &row.measured, NULL},
        {"held", FL_MEMBER_FLAG, &row.held, NULL},
        {.key = NULL},
    };
    int status = fl_members_read(own->reader, members, &own->kept, own);

    if (status <= 0)
        return status == -ENOMEM ? fl_own_out_of_memory(own) : status;
    if (key && fl_own_cell(own, key, &row.cell))
        row.cell = 0;
    if (own->expectation_count < FL_EXPECTATIONS_MAX)
        own->expectations[own->expectation_count++] = row;
    else
        fl_intake_note(own->intake, 1, true, "expectations beyond %d", FL_EXPECTATIONS_MAX);
    return 0;
}

static int take_expectations(void *arg, enum fl_json_event event)
{
    return fl_own_list(arg, event, take_expectation);
}

/* ---- documents ---- */

static int begin(struct fl_own *own)
{
    const struct fl_run_info unknown = {.fingerprint = FL_INTAKE_UNKNOWN, .started_ns = 1};

    own->expectations = fl_arena_alloc(&own->kept, FL_EXPECTATIONS_MAX * sizeof(*own->expectations),
                                       sizeof(void *));
    if (!own->expectations)
        return fl_own_out_of_memory(own);
    own->info.rounds = own->info.counted_rounds = 0;
    own->intake->cells = 0;
    own->intake->metric_count = 0;
    return fl_store_begin_run(own->intake->store, &unknown, &own->intake->run, own->intake->err);
}

/* The machine's text is marked, so that no file can change what is stored of a machine here. */
static int describe(struct fl_own *own)
{
    struct fl_run_info *info = &own->info;
    const struct fl_import_options *options = own->intake->options;
    const char *machine = info->fingerprint ? info->fingerprint : "";
    size_t room = strlen(machine) + sizeof(FL_INTAKE_UNKNOWN) + 1;
    char *marked = fl_arena_alloc(&own->kept, room, 1);
    bool again = strncmp(machine, FL_INTAKE_UNKNOWN, sizeof(FL_INTAKE_UNKNOWN) - 1) == 0;
    int origin = own->origin ? fl_run_origin_from(own->origin) : -1;

    if (!marked)
        return fl_own_out_of_memory(own);
    snprintf(marked, room, "%s%s%s", again ? "" : FL_INTAKE_UNKNOWN, again ? "" : " ", machine);
    info->fingerprint = marked;
    info->origin = origin <= FL_ORIGIN_MEASURED ? FL_ORIGIN_FAULTLINE : (enum fl_run_origin)origin;
    info->rounds = (int)own->rounds;
    info->counted_rounds = (int)own->counted_rounds;
    if (options->label)
        info->label = options->label;
    if (options->scenario)
        info->scenario = options->scenario;
    if (options->commit_id)
        info->commit_id = options->commit_id;
    return fl_db_describe_run(own->intake->store, own->intake->run, info, own->intake->err);
}

/* One that was going on when it was exported has ended here. */
static int finish(struct fl_own *own)
{
    static const char update[] =
        "UPDATE run SET status = ?, finished_ns = ifnull(nullif(?, 0), started_ns) WHERE id = ?";
    static const char came[] = "INSERT OR REPLACE INTO environment VALUES (?, 'imported-uuid', ?)";
    struct fl_intake *intake = own->intake;
    int status = own->status ? fl_run_status_from(own->status) : -1;
    enum fl_run_status as =
        status <= FL_RUN_RUNNING ? FL_RUN_INTERRUPTED : (enum fl_run_status)status;
    int rc = fl_db_run(intake->store, update, intake->err, "Tii", fl_run_status_name(as),
                       own->finished_ns, intake->run);

    if (!rc && own->uuid)
        rc = fl_db_run(intake->store, came, intake->err, "iT", intake->run, own->uuid);
    if (!rc)
        rc = fl_store_set_expectations(intake->store, intake->run, own->expectations,
                                       own->expectation_count, intake->err);
    intake->report->run = intake->run;
    intake->report->runs++;
    intake->report->cells += (size_t)intake->cells;
    intake->report->rounds += (size_t)own->info.rounds;
    return rc;
}

static int read_document(struct fl_own *own)
{
    static const char forget[] =
        "DELETE FROM machine WHERE fingerprint = ? AND id NOT IN (SELECT machine FROM run)";
    const struct fl_member members[] = {
        {"format", FL_MEMBER_TEXT, &own->format, NULL},
        {"version", FL_MEMBER_INTEGER, &own->version, NULL},
        {"run", FL_MEMBER_CALL, NULL, take_run},
        {"machine", FL_MEMBER_CALL, NULL, take_machine},
        {"environment", FL_MEMBER_CALL, NULL, take_environment},
        {"metrics", FL_MEMBER_CALL, NULL, fl_own_metrics},
        {"cells", FL_MEMBER_CALL, NULL, fl_own_cells},
        {"samples", FL_MEMBER_CALL, NULL, fl_own_samples},
        {"expectations", FL_MEMBER_CALL, NULL, take_expectations},
        {.key = NULL},
    };
    struct fl_intake *intake = own->intake;
    int status = fl_members_read(own->reader, members, &own->kept, own);

    if (status == -ENOMEM)
        return fl_own_out_of_memory(own);
    if (status < 0)
        return status;
    if (!own->format || strcmp(own->format, "faultline-run") != 0 || own->version != 1)
        return fl_fail(intake->err, -ENOTSUP,
                       "cannot import '%s': it is not version 1 of a run's JSON, which is what "
                       "this faultline reads",
                       intake->file);
    status = describe(own);
    if (!status)
        status = finish(own);
    return status ? status : fl_db_run(intake->store, forget, intake->err, "T", FL_INTAKE_UNKNOWN);
}

int fl_import_faultline(struct fl_intake *intake, struct fl_json_reader *reader)
{
    int status = 0;

    while (!status && fl_json_next(reader) != FL_JSON_END) {
        struct fl_own own = {.intake = intake, .reader = reader};
        own.kept.heap = own.piece.heap = true;
        status = begin(&own);
        if (!status)
            status = read_document(&own);
        fl_arena_release(&own.kept);
        fl_arena_release(&own.piece);
    }
    return status;
}
