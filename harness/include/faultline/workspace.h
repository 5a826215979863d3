/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspace: how a kernel gets scratch memory for one call.
 *
 * Memory is handed out by continuation, because a policy that uses the stack needs a frame of its
 * own: with() calls body(arg, pointers) and takes the memory back, in reverse order, when body
 * returns. A kernel names no workspace; it is handed one. Add one: copy TEMPLATE.c in allocators/.
 *
 * Threads: with() may be called from several threads at once on one workspace; open(), held(),
 * facts() and close() may not run beside it.
 */
#ifndef FAULTLINE_WORKSPACE_H
#define FAULTLINE_WORKSPACE_H

#include <stddef.h>

#include "faultline/facts.h"
#include "faultline/part.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FL_REQUESTS_MAX 8

/*
 * One buffer. `bytes` is what the kernel uses. `align` is a power of two. A policy that allocates
 * from malloc asks it for `bytes` when align <= 16 and for `bytes + align` otherwise, aligning by
 * hand, as Eigen does: page counts depend on it.
 */
struct fl_request {
    size_t bytes, align;
};

/* What runs with the memory. `pointers[i]` belongs to request i. Its result is with()'s result. */
typedef int (*fl_body_fn)(void *arg, void *const *pointers);

struct fl_workspace_ops {
    struct fl_part part;
    /*
     * Optional; without it the workspace takes no options. 0, or -EINVAL saying what is accepted.
     * Called where a level is written, long before open(), which reads the same text.
     */
    int (*check)(const char *options, struct fl_err *err);
    /*
     * Required. Called once, before the first with(). `requests` are the largest the kernel will
     * make, `threads` the number of callers; `options` the text behind the first ':' of the level
     * (`size-class:limit=1M` gives "limit=1M"), "" where there is none. -EINVAL: bad option.
     */
    int (*open)(void *state, const struct fl_request *requests, size_t count, unsigned threads,
                const char *options, struct fl_err *err);
    /* Required. The measured slot. body's result, or -ENOMEM where no memory could be had. */
    int (*with)(void *state, const struct fl_request *requests, size_t count, fl_body_fn body,
                void *arg);
    /* Required. Bytes kept between calls: the price of a policy that does not give back. */
    size_t (*held)(const void *state);
    /*
     * Optional. What belongs beside a sample, after its last call: resolved defaults, and which
     * ways the calls took. Every run of the same cell should give the same text. 0 or -E2BIG.
     */
    int (*facts)(const void *state, struct fl_facts *facts);
    /* Required. Gives everything back. */
    void (*close)(void *state);
};

/* A workspace part with its state: what a kernel is handed. */
struct fl_workspace {
    const struct fl_workspace_ops *ops;
    void *state;
};

static inline int fl_workspace_with(const struct fl_workspace *workspace,
                                    const struct fl_request *requests, size_t count,
                                    fl_body_fn body, void *arg)
{
    return workspace->ops->with(workspace->state, requests, count, body, arg);
}

#ifdef __cplusplus
}
#endif

#endif
