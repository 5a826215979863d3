/* SPDX-License-Identifier: Apache-2.0 */
#include "replay-report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "faultline/reals.h"
#include "proportion.h"

#define FAR 0.0953 /* log of 1.1 */

static double percent(size_t part, size_t all)
{
    return all ? 100.0 * (double)part / (double)all : (double)NAN;
}

static void print_limits(const struct fl_gate_condition *condition, FILE *out)
{
    fprintf(out, "| %g, %g | ", condition->tolerance, condition->detect);
}

/* ---- what was recorded ---- */

struct cell_noise {
    double pair, single, lean; /* percent: robust deviations, and the median of losses */
    double far;                /* share */
};

/* 1.4826 times the median distance from the median, which comes back, too. */
static double robust_deviation(double *values, size_t count, double *middle)
{
    *middle = fl_reals_median(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - *middle);
    return 1.4826 * fl_reals_median(values, count);
}

static struct cell_noise measure(const struct fl_pair_table *table, size_t cell, double *scratch)
{
    const size_t count = table->rounds, from = cell * count;
    struct cell_noise noise = {.far = 0};
    double middle;

    for (size_t i = 0; i < count; i++) {
        scratch[i] = table->losses[from + i];
        noise.far += fabs(scratch[i]) > FAR ? 1.0 / (double)count : 0;
    }
    noise.pair = 100 * robust_deviation(scratch, count, &middle);
    noise.lean = 100 * middle;
    for (size_t i = 0; i < count; i++)
        scratch[i] = log(table->base[from + i]);
    noise.single = 100 * robust_deviation(scratch, count, &middle);
    return noise;
}

static void print_noise(const struct fl_pair_table *table, double *scratch, double *pairs,
                        FILE *out)
{
    fprintf(out, "| cell | SD of a pair | SD of a process | off by > 10 %% | lean |\n"
                 "| --- | ---: | ---: | ---: | ---: |\n");
    for (size_t c = 0; c < table->cells; c++) {
        const struct cell_noise noise = measure(table, c, scratch);
        pairs[c] = noise.pair;
        fprintf(out, "| `%s` | %.2f %% | %.1f %% | %.1f %% | %+.2f %% |\n", table->keys[c],
                noise.pair, noise.single, 100 * noise.far, noise.lean);
    }
}

int fl_replay_print_table(const struct fl_pair_table *table, FILE *out)
{
    double *scratch = calloc(table->rounds, sizeof(*scratch));
    double *pairs = calloc(table->cells, sizeof(*pairs));
    int rc = scratch && pairs ? 0 : -ENOMEM;

    if (!rc) {
        fprintf(out,
                "Host `%s`%s%s: %zu pairs of each of %zu cells, settle %g ms, window %g ms, "
                "%.0f ms a pair, %zu planned tests",
                table->host, table->cpu ? ", " : "", table->cpu ? table->cpu : "", table->rounds,
                table->cells, 1e3 * table->settle, 1e3 * table->window, 1e3 * table->seconds,
                table->planned);
        if (table->cut || table->left_out)
            fprintf(out, "; %zu rounds that lack a pair and %zu cells left out", table->cut,
                    table->left_out);
        fputs(".\n\n", out);
        print_noise(table, scratch, pairs, out);
        const double middle = fl_reals_median(pairs, table->cells);
        fprintf(out, "\nSD of a pair, middle cell: %.2f %%; noisiest: %.2f %%.\n\n", middle,
                pairs[table->cells - 1]);
    }
    free(scratch);
    free(pairs);
    return rc;
}

/* ---- false alarms ---- */

static bool is_null(const struct fl_gate_condition *condition)
{
    return condition->slower <= condition->tolerance;
}

static const char *labels_of(const struct fl_gate_condition *condition)
{
    return condition->as_recorded ? "as recorded" : "drawn";
}

void fl_replay_print_false(const struct fl_replay_result *results, size_t count, FILE *out)
{
    fprintf(out,
            "| τ, δ (%%) | slower, cells | labels | false runs | rate at most (95 %%) | not all "
            "pass | inconclusive | mean seconds |\n"
            "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < count; i++) {
        const struct fl_replay_tally *t = &results[i].gates;
        if (!is_null(&t->condition))
            continue;
        print_limits(&t->condition, out);
        fprintf(out, "%g %%, %zu | %s | %zu / %zu | %.2f %% | %.2f %% | %.2f %% | %.0f |\n",
                t->condition.slower, t->condition.slowed, labels_of(&t->condition), t->false_alarms,
                t->gates, 100 * fl_proportion_upper(t->false_alarms, t->gates),
                percent(t->gates - t->passed, t->gates), percent(t->open, t->gates), t->seconds);
    }
    fputc('\n', out);
}

