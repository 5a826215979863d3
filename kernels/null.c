/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel null: does nothing, so that what remains is the harness. With `requests` it asks the
 * workspace for memory and leaves it alone: the way from kernel to workspace to body and back.
 */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "faultline/kernel.h"

#define ALIGN 64

struct state {
    struct fl_request requests[FL_REQUESTS_MAX];
    size_t count;
};

/* `none`, or sizes joined by '+'. The number of requests, or -EINVAL. */
static int read_requests(const char *level, struct fl_request *requests)
{
    char size[32];
    int count = 0;

    if (strcmp(level, "none") == 0)
        return 0;
    while (count < FL_REQUESTS_MAX) {
        const size_t length = strcspn(level, "+");
        double bytes;

        if (length >= sizeof(size))
            return -EINVAL;
        memcpy(size, level, length);
        size[length] = '\0';
        if (fl_factor_number(FL_FACTOR_BYTES, size, &bytes) || bytes < 1 || bytes > 0x1p40)
            return -EINVAL;
        requests[count++] = (struct fl_request){(size_t)bytes, ALIGN};
        if (level[length] == '\0')
            return count;
        level += length + 1;
    }
    return -EINVAL;
}

static int check_requests(const char *level, struct fl_err *err)
{
    struct fl_request requests[FL_REQUESTS_MAX];

    if (read_requests(level, requests) < 0)
        return fl_fail(err, -EINVAL,
                       "cannot use requests '%s': want none, or up to %d sizes joined by '+' "
                       "(128K+1M)",
                       level, FL_REQUESTS_MAX);
    return 0;
}

static const struct fl_factor requests_factor = {
    .name = "requests",
    .summary = "sizes asked from the workspace in one call, joined by '+'; none: no request",
    .type = FL_FACTOR_TEXT,
    .fallback = "none",
    .check = check_requests,
};

static const struct fl_factor *const factors[] = {&requests_factor, NULL};

static int cost(const struct fl_cell *cell, struct fl_cost *out, struct fl_err *err)
{
    (void)cell;
    (void)err;
    *out = (struct fl_cost){0, 0};
    return 0;
}

static int open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    struct state *s = state;
    const char *level = fl_cell_get(env->cell, "requests");
    const int count = read_requests(level, s->requests);

    if (count < 0)
        return check_requests(level, err);
    s->count = (size_t)count;
    return 0;
}

static size_t requests(const void *state, struct fl_request out[FL_REQUESTS_MAX])
{
    const struct state *s = state;

    memcpy(out, s->requests, s->count * sizeof(*out));
    return s->count;
}

static int nothing(void *arg, void *const *pointers)
{
    (void)arg;
    (void)pointers;
    return 0;
}

static int run(void *state, const struct fl_workspace *workspace)
{
    struct state *s = state;

    return s->count ? fl_workspace_with(workspace, s->requests, s->count, nothing, s) : 0;
}

/* Writes the ends of every buffer: what the workspace promised must be there. */
static int touch(void *arg, void *const *pointers)
{
    const struct state *s = arg;

    for (size_t i = 0; i < s->count; i++) {
        char *at = pointers[i];

        if (!at || (uintptr_t)at % s->requests[i].align != 0)
            return -EBADMSG;
        at[0] = at[s->requests[i].bytes - 1] = 1;
    }
    return 0;
}

static int check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    struct state *s = state;
    const int rc = s->count ? fl_workspace_with(workspace, s->requests, s->count, touch, s) : 0;

    if (rc == -EBADMSG)
        return fl_fail(err, rc, "the workspace handed out a buffer that is missing or misaligned");
    return rc ? fl_fail(err, rc, "cannot make the call that is checked: no workspace") : 0;
}

static void close(void *state)
{
    (void)state;
}

const struct fl_kernel_ops fl_kernel_null = {
    .part =
        {
            .name = "null",
            .summary = "does nothing; measures the harness and the way to the workspace",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct state),
        },
    .factors = factors,
    .uses = FL_USES_WORKSPACE,
    .cost = cost,
    .open = open,
    .requests = requests,
    .run = run,
    .check = check,
    .close = close,
};
