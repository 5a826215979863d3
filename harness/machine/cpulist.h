/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU list: a set of processor numbers and its text, as the kernel writes it (`0-3,8`).
 *
 * The set has room for every processor that Linux supports, so it is not cpu_set_t. Nothing
 * allocates; thread-safe.
 */
#ifndef FL_MACHINE_CPULIST_H
#define FL_MACHINE_CPULIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "faultline/error.h"

#define FL_CPU_MAX          8192u /* processors; numbers are below this */
#define FL_CPULIST_TEXT_MAX 4096  /* bytes that hold every list met in practice, with the NUL */

struct fl_cpulist {
    uint64_t bits[FL_CPU_MAX / 64];
};

static inline bool fl_cpulist_has(const struct fl_cpulist *list, unsigned cpu)
{
    return cpu < FL_CPU_MAX && (list->bits[cpu / 64] >> (cpu % 64) & 1u) != 0;
}

static inline void fl_cpulist_add(struct fl_cpulist *list, unsigned cpu)
{
    if (cpu < FL_CPU_MAX)
        list->bits[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

unsigned fl_cpulist_count(const struct fl_cpulist *list);

/* Reads `0-3,8`; "" is the empty set. 0, or -EINVAL: not a list, or a number too large. */
int fl_cpulist_parse(const char *text, struct fl_cpulist *out) FL_MUST_CHECK;

/* Writes the shortest text. 0, or -E2BIG where `size` is too small. */
int fl_cpulist_format(const struct fl_cpulist *list, char *out, size_t size) FL_MUST_CHECK;

/* The calling thread's affinity mask. 0 or -errno. */
int fl_cpulist_affinity(struct fl_cpulist *out) FL_MUST_CHECK;

#endif
