/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of the harness itself: which kernel, on what memory, in what kind of process. */
#include "harness-factors.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "faultline/history.h"
#include "faultline/injection.h"
#include "faultline/registry.h"

enum { NAMES_MAX = 64, KERNELS_MAX = 128 };

int fl_unknown_level(const char *kind, const char *level, const char *const *names,
                     struct fl_err *err)
{
    char accepted[512] = "";
    size_t used = 0;
    for (const char *const *n = names; *n; n++) {
        if (used + strlen(*n) + sizeof ", ..." > sizeof accepted) {
            snprintf(accepted + used, sizeof accepted - used, ", ...");
            break;
        }
        used += (size_t)snprintf(accepted + used, sizeof accepted - used, "%s%s",
                                 n == names ? "" : ", ", *n);
    }
    const char *near = fl_nearest(level, names);
    return fl_fail(err, -EINVAL, "unknown %s '%.80s'%s%s%s; known: %s", kind, level,
                   near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "", accepted);
}

static int check_kernel(const char *level, struct fl_err *err)
{
    /* The library is not known here; a name that is ours or has the foreign prefix passes. */
    if (fl_registry_kernel(level, FL_OWN_LIBRARY))
        return 0;
    const char *names[KERNELS_MAX] = {NULL};
    char spelt[KERNELS_MAX][24]; /* the symbols that parts call from a library */
    size_t count = 0;
    for (const struct fl_kernel_ops *const *k = fl_registry_kernels(); *k; k++) {
        if (!((*k)->uses & FL_USES_LIBRARY) && count < KERNELS_MAX - 1)
            names[count++] = (*k)->part.name;
        for (const char *const *s = (*k)->symbols; s && *s && count < KERNELS_MAX - 1; s++) {
            if (strchr(*s, '-'))
                continue;
            snprintf(spelt[count], sizeof spelt[count], "blas:%s_", *s);
            names[count] = spelt[count];
            count++;
        }
    }
    int rc = fl_unknown_level("kernel", level, names, err);
    size_t used = err ? strlen(err->text) : 0;
    if (err)
        snprintf(err->text + used, sizeof err->text - used,
                 "; kernels of a plug-in need --plugin FILE");
    return rc;
}

static int check_library(const char *level, struct fl_err *err)
{
    for (const char *c = level; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+_-", *c))
            return fl_fail(err, -EINVAL,
                           "'%.80s' is no library alias: letters, digits and . + _ - only", level);
    return *level ? 0 : fl_fail(err, -EINVAL, "a library alias is empty");
}

static int check_workspace(const char *level, struct fl_err *err)
{
    const struct fl_workspace_ops *ops = fl_registry_workspace(level);
    const char *colon = strchr(level, ':');
    if (ops && ops->check)
        return ops->check(colon ? colon + 1 : "", err);
    if (ops && colon)
        return fl_fail(err, -EINVAL, "workspace '%s' takes no options", ops->part.name);
    if (ops)
        return 0;
    const char *names[NAMES_MAX] = {NULL};
    size_t count = 0;
    for (const struct fl_workspace_ops *const *w = fl_registry_workspaces(); *w; w++)
        if (count < NAMES_MAX - 1)
            names[count++] = (*w)->part.name;
    return fl_unknown_level("workspace", level, names, err);
}

static int check_malloc(const char *level, struct fl_err *err)
{
    if (fl_malloc_find(level))
        return 0;
    const char *names[NAMES_MAX] = {NULL};
    size_t count = 0;
    for (const struct fl_malloc *row = fl_mallocs(); row->name; row++)
        if (count < NAMES_MAX - 1)
            names[count++] = row->name;
    return fl_unknown_level("malloc", level, names, err);
}

static int check_history(const char *level, struct fl_err *err)
{
    struct fl_history history;
    int rc = fl_history_parse(level, &history, err);
    for (size_t i = 0; !rc && i < history.count; i++)
        if (history.steps[i].kernel[0])
            rc = check_kernel(history.steps[i].kernel, err);
    return rc;
}

static int check_heap_offset(const char *level, struct fl_err *err)
{
    double bytes = 0;
    if (fl_factor_number(FL_FACTOR_BYTES, level, &bytes) || (long)bytes % 16)
        return fl_fail(err, -EINVAL,
                       "heap-offset '%.80s' is no multiple of 16: malloc cannot move "
                       "the top of its heap by less",
                       level);
    return 0;
}

static int check_inject(const char *level, struct fl_err *err)
{
    struct fl_injection injection;
    return fl_injection_parse(level, &injection, err);
}

const struct fl_factor fl_factor_kernel = {
    .name = "kernel",
    .summary = "the call under test; blas:SYMBOL is a symbol of the cell's library",
    .type = FL_FACTOR_TEXT,
    .check = check_kernel,
};

const struct fl_factor fl_factor_library = {
    .name = "library",
    .summary = "alias of the shared library that the kernel is called from",
    .type = FL_FACTOR_TEXT,
    .fallback = FL_OWN_LIBRARY,
    .check = check_library,
};

const struct fl_factor fl_factor_workspace = {
    .name = "workspace",
    .summary = "how the kernel gets scratch memory for one call",
    .type = FL_FACTOR_TEXT,
    .fallback = "malloc",
    .check = check_workspace,
};

const struct fl_factor fl_factor_malloc = {
    .name = "malloc",
    .summary = "which malloc the process runs on",
    .type = FL_FACTOR_TEXT,
    .fallback = "glibc",
    .check = check_malloc,
};

static const struct fl_factor factor_history = {
    .name = "history",
    .summary = "allocations before the cell: fresh, or steps such as dsyrk:448+512 or malloc:16M",
    .type = FL_FACTOR_TEXT,
    .fallback = "fresh",
    .check = check_history,
};

static const struct fl_factor factor_heap_offset = {
    .name = "heap-offset",
    .summary = "offset of the heap's top in its page before settling, bytes",
    .type = FL_FACTOR_BYTES,
    .fallback = "0",
    .min = 0,
    .max = 4080,
    .check = check_heap_offset,
};

static const char *const thp_words[] = {"off", "system", NULL};
static const struct fl_factor factor_thp = {
    .name = "thp",
    .summary =
        "transparent huge pages: off (but where a part advises them), or the system's setting",
    .type = FL_FACTOR_WORD,
    .fallback = "off",
    .words = thp_words,
};

static const char *const caller_words[] = {"main", "worker", NULL};
static const struct fl_factor factor_caller = {
    .name = "caller",
    .summary = "thread that makes the calls: main, or worker (a pthread, with an arena of its own)",
    .type = FL_FACTOR_WORD,
    .fallback = "main",
    .words = caller_words,
};

static const struct fl_factor factor_inject = {
    .name = "inject",
    .summary = "a known slow-down, to try a gate on: N makes every Nth call twice; faults:N, "
               "locks:N add a page fault or a mutex lock to it",
    .type = FL_FACTOR_TEXT,
    .fallback = "0",
    .check = check_inject,
};

const struct fl_factor *const fl_process_factors[] = {
    &factor_history, &factor_heap_offset, &factor_thp, &factor_caller,
    &fl_factor_hogs, &factor_inject,      NULL};
