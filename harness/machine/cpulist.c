/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of processors and their text.
 */
#include "machine/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

unsigned fl_cpulist_count(const struct fl_cpulist *list)
{
    unsigned count = 0;
    for (size_t i = 0; i < FL_CPU_MAX / 64; i++)
        count += (unsigned)__builtin_popcountll(list->bits[i]);
    return count;
}

/* Reads one processor number and moves behind it. */
static int take_number(const char **text, unsigned *out)
{
    if (!isdigit((unsigned char)**text))
        return -EINVAL;
    char *end;
    unsigned long number = strtoul(*text, &end, 10);
    if (number >= FL_CPU_MAX)
        return -EINVAL;
    *out = (unsigned)number;
    *text = end;
    return 0;
}

/* Reads `a` or `a-b` and moves behind it. */
static int take_range(const char **text, struct fl_cpulist *out)
{
    unsigned first, last;
    if (take_number(text, &first) != 0)
        return -EINVAL;
    last = first;
    if (**text == '-') {
        ++*text;
        if (take_number(text, &last) != 0 || last < first)
            return -EINVAL;
    }
    for (unsigned cpu = first; cpu <= last; cpu++)
        fl_cpulist_add(out, cpu);
    return 0;
}

int fl_cpulist_parse(const char *text, struct fl_cpulist *out)
{
    memset(out, 0, sizeof *out);
    if (*text == '\0')
        return 0;
    for (;; text++) {
        if (take_range(&text, out) != 0)
            return -EINVAL;
        if (*text == '\0')
            return 0;
        if (*text != ',')
            return -EINVAL;
    }
}

/* The last member of the run of members that starts at `cpu`. */
static unsigned run_end(const struct fl_cpulist *list, unsigned cpu)
{
    while (fl_cpulist_has(list, cpu + 1))
        cpu++;
    return cpu;
}

int fl_cpulist_format(const struct fl_cpulist *list, char *out, size_t size)
{
    size_t used = 0;
    if (size == 0)
        return -E2BIG;
    out[0] = '\0';
    for (unsigned cpu = 0; cpu < FL_CPU_MAX; cpu++) {
        if (!fl_cpulist_has(list, cpu))
            continue;
        unsigned last = run_end(list, cpu);
        const char *comma = used != 0 ? "," : "";
        int length = last == cpu ? snprintf(out + used, size - used, "%s%u", comma, cpu)
                                 : snprintf(out + used, size - used, "%s%u-%u", comma, cpu, last);
        if (length < 0 || (size_t)length >= size - used)
            return -E2BIG;
        used += (size_t)length;
        cpu = last;
    }
    return 0;
}

int fl_cpulist_affinity(struct fl_cpulist *out)
{
    /* The system call, because glibc's wrapper zero-fills through cpu_set_t, and the kernel's mask
     * is in longs: the same layout as ours on little-endian 64-bit. */
    unsigned long mask[FL_CPU_MAX / (8 * sizeof(unsigned long))] = {0};
    memset(out, 0, sizeof *out);
    if (syscall(SYS_sched_getaffinity, 0, sizeof mask, mask) < 0)
        return -errno;
    for (unsigned cpu = 0; cpu < FL_CPU_MAX; cpu++)
        if ((mask[cpu / (8 * sizeof *mask)] >> (cpu % (8 * sizeof *mask)) & 1u) != 0)
            fl_cpulist_add(out, cpu);
    return 0;
}
