/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that read our own JSON share. Private to them. */
#ifndef RESULTS_IMPORT_IMPORT_FAULTLINE_H
#define RESULTS_IMPORT_IMPORT_FAULTLINE_H

#include "intake.h"
#include "members.h"

#define FL_EXPECTATIONS_MAX 10000
#define FL_SURROUNDINGS_MAX 1024 /* facts of a machine or an environment */

struct fl_own {
    struct fl_intake *intake;
    struct fl_json_reader *reader;
    struct fl_arena kept;  /* of the run: its description and expectations */
    struct fl_arena piece; /* of the metric, cell or sample being read */
    struct fl_run_info info;
    const char *uuid, *status, *origin, *format;
    int64_t version, finished_ns, rounds, counted_rounds;
    struct fl_expectation *expectations;
    size_t expectation_count;
    int64_t samples; /* of the run */
};

/* Lists of the document; each is handed its first event. */
int fl_own_metrics(void *own, enum fl_json_event event) FL_MUST_CHECK;
int fl_own_cells(void *own, enum fl_json_event event) FL_MUST_CHECK;
int fl_own_samples(void *own, enum fl_json_event event) FL_MUST_CHECK;

/* Calls `each` at every object of a list, from behind its brace. */
int fl_own_list(struct fl_own *own, enum fl_json_event event,
                int (*each)(struct fl_own *own)) FL_MUST_CHECK;
/* Names and values of an object that has only text in it; those beyond the room are noted. */
int fl_own_facts(struct fl_own *own, enum fl_json_event event, struct fl_arena *arena,
                 struct fl_fact *facts, size_t room, size_t *count) FL_MUST_CHECK;
/* -ENOENT, with err untouched: no such cell. */
int fl_own_cell(struct fl_own *own, const char *key, int64_t *cell) FL_MUST_CHECK;
int fl_own_out_of_memory(const struct fl_own *own) FL_MUST_CHECK;

#endif
