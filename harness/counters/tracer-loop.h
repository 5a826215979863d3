/* SPDX-License-Identifier: Apache-2.0 */
/* Tracer loop: what the tracer process does, on a bare stack and with raw system calls alone. */
#ifndef FL_TRACER_LOOP_H
#define FL_TRACER_LOOP_H

#include "syscall-tracer.h"

/* Lives in the mapping of the tracer's stack. */
struct fl_tracer {
    struct fl_tracer_counts counts;
    pid_t worker;
    /* The worker's end and the tracer's. An int to begin, a descriptor of the folder of the
     * worker's tasks, goes to the tracer; 0 or -errno comes back when it is ready. */
    int sockets[2];
};

/* Entry of the tracer, with a struct fl_tracer; never returns. */
int fl_tracer_run(void *tracer);

#endif
