/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topology: the processors this process may use, what they share, and where to pin a sample.
 *
 * Loaded once by the runner (the first hwloc load of a process takes about 20 ms) and kept as plain
 * arrays; the measured process never sees hwloc, it is handed processor numbers as text. Constant
 * after the load, so readers may share it between threads.
 */
#ifndef FL_MACHINE_TOPOLOGY_H
#define FL_MACHINE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/error.h"

/* One processor (hardware thread) of the affinity mask. */
struct fl_processor {
    unsigned cpu;           /* number the kernel gives it */
    unsigned core, package; /* numbers within the machine, from 0, in topological order */
    unsigned cache;         /* number of the L3 cache above it, or of its package without one */
    unsigned numa;          /* kernel's number of its NUMA node */
    unsigned sibling;       /* 0 for the first allowed processor of its core, 1 for the next, ... */
    unsigned siblings;      /* processors its core has, allowed or not */
    int speed;              /* rank of its kind of core, more is faster; 0 where all are alike */
    bool isolated;          /* kept free of other work by isolcpus= */
};

/* Where threads go, one after the other. */
enum fl_pin {
    /* Neighbours share caches: core after core of one cache, then of the next. */
    FL_PIN_COMPACT,
    /* As far apart as can be: packages in turn, their caches in turn, then the cores in those. */
    FL_PIN_SCATTER,
    FL_PINS
};

struct fl_topology {
    struct fl_processor *processors; /* in topological order */
    size_t *order[FL_PINS]; /* places in `processors` in the order in which threads take them */
    size_t count;           /* processors the affinity mask and the cpuset allow */
    unsigned online;        /* processors the machine has */
    unsigned cores, packages, numa_nodes; /* that the allowed processors belong to */
    /* Data or unified caches of the processor that a one-thread sample is pinned to, L1..L3 in
     * [1]..[3]; 0: none or unknown. */
    unsigned long cache_bytes[4];
    unsigned cache_sharers[4]; /* processors that share that cache */
    unsigned line_bytes;       /* cache line; 0: unknown */
    double quota;              /* processors' worth of time the control group grants; 0: no limit */
    unsigned usable;           /* `nproc`: count, or the quota rounded up where that is less */
};

/* Where to look, for tests; NULL stands for the live machine. */
struct fl_topology_source {
    const char *root;      /* of /proc and /sys, for the quota and the isolated processors */
    const char *synthetic; /* hwloc's description of a machine; NULL: the live one */
    const char *allowed;   /* CPU list in place of the affinity mask; NULL: the live mask */
};

/* 0; -EINVAL: bad description; -ENODEV: no processor left; -ENOMEM; -EIO: hwloc cannot read it. */
int fl_topology_load(const struct fl_topology_source *source, struct fl_topology *out,
                     struct fl_err *err) FL_MUST_CHECK;

void fl_topology_release(struct fl_topology *topology);

/*
 * The processor of a thread. Under both policies one a core first, fastest kind and isolated ones
 * before others, since two threads on a core slow each other down while another core idles; then
 * second hardware threads in the same order; then they start again. The machine's first core,
 * where interrupts and most other work land, is the last of its cache. One thread therefore gets
 * the last core.
 */
static inline const struct fl_processor *fl_topology_place(const struct fl_topology *topology,
                                                           enum fl_pin pin, size_t thread)
{
    return &topology->processors[topology->order[pin][thread % topology->count]];
}

#endif
