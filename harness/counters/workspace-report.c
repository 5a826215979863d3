/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counter `workspace`: what a cure keeps. Bytes that the workspace holds between calls by its own
 * report, and the resident memory of the process, whose growth over the window shows what the
 * workspace does not know about (a malloc that keeps freed memory).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counter-help.h"
#include "emulated.h"

#define RSS_FILE "/proc/self/smaps_rollup"

/* A walk over the page tables at each edge: exact, where statm lags by a batch of pages for each
 * processor. The descriptor stays open so that an edge is one system call. */
struct report_state {
    const struct fl_workspace *workspace;
    int file; /* -1: not open */
    bool wants_growth;
    int64_t first, last; /* resident bytes; negative: -errno */
    char reason[FL_REASON_MAX];
    char text[2048];
};

enum { HELD, RSS, GROWTH };

#define ROW(name_, text_, source_, better_, mode_)                                                 \
    {                                                                                              \
        .name = name_, .unit = "bytes", .summary = text_, .source = source_,                       \
        .kind = FL_METRIC_LEVEL, .better = better_, .mode = mode_,                                 \
    }

static const struct fl_metric report_metrics[] = {
    [HELD] = ROW("held-bytes", "memory that the workspace keeps between calls",
                 "the workspace's own report", FL_LESS_IS_BETTER, FL_IN_EVERY_SAMPLE),
    [RSS] = ROW("rss-bytes", "resident memory of the process after the window", RSS_FILE " Rss",
                FL_LESS_IS_BETTER, FL_IN_EVERY_SAMPLE),
    [GROWTH] = ROW("rss-growth-bytes", "resident memory added between the edges of the window",
                   RSS_FILE " Rss", FL_LESS_IS_BETTER, FL_IN_COUNTING_SAMPLES),
};

static int64_t resident(struct report_state *s)
{
    if (s->file < 0)
        return s->file;
    ssize_t length = pread(s->file, s->text, sizeof(s->text) - 1, 0);
    if (length < 0)
        return -errno;
    s->text[length] = 0;
    const char *line = strstr(s->text, "\nRss:");
    return line ? strtoll(line + 5, NULL, 10) * 1024 : -EPROTO;
}

static void report_start(void *state)
{
    struct report_state *s = state;
    if (s->wants_growth)
        s->first = resident(s);
}

static void report_stop(void *state)
{
    struct report_state *s = state;
    if (s->wants_growth)
        s->last = resident(s);
}

static void read_resident(struct report_state *s, int64_t bytes, struct fl_reading *out)
{
    const char *emulated = fl_emulated();
    if (!emulated && bytes >= 0) {
        fl_reading_total(out, bytes);
        return;
    }
    if (!emulated)
        snprintf(s->reason, sizeof(s->reason), "cannot read '%s': %s: mount /proc to see it",
                 RSS_FILE, strerror((int)-bytes));
    fl_reading_without(out, FL_READING_UNAVAILABLE, emulated ? emulated : s->reason);
}

static void read_growth(struct report_state *s, struct fl_reading *out)
{
    int64_t failed = s->first < 0 ? s->first : s->last < 0 ? s->last : 0;
    read_resident(s, failed, out);
    if (out->state == FL_READING_OK)
        out->total = s->last - s->first;
}

static void report_read(void *state, const char *metric, struct fl_reading *out)
{
    struct report_state *s = state;
    switch (fl_metric_row(report_metrics, FL_COUNT_OF(report_metrics), metric)) {
    case HELD:
        if (s->workspace)
            fl_reading_total(out, (int64_t)s->workspace->ops->held(s->workspace->state));
        else
            fl_reading_without(out, FL_READING_NOT_OBSERVABLE, "the kernel takes no workspace");
        break;
    case RSS:
        read_resident(s, resident(s), out);
        break;
    default:
        read_growth(s, out);
    }
}

static int report_open(void *state, const struct fl_counter_env *env, struct fl_err *err)
{
    (void)err;
    struct report_state *s = state;
    memset(s, 0, sizeof(*s));
    s->workspace = env->workspace;
    s->wants_growth = fl_counter_wants(env, report_metrics[GROWTH].name);
    s->file = -EBADF;
    if (s->wants_growth || fl_counter_wants(env, report_metrics[RSS].name)) {
        s->file = open(RSS_FILE, O_RDONLY | O_CLOEXEC);
        if (s->file < 0)
            s->file = -errno;
    }
    report_start(s);
    report_stop(s);
    return 0;
}

static void report_close(void *state)
{
    struct report_state *s = state;
    if (s->file >= 0)
        close(s->file);
    s->file = -EBADF;
}

const struct fl_counter_ops fl_counter_workspace = {
    .part =
        {
            .name = "workspace",
            .summary = "memory kept between calls: the workspace's report and resident memory",
            .abi = FL_PART_ABI,
            .state_size = sizeof(struct report_state),
        },
    .metrics = report_metrics,
    .metric_count = FL_COUNT_OF(report_metrics),
    .open = report_open,
    .start = report_start,
    .stop = report_stop,
    .read = report_read,
    .close = report_close,
};
