/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of processors for threads, see fl_topology_place(). */
#include "machine/placement.h"

#include <errno.h>
#include <stdlib.h>

/* A processor with what its place in an order depends on. */
struct candidate {
    const struct fl_processor *processor;
    bool first_core; /* on the machine's first core */
    unsigned depth;  /* how many of its like under the same cache come before it */
    unsigned sub;    /* number of its cache within the package */
};

/* <0: `a` comes first. Of what decides under every policy: second hardware threads, kinds. */
static int compare_class(const struct fl_processor *a, const struct fl_processor *b)
{
    if (a->sibling != b->sibling)
        return a->sibling < b->sibling ? -1 : 1;
    if (a->speed != b->speed)
        return a->speed > b->speed ? -1 : 1;
    return (int)b->isolated - (int)a->isolated;
}

/* Processors stand in an array in topological order; the later comes first. */
static int compare_compact(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    int class = compare_class(a->processor, b->processor);
    if (class)
        return class;
    if (a->first_core != b->first_core)
        return a->first_core ? 1 : -1;
    return a->processor > b->processor ? -1 : 1;
}

static int compare_scatter(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    int class = compare_class(a->processor, b->processor);
    if (class)
        return class;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    if (a->sub != b->sub)
        return a->sub > b->sub ? -1 : 1;
    if (a->processor->package != b->processor->package)
        return a->processor->package > b->processor->package ? -1 : 1;
    return compare_compact(x, y);
}

static unsigned first_cache(const struct fl_topology *topology, unsigned package)
{
    for (size_t i = 0; i < topology->count; i++)
        if (topology->processors[i].package == package)
            return topology->processors[i].cache;
    return 0;
}

static unsigned depth_of(const struct candidate *candidates, size_t at)
{
    const struct fl_processor *mine = candidates[at].processor;
    unsigned depth = 0;
    for (size_t i = 0; i < at; i++)
        depth += candidates[i].processor->cache == mine->cache &&
                 !compare_class(candidates[i].processor, mine);
    return depth;
}

static int keep(struct fl_topology *topology, enum fl_pin pin, const struct candidate *candidates)
{
    size_t *order = malloc(topology->count * sizeof *order);
    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < topology->count; i++)
        order[i] = (size_t)(candidates[i].processor - topology->processors);
    topology->order[pin] = order;
    return 0;
}

int fl_placement_make(struct fl_topology *topology)
{
    size_t count = topology->count;
    struct candidate *candidates = calloc(count, sizeof *candidates);
    if (!candidates)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct fl_processor *processor = &topology->processors[i];
        candidates[i].processor = processor;
        candidates[i].first_core = processor->core == topology->processors[0].core;
        candidates[i].sub = processor->cache - first_cache(topology, processor->package);
    }
    qsort(candidates, count, sizeof *candidates, compare_compact);
    int rc = keep(topology, FL_PIN_COMPACT, candidates);
    for (size_t i = 0; i < count; i++)
        candidates[i].depth = depth_of(candidates, i);
    qsort(candidates, count, sizeof *candidates, compare_scatter);
    if (!rc)
        rc = keep(topology, FL_PIN_SCATTER, candidates);
    free(candidates);
    return rc;
}
