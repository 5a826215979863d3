/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counter `probe`: mutexes and malloc calls of all threads, counted by libfaultline-probe.so.
 *
 * Interposing sees a call only where it is bound through the dynamic linker to the probe. What
 * cannot be seen is reported as such: no probe, a probe that stands behind another malloc, a
 * library under test that imports none of the functions.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "counter-help.h"
#include "faultline/probe.h"
#include "symbol-imports.h"

enum { FIRST, LAST };

struct probe_state {
    fl_probe_read_fn totals; /* NULL: not preloaded */
    int refused;             /* -errno of the probe's ABI */
    const char *library;
    struct fl_probe_totals edge[2];
    char reason[FL_REASON_MAX];
};

enum { LOCKS, CONTENDED, SHARE, WAIT, MALLOCS, FREES, BYTES };

#define ROW(name_, unit_, kind_, text, source_)                                                    \
    {                                                                                              \
        .name = name_, .unit = unit_, .summary = text, .source = source_, .kind = kind_,           \
        .better = FL_LESS_IS_BETTER, .mode = FL_IN_COUNTING_SAMPLES,                               \
    }
#define MUTEX_SOURCE  "libfaultline-probe.so on pthread_mutex_*, pthread_cond_*wait, mtx_*, cnd_*"
#define MALLOC_SOURCE "libfaultline-probe.so on the malloc family and C++ operator new"
#define FREE_SOURCE   "libfaultline-probe.so on free and C++ operator delete"

static const struct fl_metric probe_metrics[] = {
    [LOCKS] =
        ROW("pthread-mutex-locks", "locks", FL_METRIC_EXACT,
            "pthread and C11 mutexes taken, a condition wait's relock included", MUTEX_SOURCE),
    [CONTENDED] = ROW("pthread-mutex-contended", "locks", FL_METRIC_NOISY_COUNT,
                      "mutexes taken that somebody held at the first try", MUTEX_SOURCE),
    [SHARE] = {.name = "pthread-mutex-contended-share",
               .unit = "%",
               .summary = "share of the mutexes taken that somebody held at the first try",
               .source = MUTEX_SOURCE,
               .kind = FL_METRIC_TIMED,
               .better = FL_LESS_IS_BETTER,
               .mode = FL_IN_COUNTING_SAMPLES,
               .ratio = true},
    [WAIT] = ROW("pthread-mutex-wait", "ns", FL_METRIC_TIMED,
                 "time that the contended ones took, summed over the threads", MUTEX_SOURCE),
    [MALLOCS] = ROW("malloc-calls", "calls", FL_METRIC_EXACT,
                    "calls that ask for memory: malloc family, operator new", MALLOC_SOURCE),
    [FREES] =
        ROW("free-calls", "calls", FL_METRIC_EXACT,
            "calls that give memory back: free, operator delete, of no null pointer", FREE_SOURCE),
    [BYTES] = ROW("malloc-bytes", "bytes", FL_METRIC_EXACT, "bytes asked for in malloc-calls",
                  MALLOC_SOURCE),
};

static const char *const mutex_symbols[] = {
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_mutex_clocklock",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "mtx_lock",
    "mtx_trylock",
    "mtx_timedlock",
    "cnd_wait",
    "cnd_timedwait",
    NULL,
};

static const char *const malloc_symbols[] = {
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "posix_memalign",
    "aligned_alloc",
    "memalign",
    "valloc",
    "pvalloc",
    "_Znwm",
    "_Znam",
    "_ZnwmRKSt9nothrow_t",
    "_ZnamRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZnamSt11align_val_t",
    "_ZnwmSt11align_val_tRKSt9nothrow_t",
    "_ZnamSt11align_val_tRKSt9nothrow_t",
    NULL,
};

static bool is_mutex_row(size_t row)
{
    return row <= WAIT;
}

static int64_t field(const struct fl_probe_totals *totals, size_t row)
{
    const uint64_t fields[] = {
        [LOCKS] = totals->mutex_locks,
        [CONTENDED] = totals->mutex_contended,
        [SHARE] = 0, /* of two others */
        [WAIT] = totals->mutex_wait_ns,
        [MALLOCS] = totals->malloc_calls,
        [FREES] = totals->free_calls,
        [BYTES] = totals->malloc_bytes,
    };
    return (int64_t)fields[row];
}

static int64_t difference(const struct probe_state *s, size_t row)
{
    return field(&s->edge[LAST], row) - field(&s->edge[FIRST], row);
}

static void probe_start(void *state)
{
    struct probe_state *s = state;
    if (s->totals)
        s->refused = s->totals(FL_PROBE_ABI, &s->edge[FIRST]);
}

