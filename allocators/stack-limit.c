/* SPDX-License-Identifier: Apache-2.0 */
/* Reads limit=BYTES and checks it against the stack that callers have. */
#include "stack-limit.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>

#include "workspace-options.h"

enum { EIGEN_LIMIT = 128 * 1024, LARGEST_LIMIT = 1024 * 1024 * 1024 };

/* Bytes of the smaller of the main thread's stack and the default of other threads. */
static size_t stack_bytes(void)
{
    size_t bytes = SIZE_MAX;
    struct rlimit stack;
    pthread_attr_t attributes;
    if (!getrlimit(RLIMIT_STACK, &stack) && stack.rlim_cur != RLIM_INFINITY)
        bytes = stack.rlim_cur;
    if (!pthread_getattr_default_np(&attributes)) {
        size_t thread;
        if (!pthread_attr_getstacksize(&attributes, &thread) && thread < bytes)
            bytes = thread;
        pthread_attr_destroy(&attributes);
    }
    return bytes;
}

int fl_stack_limit_read(const char *workspace, const char *options,
                        const struct fl_request *requests, size_t count, size_t *limit,
                        struct fl_err *err)
{
    *limit = EIGEN_LIMIT;
    const struct fl_ws_option table[] = {{.name = "limit", .value = limit, .max = LARGEST_LIMIT},
                                         {.name = NULL}};
    int rc = fl_ws_options_read(workspace, options, table, err);
    if (rc)
        return rc;
    size_t need = 0, have = stack_bytes() / 2;
    for (size_t i = 0; i < count; i++) {
        size_t bytes = requests[i].bytes < *limit ? requests[i].bytes : *limit;
        if (__builtin_add_overflow(need, bytes, &need) ||
            __builtin_add_overflow(need, requests[i].align, &need))
            need = SIZE_MAX;
    }
    if (need > have)
        return fl_fail(err, -EINVAL,
                       "workspace '%s': limit=%zu could put %zu bytes on a stack where at most %zu "
                       "are for it; lower the limit or raise `ulimit -s`",
                       workspace, *limit, need, have);
    return 0;
}
