/* SPDX-License-Identifier: Apache-2.0 */
/* A team of threads around one barrier and one wait policy, for the tests of both. */
#ifndef FL_BARRIER_RIG_H
#define FL_BARRIER_RIG_H

#include "faultline/barrier.h"

enum { RIG_THREADS_MAX = 256 };

struct rig_thread {
    _Alignas(128) struct fl_wait_stat stat;
    struct rig *rig;
    unsigned thread;
};

struct rig {
    struct fl_arena arena;
    struct fl_wait wait;
    struct fl_barrier barrier;
    unsigned threads;
    void (*body)(struct rig *rig, unsigned thread, struct fl_wait_stat *stat);
    void *arg;
    struct rig_thread team[RIG_THREADS_MAX];
};

/* What goes with what; options are "" for none. */
struct rig_pair {
    const struct fl_barrier_ops *barrier;
    const char *barrier_options;
    const struct fl_wait_ops *wait;
    const char *wait_options;
};

/* Opens both; a mistake ends the test. */
void rig_open(struct rig *rig, const struct rig_pair *pair, unsigned threads,
              const struct fl_barrier_place *places);
void rig_close(struct rig *rig);

/* Runs the body in all threads, the caller being thread 0; returns when all are back. Statistics
 * begin at 0. */
void rig_run(struct rig *rig);

/* Processors this process may use. */
unsigned rig_processors(void);

/* Can the policy run here, and does it wait for barriers of ours? */
bool rig_waits(const struct fl_wait_ops *wait);

/* Does it ever give the processor away? Where it does not, each meeting of more threads than
 * processors takes time slices. */
bool rig_gives_way(const struct fl_wait_ops *wait);

#endif