/* ---- power ---- */

void fl_replay_print_power(const struct fl_replay_result *results, size_t count, size_t cells,
                           FILE *out)
{
    size_t slowed = 0;

    for (size_t i = 0; i < count; i++)
        slowed += results[i].gates.slowed;
    if (!slowed)
        return;
    fprintf(out,
            "| τ, δ (%%) | slower | cells | slowed cells found | worst cell | gates that alarm | "
            "inconclusive gates | wrong cell alarmed | mean seconds |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < count; i++) {
        const struct fl_replay_tally *t = &results[i].gates;
        if (is_null(&t->condition))
            continue;
        print_limits(&t->condition, out);
        fprintf(out, "%g %% | %zu | %.1f %% | %.0f %% | %.1f %% | %.1f %% | %zu / %zu | %.0f |\n",
                t->condition.slower, t->condition.slowed, 100 * fl_replay_power(t),
                100 * fl_replay_worst_power(t, cells), percent(t->alarmed, t->gates),
                percent(t->open, t->gates), t->false_alarms, t->gates, t->seconds);
    }
    fputc('\n', out);
}

/* ---- beside it ---- */

static void print_share(size_t part, size_t all, FILE *out)
{
    if (all)
        fprintf(out, " | %.1f %%", percent(part, all));
    else
        fputs(" | -", out);
}

void fl_replay_print_unpaired(const struct fl_replay_result *results, size_t count, FILE *out)
{
    fprintf(out,
            "| same time as τ, δ (%%) | slower | cells | rounds | equal cells flagged | and > %d "
            "%% slower | runs flagged | and > %d %% slower | slowed cells flagged | and > %d %% "
            "slower |\n"
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
            FL_UNPAIRED_FLOOR, FL_UNPAIRED_FLOOR, FL_UNPAIRED_FLOOR);
    for (size_t i = 0; i < count; i++) {
        const struct fl_unpaired_tally *u = &results[i].unpaired;
        if (!u->runs)
            continue;
        print_limits(&u->condition, out);
        fprintf(out, "%g %% | %zu | %zu", u->condition.slower, u->condition.slowed, u->rounds);
        print_share(u->flagged, u->cells, out);
        print_share(u->slower, u->cells, out);
        print_share(u->flagged_runs, u->runs, out);
        print_share(u->slower_runs, u->runs, out);
        print_share(u->found, u->slowed, out);
        print_share(u->found_slower, u->slowed, out);
        fputs(" |\n", out);
    }
    fputc('\n', out);
}

void fl_replay_print_coverage(const struct fl_coverage *rows, size_t count, FILE *out)
{
    fprintf(out, "| pairs | intervals | hold no change | worst cell | nominal |\n"
                 "| ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "| %zu | %zu | %.1f %% ± %.1f | %.1f %% | %.1f %% |\n", rows[i].pairs,
                rows[i].intervals, 100 * rows[i].share, 196 * rows[i].error, 100 * rows[i].worst,
                100 * rows[i].nominal);
    fputc('\n', out);
}

/* ---- for plots ---- */

void fl_replay_print_csv(const struct fl_replay_result *results, size_t count, size_t cells,
                         FILE *out)
{
    fputs(
        "tolerance,detect,slower,slowed,labels,gates,false_alarms,false_upper,alarmed,passed,open,"
        "power,worst_power,suite_alarms,seconds,unpaired_rounds,unpaired_runs,flagged_runs,"
        "slower_runs,flagged_cells,slower_cells,flagged_slowed,slower_slowed\n",
        out);
    for (size_t i = 0; i < count; i++) {
        const struct fl_replay_tally *t = &results[i].gates;
        const struct fl_unpaired_tally *u = &results[i].unpaired;
        const struct fl_gate_condition *c = &t->condition;
        fprintf(out, "%g,%g,%g,%zu,%s,%zu,%zu,%.6f,%zu,%zu,%zu,%.5f,%.5f,%zu,%.2f,", c->tolerance,
                c->detect, c->slower, c->slowed, labels_of(c), t->gates, t->false_alarms,
                fl_proportion_upper(t->false_alarms, t->gates), t->alarmed, t->passed, t->open,
                fl_replay_power(t), fl_replay_worst_power(t, cells), t->suite_alarms, t->seconds);
        fprintf(out, "%zu,%zu,%zu,%zu,%.5f,%.5f,%.5f,%.5f\n", u->rounds, u->runs, u->flagged_runs,
                u->slower_runs, percent(u->flagged, u->cells) / 100,
                percent(u->slower, u->cells) / 100, percent(u->found, u->slowed) / 100,
                percent(u->found_slower, u->slowed) / 100);
    }
}
