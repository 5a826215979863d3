/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run: one execution of a scenario into a store.
 *
 * counting rounds, then timed rounds; each is one pass over all cells in a new random order. A cell
 * whose parts cannot run here is stored with the reason; a worker that crashes, hangs or computes
 * wrongly is a stored outcome, and the run goes on. Stopped or killed, it is finished by `resume`.
 */
#ifndef FL_RUN_H
#define FL_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "faultline/error.h"
#include "results/store.h"
#include "runner/commit.h"
#include "runner/scenario.h"

/* What a run tells while it goes on; all slots required. Called from the thread of fl_run(). */
struct fl_progress {
    /* `done` samples of `total` are stored (more than 0 when resumed). */
    void (*begin)(void *arg, int64_t run, size_t cells, size_t done, size_t total);
    void (*sample)(void *arg, const char *key, size_t done, size_t total, enum fl_outcome outcome,
                   const char *reason);
    /* Another measurement holds the machine. */
    void (*waiting)(void *arg, int holder, double seconds);
    /* Something the user should know; one line. */
    void (*note)(void *arg, const char *text);
    /* Something that spoils results or costs much time, before it does; one line. */
    void (*warning)(void *arg, const char *text);
    void *arg;
};

struct fl_run_request {
    const struct fl_scenario *scenario;
    struct fl_store *store; /* open for writing */
    const char *worker;     /* path of faultline-worker */
    const char *probe;      /* of libfaultline-probe.so; NULL: none */
    const char *lock;       /* file of the measurement lock; NULL: the machine's */
    const char *label;      /* NULL: none */
    const char *command_line;
    const struct fl_commit *commit; /* revision that is tested; NULL: not known */
    uint64_t seed;
    bool resume;                       /* finish the scenario's last unfinished run */
    const volatile sig_atomic_t *stop; /* set by a signal handler */
    const struct fl_progress *progress;
};

struct fl_run_result {
    int64_t run;
    size_t cells;                /* planned */
    size_t unavailable;          /* of these, not runnable here */
    size_t samples;              /* stored now */
    size_t failed;               /* of all the run's samples: crashed, hung, wrong or failed */
    size_t expectations, broken; /* judged; of these, disproved by a sample */
    size_t undecided;            /* beside those: no sample has the metric */
    bool interrupted;
};

/*
 * 0 when the run is finished or was interrupted; -EINTR: stopped before it began; -ENOENT: nothing
 * to resume; -EINVAL: scenario, machine or build changed since the run that is to be resumed;
 * -errno from the store or from starting workers: what was stored stays.
 */
int fl_run(const struct fl_run_request *request, struct fl_run_result *result,
           struct fl_err *err) FL_MUST_CHECK;

#endif
