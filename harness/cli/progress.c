/* SPDX-License-Identifier: Apache-2.0 */
/* How far a run is. */
#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "machine/busy.h"
#include "runner/forecast.h"

enum { BAR_WIDTH = 24, PLAIN_SECONDS = 10 };

/* Half a processor that others use, seen over a tenth of a second. */
#define LOOK_SECONDS    0.1
#define BUSY_PROCESSORS 0.5

double fl_progress_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void fl_progress_duration(double seconds, char *out, size_t size)
{
    long whole = (long)(seconds + 0.5);
    if (whole < 60)
        snprintf(out, size, "%lds", whole);
    else if (whole < 3600)
        snprintf(out, size, "%ldm%02lds", whole / 60, whole % 60);
    else
        snprintf(out, size, "%ldh%02ldm", whole / 3600, whole / 60 % 60);
}

static void time_left(const struct fl_progress_view *view, char *out, size_t size)
{
    size_t mine = view->done - view->done_before;
    if (!mine || view->total < view->done) {
        snprintf(out, size, "time left unknown");
        return;
    }
    char text[32];
    double each = (fl_progress_now() - view->started) / (double)mine;
    fl_progress_duration(each * (double)(view->total - view->done), text, sizeof text);
    snprintf(out, size, "%s left", text);
}

static int percent(const struct fl_progress_view *view)
{
    return view->done < view->total ? (int)(100 * view->done / view->total) : 100;
}

static void end_bar(struct fl_progress_view *view)
{
    if (view->bar_shown)
        fputs("\r\033[K", stderr);
    view->bar_shown = false;
}

static void show_bar(struct fl_progress_view *view)
{
    char bar[BAR_WIDTH + 1], left[48];
    int filled = percent(view) * BAR_WIDTH / 100;
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)filled);
    bar[BAR_WIDTH] = 0;
    time_left(view, left, sizeof left);
    fprintf(stderr, "\r\033[K[%s] %3d %%  %zu of %zu samples, %s", bar, percent(view), view->done,
            view->total, left);
    fflush(stderr);
    view->bar_shown = true;
}

/* Samples beyond the plan are of searches, or of counts that disagree: how many is not known. */
static void show_line(struct fl_progress_view *view)
{
    char left[48];
    if (fl_progress_now() - view->last_line < PLAIN_SECONDS && view->done != view->planned)
        return;
    view->last_line = fl_progress_now();
    if (view->done < view->total) {
        time_left(view, left, sizeof left);
        fprintf(stderr, "faultline: %zu of %zu samples, %s\n", view->done, view->total, left);
    } else {
        fprintf(stderr, "faultline: %zu samples%s\n", view->done,
                view->total > view->planned ? ", more where the run needs them" : "");
    }
}

static void show(struct fl_progress_view *view)
{
    if (view->quiet)
        return;
    if (view->terminal)
        show_bar(view);
    else
        show_line(view);
}

/* Of what is left, where the run was begun by an earlier process. */
static void foretell(const struct fl_progress_view *view, size_t cells)
{
    char text[32];
    double seconds = fl_forecast_seconds(view->foretold, cells);
    seconds *= (double)(view->total - view->done) / (double)view->total;
    fl_progress_duration(seconds < 1 ? 1 : seconds, text, sizeof text);
    fprintf(stderr, ", at least %s", text);
}

/* Times that are measured beside other work scatter; counts do not care. */
static void tell_busy(void)
{
    double busy = fl_busy_processors(LOOK_SECONDS);
    if (busy >= BUSY_PROCESSORS)
        fprintf(stderr,
                "faultline: note: others keep %.1f of %ld processors busy: times will scatter\n",
                busy, sysconf(_SC_NPROCESSORS_ONLN));
}

static void begin(void *arg, int64_t run, size_t cells, size_t done, size_t total)
{
    struct fl_progress_view *view = arg;
    view->started = fl_progress_now();
    view->last_line = view->started;
    view->done = view->done_before = done;
    view->total = view->planned = total;
    if (view->quiet)
        return;
    end_bar(view);
    fprintf(stderr, "faultline: run %lld: %zu cells, %zu samples", (long long)run, cells, total);
    if (done)
        fprintf(stderr, ", %zu of them stored already", done);
    if (view->foretold && total)
        foretell(view, cells);
    fputc('\n', stderr);
    if (total > done)
        tell_busy();
    view->started = fl_progress_now();
}

void fl_progress_tell_sample(struct fl_progress_view *view, const char *key,
                             enum fl_outcome outcome, const char *reason)
{
    if (outcome == FL_OUTCOME_OK)
        return;
    end_bar(view);
    fprintf(stderr, "faultline: %s: ", fl_outcome_name(outcome));
    fl_print_safe(stderr, key);
    fputs(": ", stderr);
    fl_print_safe(stderr, reason ? reason : "");
    fputc('\n', stderr);
}

bool fl_progress_is_due(struct fl_progress_view *view)
{
    if (!view->terminal && fl_progress_now() - view->last_line < PLAIN_SECONDS)
        return false;
    view->last_line = fl_progress_now();
    return true;
}

static void sample(void *arg, const char *key, size_t done, size_t total, enum fl_outcome outcome,
                   const char *reason)
{
    struct fl_progress_view *view = arg;
    view->done = done;
    view->total = total;
    fl_progress_tell_sample(view, key, outcome, reason);
    show(view);
}

static void waiting(void *arg, int holder, double seconds)
{
    struct fl_progress_view *view = arg;
    (void)seconds;
    if (view->waiting_told)
        return;
    view->waiting_told = true;
    if (holder)
        fprintf(stderr, "faultline: waiting: process %d is measuring on this machine\n", holder);
    else
        fputs("faultline: waiting: another measurement runs on this machine\n", stderr);
}

static void say(struct fl_progress_view *view, const char *kind, const char *text)
{
    end_bar(view);
    fprintf(stderr, "faultline: %s: ", kind);
    fl_print_safe(stderr, text);
    fputc('\n', stderr);
}

static void note(void *arg, const char *text)
{
    say(arg, "note", text);
}

static void warning(void *arg, const char *text)
{
    say(arg, "warning", text);
}

void fl_progress_init(struct fl_progress_view *view, bool quiet, struct fl_progress *progress)
{
    *view = (struct fl_progress_view){.terminal = isatty(STDERR_FILENO), .quiet = quiet};
    *progress = (struct fl_progress){begin, sample, waiting, note, warning, view};
}

void fl_progress_end(struct fl_progress_view *view)
{
    end_bar(view);
}
