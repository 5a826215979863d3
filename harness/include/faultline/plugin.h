/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plug-in: kernels of yours in a shared library, named with --plugin.
 *
 * The library defines one symbol, `faultline_plugin`, by one FL_PLUGIN() line. What else a kernel
 * needs stands in faultline/kernel.h. Functions marked FL_API are faultline's own, found when the
 * library is loaded: there is nothing to link with.
 *
 * The programs load the library, so its constructors run in them. Nothing of it is called by two
 * threads at once, but for what a kernel itself hands to its team.
 */
#ifndef FAULTLINE_PLUGIN_H
#define FAULTLINE_PLUGIN_H

#include <errno.h>
#include <stddef.h>

#include "faultline/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FL_PLUGIN_SYMBOL      "faultline_plugin"
#define FL_PLUGIN_KERNELS_MAX 64

/* Sizes and version of what it was compiled against: another faultline says so and refuses. */
struct fl_plugin {
    unsigned abi;                               /* FL_PART_ABI */
    unsigned size;                              /* of this struct, bytes */
    unsigned kernel_size, factor_size;          /* of struct fl_kernel_ops, struct fl_factor */
    const struct fl_kernel_ops *const *kernels; /* NULL-terminated */
};

extern FL_API const struct fl_plugin faultline_plugin;

/* Slots of a kernel that says nothing of its work, so that no rate is derived, and of one that took
 * everything from the arena. */
static inline int fl_kernel_no_cost(const struct fl_cell *cell, struct fl_cost *cost,
                                    struct fl_err *err)
{
    (void)cell;
    (void)err;
    cost->flops = cost->bytes = 0;
    return 0;
}

static inline void fl_kernel_no_close(void *state)
{
    (void)state;
}

/* A factor that is a whole number and has to be named: struct fl_factor. */
#define FL_SIZE_FACTOR(name, summary, least, most)                                                 \
    {                                                                                              \
        name, summary, FL_FACTOR_INT, NULL, least, most, NULL, NULL                                \
    }

/* A kernel with the slots that no kernel can do without: struct fl_kernel_ops. STATE is the type of
 * its state. */
#define FL_SIMPLE_KERNEL(name, summary, STATE, factors, open, run, check)                          \
    {                                                                                              \
        {name, summary, FL_PART_ABI, sizeof(STATE), NULL}, factors, 0, NULL, fl_kernel_no_cost,    \
            open, NULL, NULL, run, check, fl_kernel_no_close                                       \
    }

/* FL_PLUGIN(&first, &second); once in a library, at file scope. */
#define FL_PLUGIN(...)                                                                             \
    static const struct fl_kernel_ops *const fl_plugin_kernels[] = {__VA_ARGS__, NULL};            \
    const struct fl_plugin faultline_plugin = {FL_PART_ABI, sizeof(struct fl_plugin),              \
                                               sizeof(struct fl_kernel_ops),                       \
                                               sizeof(struct fl_factor), fl_plugin_kernels}

#ifdef __cplusplus
}
#endif

#endif
