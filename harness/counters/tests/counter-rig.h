/* SPDX-License-Identifier: Apache-2.0 */
/* Rig for counter tests: opens a counter for some metrics and measures one window around a body. */
#ifndef FL_COUNTER_RIG_H
#define FL_COUNTER_RIG_H

#include "faultline/counter.h"

extern const struct fl_counter_ops fl_counter_rusage, fl_counter_workspace, fl_counter_perf,
    fl_counter_syscalls, fl_counter_probe;

#define RIG_METRICS 16

struct rig {
    const struct fl_counter_ops *ops;
    void *state;
    char *memory; /* that the state lies in */
    const char *wanted[RIG_METRICS + 1];
    struct fl_facts facts;
    struct fl_err err;
    int rc; /* of open() */
};

typedef void (*rig_body_fn)(void *arg);

/* Opens `ops` for the metrics in `wanted`, separated by spaces. */
void rig_open(struct rig *rig, const struct fl_counter_ops *ops, const char *wanted);
void rig_open_with(struct rig *rig, const struct fl_counter_ops *ops, const char *wanted,
                   const struct fl_workspace *workspace, const char *library);

/* start(), body(arg), stop(). A NULL body is an empty window. */
void rig_window(struct rig *rig, rig_body_fn body, void *arg);

struct fl_reading rig_read(struct rig *rig, const char *metric);

/* The total, or a large negative number where there is none. */
int64_t rig_total(struct rig *rig, const char *metric);

/* Is it the expected number? Sanitizers add some faults and system calls of their own. */
bool rig_is_exact(int64_t total, int64_t expected);

void rig_close(struct rig *rig);

/* Fresh anonymous memory, untouched, never a huge page. */
char *rig_pages(size_t pages);

/*
 * Runs `body` in a child process, as user nobody where `unprivileged` and we are root. The child's
 * exit code: body's result. -1 where it died of a signal. Waits for every other child, too.
 */
int rig_child(int (*body)(void *arg), void *arg, bool unprivileged);

#endif