static void probe_stop(void *state)
{
    struct probe_state *s = state;
    if (s->totals)
        s->refused = s->totals(FL_PROBE_ABI, &s->edge[LAST]);
}

/*
 * The self-test: whom does a call of `symbol` reach? It is looked up as any library's call is, so
 * that nothing has to be allocated to find out. Null: the probe.
 */
static const char *served_by_other(const struct probe_state *s, const char *symbol, Dl_info *other)
{
    Dl_info probe;
    void *own = NULL;
    memcpy(&own, &s->totals, sizeof(own));
    void *reached = dlsym(RTLD_DEFAULT, symbol);
    if (!reached || !dladdr(own, &probe) || !dladdr(reached, other) ||
        probe.dli_fbase == other->dli_fbase)
        return NULL;
    return other->dli_fname;
}

/* NULL, or why the probe does not count this row. */
static const char *not_counting(struct probe_state *s, size_t row)
{
    if (!s->totals)
        return "libfaultline-probe.so is not preloaded (nor can it be under a sanitizer): set "
               "LD_PRELOAD=libfaultline-probe.so for the process";
    if (s->refused)
        return "libfaultline-probe.so is of another version: install it together with the worker";
    const char *symbol = is_mutex_row(row) ? "pthread_mutex_lock" : "malloc";
    Dl_info other;
    const char *name = served_by_other(s, symbol, &other);
    if (!name)
        return NULL;
    snprintf(s->reason, sizeof(s->reason),
             "'%s' reaches '%s' in front of the probe: put libfaultline-probe.so first in "
             "LD_PRELOAD",
             symbol, name);
    return s->reason;
}

/* Called for a total of 0: is it one, or was there nothing to see? */
static const char *not_observable(struct probe_state *s, size_t row)
{
    if (!s->library)
        return NULL; /* the harness's own code is bound to the probe */
    int found = fl_imports_any(s->library, is_mutex_row(row) ? mutex_symbols : malloc_symbols);
    if (found == 1)
        return NULL;
    if (found == -ENOENT)
        snprintf(s->reason, sizeof(s->reason),
                 "'%s' is not loaded, so that its imports cannot be read", s->library);
    else
        snprintf(s->reason, sizeof(s->reason),
                 "neither '%s' nor what it needs imports a %s function: it may have its own",
                 s->library, is_mutex_row(row) ? "mutex" : "malloc");
    return s->reason;
}

/* No share of nothing. */
static void read_share(const struct probe_state *s, struct fl_reading *out)
{
    double contended = (double)difference(s, CONTENDED), locks = (double)difference(s, LOCKS);
    if (locks > 0)
        *out = (struct fl_reading){
            .state = FL_READING_OK, .ratio = 100 * contended / locks, .scale = 1};
    else
        fl_reading_without(out, FL_READING_NOT_OBSERVABLE, "no mutex was taken in the window");
}

static void probe_read(void *state, const char *metric, struct fl_reading *out)
{
    struct probe_state *s = state;
    size_t row = fl_metric_row(probe_metrics, FL_COUNT_OF(probe_metrics), metric);
    const char *why = not_counting(s, row);
    if (why) {
        fl_reading_without(out, FL_READING_UNAVAILABLE, why);
        return;
    }
    int64_t total = difference(s, row);
    /* The first row of each half counts calls: where it is 0 the others are. */
    if (!total && !difference(s, is_mutex_row(row) ? LOCKS : MALLOCS))
        why = not_observable(s, row);
    if (why)
        fl_reading_without(out, FL_READING_NOT_OBSERVABLE, why);
    else if (row == SHARE)
        read_share(s, out);
    else
        fl_reading_total(out, total);
}

static int probe_open(void *state, const struct fl_counter_env *env, struct fl_err *err)
{
    (void)err;
    struct probe_state *s = state;
    memset(s, 0, sizeof(*s));
    s->library = env->library;
    void *symbol = dlsym(RTLD_DEFAULT, FL_PROBE_READ);
    memcpy(&s->totals, &symbol, sizeof(symbol)); /* POSIX lets dlsym return functions, C no cast */
    probe_start(s);
    probe_stop(s);
    return 0;
}

static void probe_close(void *state)
{
    (void)state;
}

const struct fl_counter_ops fl_counter_probe = {
    .part =
        {
            .name = "probe",
            .summary = "mutexes taken and memory asked for, by the preloaded probe, all threads",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct probe_state),
        },
    .metrics = probe_metrics,
    .metric_count = FL_COUNT_OF(probe_metrics),
    .open = probe_open,
    .start = probe_start,
    .stop = probe_stop,
    .read = probe_read,
    .close = probe_close,
};
