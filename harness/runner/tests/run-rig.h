/* SPDX-License-Identifier: Apache-2.0 */
/* A run whose worker is a shell script, in a folder of its own. For tests of the runner. */
#ifndef FL_RUN_RIG_H
#define FL_RUN_RIG_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "runner/run.h"

/* What a worker does that measures: five calls, two allocations in each. */
#define GOOD                                                                                       \
    "echo 'window 5 1000 5' >&3; echo 'metric malloc-calls ok 10 1' >&3; echo 'outcome ok ' >&3\n"

/* The run, and what it told while it went on. */
struct rig {
    char folder[64], worker[96], path[96], library[96], lock[96], text[2048];
    struct fl_scenario scenario;
    struct fl_store *store;
    struct fl_run_result result;
    struct fl_err err;
    volatile sig_atomic_t stop;
    size_t stop_at;     /* stop the run behind so many samples of this process; 0: never */
    const char *remove; /* a file that goes away behind the first sample */
    size_t first_total, samples, done, total, notes;
    char warnings[2][512];
    size_t warning_count;
    bool beyond; /* more was done than there was in all */
};

/* Of cmocka: a rig with two cells of the null kernel and a worker that is GOOD. */
int rig_set_up(void **state);
int rig_tear_down(void **state);

/* The worker from now on: lines of a shell script. */
void rig_set_worker(struct rig *rig, const char *body);

/* The scenario from now on, with two timed rounds and one expectation. */
void rig_set_scenario(struct rig *rig, const char *factors, const char *metrics);

/* Sets a row of [libraries]. 0, or the error. */
int rig_set_library(struct rig *rig, const char *alias, const char *path);

/* Puts a file at rig->library. The runner asks for an ELF file of this processor: this program is
 * one. */
void rig_make_library(struct rig *rig);

/* The run's own result. */
int rig_run(struct rig *rig, bool resume);

/* Ends a run behind its first sample. */
void rig_interrupt(struct rig *rig);

/* The first number that a statement gives on a connection of its own. */
long long rig_sql(struct rig *rig, const char *statement);

#endif
