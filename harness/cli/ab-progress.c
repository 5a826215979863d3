/* SPDX-License-Identifier: Apache-2.0 */
/* How far an A/B run is. */
#include "ab-progress.h"

#include <stdio.h>

#include "command.h"

static void begin(void *arg, int64_t run, size_t cells, size_t done, size_t total)
{
    struct fl_ab_view *ab = arg;
    (void)total;
    ab->view.last_line = fl_progress_now();
    if (ab->view.quiet)
        return;
    fl_progress_end(&ab->view);
    fprintf(stderr, "faultline: %s: runs %lld and %lld: %zu pairs of cells", ab->what,
            (long long)run, (long long)run + 1, cells);
    if (done)
        fprintf(stderr, ", %zu samples of them stored already", done);
    fputc('\n', stderr);
}

static void sample(void *arg, const char *key, size_t done, size_t total, enum fl_outcome outcome,
                   const char *reason)
{
    struct fl_ab_view *ab = arg;
    (void)total;
    ab->counted = done;
    fl_progress_tell_sample(&ab->view, key, outcome, reason);
    if (ab->timing || ab->view.quiet || !fl_progress_is_due(&ab->view))
        return;
    fprintf(stderr,
            ab->view.terminal ? "\r\033[Kcounting: %zu samples"
                              : "faultline: counting: %zu samples\n",
            done);
    ab->view.bar_shown = ab->view.terminal;
}

static void waiting(void *arg, int holder, double seconds)
{
    struct fl_ab_view *ab = arg;
    ab->common.waiting(&ab->view, holder, seconds);
}

static void note(void *arg, const char *text)
{
    struct fl_ab_view *ab = arg;
    ab->common.note(&ab->view, text);
}

static void warning(void *arg, const char *text)
{
    struct fl_ab_view *ab = arg;
    ab->common.warning(&ab->view, text);
}

static void predicted(void *arg, const struct fl_ab_forecast *forecast)
{
    struct fl_ab_view *ab = arg;
    if (ab->view.quiet || !forecast->cells)
        return;
    char time[32];
    fl_progress_duration(forecast->seconds, time, sizeof time);
    fprintf(stderr, "faultline: predicted: %s of timed rounds for %zu cells that lost nothing",
            time, forecast->cells);
    if (forecast->calibrated == forecast->cells)
        fputs(", by a calibration\n", stderr);
    else if (forecast->calibrated)
        fprintf(stderr, ", by a calibration for %zu of them and as on a quiet machine else\n",
                forecast->calibrated);
    else
        fputs(", on a quiet machine; `faultline calibrate` makes that exact\n", stderr);
}

static void standing(void *arg, const struct fl_ab_standing *now)
{
    struct fl_ab_view *ab = arg;
    char spent[32], budget[48] = "";
    ab->timing = true;
    if (ab->view.quiet || !fl_progress_is_due(&ab->view))
        return;
    fl_progress_duration(now->spent, spent, sizeof spent);
    if (now->budget > 0) {
        char text[32];
        fl_progress_duration(now->budget, text, sizeof text);
        snprintf(budget, sizeof budget, " of %s", text);
    }
    fprintf(stderr, "%sround %d: %zu of %zu cells decided%s, %s%s spent%s",
            ab->view.terminal ? "\r\033[K" : "faultline: ", now->rounds, now->decided, now->cells,
            now->suite ? "" : ", all together not yet", spent, budget,
            ab->view.terminal ? "" : "\n");
    fflush(stderr);
    ab->view.bar_shown = ab->view.terminal;
}

void fl_ab_progress_init(struct fl_ab_view *view, const char *what, bool quiet,
                         struct fl_ab_progress *progress)
{
    *view = (struct fl_ab_view){.what = what};
    fl_progress_init(&view->view, quiet, &view->common);
    *progress = (struct fl_ab_progress){
        .common = {begin, sample, waiting, note, warning, view},
        .predicted = predicted,
        .standing = standing,
    };
}

void fl_ab_progress_end(struct fl_ab_view *view)
{
    fl_progress_end(&view->view);
}
