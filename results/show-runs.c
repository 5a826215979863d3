/* SPDX-License-Identifier: Apache-2.0 */
/* The list of runs, and what became of a run's expectations. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "results/export.h"
#include "results/show.h"
#include "results/text.h"

struct fl_listing {
    FILE *out;
    struct fl_err *err;
    struct fl_arena arena; /* of the line being made */
    size_t held, all, undecided, published;
    bool want_all;
};

static const char *safe(struct fl_listing *listing, const char *text)
{
    const char *made = fl_text_for_terminal(&listing->arena, text ? text : "");

    return made ? made : "?";
}

static int end_line(struct fl_listing *listing)
{
    fl_arena_release(&listing->arena);
    return fl_export_check(listing->out, listing->err);
}

static int print_run(void *arg, const struct fl_run_record *run)
{
    struct fl_listing *listing = arg;
    char date[32] = "";
    time_t seconds = (time_t)(run->started_ns / 1000000000);
    struct tm parts;

    if (gmtime_r(&seconds, &parts))
        strftime(date, sizeof(date), "%Y-%m-%d %H:%M", &parts);
    fprintf(listing->out, "%4lld  %.8s  %-16s  %-11s  %5lld  %7lld  %s%s%s\n", (long long)run->id,
            safe(listing, run->uuid), date, fl_run_status_name(run->status), (long long)run->cells,
            (long long)run->samples, safe(listing, run->info.scenario),
            run->info.label && *run->info.label ? "  " : "", safe(listing, run->info.label));
    return end_line(listing);
}

int fl_show_runs(struct fl_store *store, FILE *out, struct fl_err *err)
{
    struct fl_listing listing = {.out = out, .err = err, .arena = {.heap = true}};

    errno = 0;
    fprintf(out, "%4s  %-8s  %-16s  %-11s  %5s  %7s  %s\n", "run", "uuid", "started (UTC)",
            "status", "cells", "samples", "scenario, label");
    int status = fl_store_runs(store, print_run, &listing, err);
    return status ? status : fl_export_flush(out, err);
}

static int count_expectation(void *arg, const struct fl_expectation *row, const char *key)
{
    struct fl_listing *listing = arg;

    (void)key;
    listing->all += !row->host;
    listing->held += row->held > 0;
    listing->undecided += row->held < 0 && !row->host;
    listing->published += row->host != NULL;
    return 0;
}

static const char *outcome(const struct fl_expectation *row)
{
    if (row->host)
        return "published";
    return row->held > 0 ? "held" : row->held < 0 ? "undecided" : "NOT HELD";
}

static int print_expectation(void *arg, const struct fl_expectation *row, const char *key)
{
    struct fl_listing *listing = arg;

    if ((row->held > 0 || row->host) && !listing->want_all)
        return 0;
    fprintf(listing->out, "%-9s  %s: %s", outcome(row), safe(listing, key ? key : row->rule),
            safe(listing, row->metric));
    if (row->host)
        fprintf(listing->out, " on %s %s,", safe(listing, row->host), safe(listing, row->expected));
    else
        fprintf(listing->out, " expected %s,", safe(listing, row->expected));
    fprintf(listing->out, " measured %s\n",
            row->measured ? safe(listing, row->measured) : "nothing");
    return end_line(listing);
}

int fl_show_expectations(struct fl_store *store, int64_t run, bool all, FILE *out,
                         struct fl_err *err)
{
    struct fl_listing listing = {.out = out, .err = err, .want_all = all, .arena = {.heap = true}};
    int status = fl_store_expectations(store, run, count_expectation, &listing, err);

    if (status || !(listing.all || listing.published))
        return status;
    errno = 0;
    fprintf(out, "expectations: %zu of %zu held", listing.held, listing.all);
    if (listing.undecided)
        fprintf(out, ", %zu could not be decided", listing.undecided);
    if (listing.published && !all)
        fprintf(out, "; %zu published figures (--expectations shows them beside ours)",
                listing.published);
    putc('\n', out);
    status = fl_store_expectations(store, run, print_expectation, &listing, err);
    return status ? status : fl_export_flush(out, err);
}
