/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probe: what libfaultline-probe.so, preloaded into a process, has counted in it.
 *
 * The process finds it with dlsym(RTLD_DEFAULT, "fl_probe_read"): nothing links the probe. Totals
 * count from the start of the process, of all threads, ended ones included; whoever measures takes
 * the difference of two.
 */
#ifndef FAULTLINE_PROBE_H
#define FAULTLINE_PROBE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FL_PROBE_ABI  1u /* of struct fl_probe_totals */
#define FL_PROBE_READ "fl_probe_read"

struct fl_probe_totals {
    uint64_t mutex_locks; /* pthread and C11 mutexes taken, a condition wait's relock included */
    uint64_t mutex_contended; /* of these, held by somebody when a first trylock was made */
    uint64_t mutex_wait_ns;   /* time they waited, and those that gave up waiting */
    uint64_t malloc_calls;    /* malloc, calloc, realloc, the aligned ones, C++ operator new */
    uint64_t free_calls;      /* free and C++ operator delete, of no null pointer */
    uint64_t malloc_bytes;    /* asked for in malloc_calls */
};

/*
 * Sums the counters of all threads. 0, or -EINVAL where the probe was built with another ABI.
 * Thread-safe, allocates nothing, makes no system call. What happened before in this thread, and
 * in others that have synchronised with it since, is in the sum.
 */
typedef int (*fl_probe_read_fn)(unsigned abi, struct fl_probe_totals *out);

#ifdef __cplusplus
}
#endif

#endif
