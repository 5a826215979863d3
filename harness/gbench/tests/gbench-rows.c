/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps reported rows beyond the callback that hands them out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gbench-rows.h"

static const char *keep(char to[ROW_TEXT], const char *from)
{
    assert_true(strlen(from) < ROW_TEXT);
    return strcpy(to, from);
}

static void keep_row(const struct fl_run *run, void *arg)
{
    struct rows *rows = arg;
    assert_true(rows->count < ROWS_MAX && run->counter_count <= ROW_COUNTERS);
    struct row *row = &rows->row[rows->count++];
    row->run = *run;
    row->run.name = keep(row->name, run->name);
    row->run.run_name = keep(row->run_name, run->run_name);
    row->run.function_name = keep(row->function_name, run->function_name);
    row->run.aggregate_name = keep(row->aggregate_name, run->aggregate_name);
    row->run.label = keep(row->label, run->label);
    row->run.message = keep(row->message, run->message);
    for (size_t i = 0; i < run->counter_count; i++) {
        row->counters[i] = run->counters[i];
        row->counters[i].name = keep(row->counter_names[i], run->counters[i].name);
    }
    row->run.counters = row->counters;
}

static bool note_begin(const struct fl_run_context *context, void *arg)
{
    struct rows *rows = arg;
    assert_true(context->cpus >= 1);
    rows->begins++;
    return true;
}

static void note_end(void *arg)
{
    struct rows *rows = arg;
    rows->ends++;
}

void rows_run(struct rows *rows, const char *filter)
{
    const struct fl_reporter reporter = {note_begin, keep_row, note_end, rows};
    *rows = (struct rows){0};
    assert_int_equal(fl_bench_run(filter, &reporter, NULL), 0);
    assert_int_equal(rows->begins, 1);
    assert_int_equal(rows->ends, 1);
}

const struct fl_run *rows_get(const struct rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->row[i].run.name, name) == 0)
            return &rows->row[i].run;
    for (size_t i = 0; i < rows->count; i++)
        print_message("reported: '%s'\n", rows->row[i].run.name);
    fail_msg("no row called '%s'", name);
    return NULL;
}

double row_counter(const struct fl_run *run, const char *name)
{
    for (size_t i = 0; i < run->counter_count; i++)
        if (strcmp(run->counters[i].name, name) == 0)
            return run->counters[i].value;
    fail_msg("'%s' has no counter '%s'", run->name, name);
    return 0;
}
