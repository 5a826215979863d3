/* SPDX-License-Identifier: Apache-2.0 */
/* The option limit=BYTES of workspaces that put small buffers on the caller's stack. */
#ifndef FL_STACK_LIMIT_H
#define FL_STACK_LIMIT_H

#include "faultline/workspace.h"
#include "hand-aligned.h"

/*
 * Reads the option (128 KiB where it is not given). -EINVAL also where the buffers that may land on
 * the stack would fill more than half of it.
 */
int fl_stack_limit_read(const char *workspace, const char *options,
                        const struct fl_request *requests, size_t count, size_t *limit,
                        struct fl_err *err) FL_MUST_CHECK;

/* What to ask alloca for: room for the alignment, and never 0, so that buffers are distinct. */
static inline size_t fl_stack_bytes(const struct fl_request *request)
{
    return request->bytes + request->align;
}

static inline void *fl_stack_pointer(void *raw, const struct fl_request *request)
{
    return (void *)fl_align_up((uintptr_t)raw, request->align);
}

#endif
