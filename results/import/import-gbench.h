/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that read Google Benchmark's JSON share. Private to them. */
#ifndef RESULTS_IMPORT_IMPORT_GBENCH_H
#define RESULTS_IMPORT_IMPORT_GBENCH_H

#include "intake.h"

#define FL_GBENCH_NAME 4000

/* Fields of an entry; text is "" where it has none. */
struct fl_gbench_entry {
    uint32_t seen;
    bool error_occurred, skipped;
    bool cut; /* its name did not fit */
    struct fl_json_number family_index, per_family_instance_index, repetitions, repetition_index;
    struct fl_json_number threads, iterations, real_time, cpu_time;
    char name[FL_GBENCH_NAME], run_name[FL_GBENCH_NAME];
    char run_type[24], aggregate_name[64], aggregate_unit[24], time_unit[8], big_o[64];
    char error_message[1024], skip_message[1024], label[1024];
};

struct fl_gbench {
    struct fl_intake *intake;
    struct fl_json_reader *reader;
    bool has_context;
    char library_version[64];       /* "": none in the context */
    size_t real_time, cpu_time;     /* places of the metrics */
    char last_name[FL_GBENCH_NAME]; /* of the entry before, for files without run_name */
    struct fl_gbench_entry entry;
    struct fl_intake_row row; /* counters are in it already */
};

/* The place of a counter, whether its meaning is known or not; SIZE_MAX as fl_intake_metric(). */
int fl_gbench_metric(struct fl_gbench *g, const char *name, size_t *place) FL_MUST_CHECK;

/* Hands the entry that was read over; `has_time` says whether it had one. */
int fl_gbench_take_entry(struct fl_gbench *g, bool has_time) FL_MUST_CHECK;

/* The context, from behind its bracket to its end. */
void fl_gbench_begin_context(struct fl_gbench *g);
void fl_gbench_read_context(struct fl_gbench *g);

/* What a time and a rate mean in entries of several threads. */
const char *fl_gbench_time_meaning(const struct fl_gbench *g);
const char *fl_gbench_rate_meaning(const struct fl_gbench *g);

#endif
