/* SPDX-License-Identifier: Apache-2.0 */
/* What is compared with what; compare-rows.c makes the rows, results/verdict.c judges them. */
#include "results/compare.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "compare-rows.h"
#include "results/text.h"

struct comparer {
    struct fl_store *store;
    struct fl_series_set base, head; /* head stays empty for levels of one run */
    struct fl_matches matches;
    struct fl_compare_of of;
    struct fl_err *err;
};

static int out_of_memory(struct fl_err *err)
{
    return fl_fail(err, -ENOMEM, "cannot compare: out of memory");
}

static int begin(struct comparer *c, int64_t base, int64_t head)
{
    struct fl_compare *out = c->of.out;
    int rc;

    *out = (struct fl_compare){.base_run = base, .head_run = head};
    rc = fl_series_read(c->store, base, &c->base, c->err);
    if (!rc && head != base)
        rc = fl_series_read(c->store, head, &c->head, c->err);
    c->of.base = &c->base;
    c->of.head = head == base ? &c->base : &c->head;
    c->of.store = c->store;
    c->of.matches = &c->matches;
    c->of.err = c->err;
    c->matches.base = &c->of.base->plan;
    c->matches.head = &c->of.head->plan;
    c->matches.arena = &out->arena;
    return rc;
}

static int finish(struct comparer *c, int rc)
{
    if (!rc)
        rc = fl_compare_make_rows(&c->of);
    fl_series_release(&c->base);
    fl_series_release(&c->head);
    if (rc)
        fl_compare_release(c->of.out);
    return rc;
}

static int name_sides(struct comparer *c, const char *title, const char *base, const char *head)
{
    struct fl_compare *out = c->of.out;

    out->title = fl_text_copy(&out->arena, title);
    out->base = fl_text_copy(&out->arena, base);
    out->head = fl_text_copy(&out->arena, head);
    return out->title && out->base && out->head ? 0 : out_of_memory(c->err);
}

/* ---- two runs ---- */

/* "run 3", or "run 3 (before)". */
static void name_run(const struct fl_summary *plan, char *text, size_t size)
{
    const char *label = plan->run.info.label;

    if (label)
        snprintf(text, size, "run %lld (%.80s)", (long long)plan->run.id, label);
    else
        snprintf(text, size, "run %lld", (long long)plan->run.id);
}

static int compare_unpaired(struct comparer *c)
{
    struct fl_compare *out = c->of.out;
    char base[128], head[128], title[300];

    c->of.unpaired = "rounds of two runs are no pairs";
    out->warning = "Rounds of two runs are no pairs: times are shown, not judged. Their intervals "
                   "hold what varied within each run, and nothing of what was different between "
                   "them. `faultline ab` judges times.";
    name_run(&c->of.base->plan, base, sizeof(base));
    name_run(&c->of.head->plan, head, sizeof(head));
    snprintf(title, sizeof(title), "%s against %s", head, base);
    int rc = name_sides(c, title, base, head);
    return rc ? rc : fl_match_keys(&c->matches, c->err);
}

struct found_pairing {
    struct fl_compare *out;
    int64_t id, base, head;
    enum fl_pairing_purpose purpose;
    size_t planned;
    double tolerance, detect;
    const char *base_side, *head_side;
};

static int keep_pairing(void *arg, const struct fl_pairing *pairing)
{
    struct found_pairing *found = arg;

    *found = (struct found_pairing){
        .out = found->out,
        .id = pairing->id,
        .base = pairing->base,
        .head = pairing->head,
        .purpose = pairing->purpose,
        .planned = pairing->planned,
        .tolerance = pairing->tolerance,
        .detect = pairing->detect,
        .base_side = fl_text_copy(&found->out->arena, pairing->base_side),
        .head_side = fl_text_copy(&found->out->arena, pairing->head_side),
    };
    return found->base_side && found->head_side ? 0 : -ENOMEM;
}

static const char *warning_of(const struct comparer *c, enum fl_pairing_purpose purpose)
{
    enum fl_run_status base = c->of.base->plan.run.status, head = c->of.head->plan.run.status;

    if (base != FL_RUN_FINISHED || head != FL_RUN_FINISHED)
        return "The run is not finished: pairs and verdicts are those of now.";
    if (purpose == FL_PAIRING_CALIBRATE)
        return "A calibration: both sides are the same, and what differs is noise and bias.";
    return NULL;
}

static int compare_paired(struct comparer *c, const struct found_pairing *pairing, bool swapped)
{
    struct fl_compare *out = c->of.out;
    char title[FL_ERR_MAX];

    out->paired = true;
    out->planned = pairing->planned;
    out->warning = warning_of(c, pairing->purpose);
    c->of.tolerance = pairing->tolerance;
    c->of.detect = pairing->detect;
    out->base = swapped ? pairing->head_side : pairing->base_side;
    out->head = swapped ? pairing->base_side : pairing->head_side;
    snprintf(title, sizeof(title), "run %lld against run %lld: %.300s against %.300s",
             (long long)out->head_run, (long long)out->base_run, out->head, out->base);
    out->title = fl_text_copy(&out->arena, title);
    if (!out->title)
        return out_of_memory(c->err);
    return fl_match_pairing(&c->matches, c->store, pairing->id, swapped, c->err);
}

int fl_compare_runs(struct fl_store *store, int64_t base, int64_t head,
                    const struct fl_compare_options *options, struct fl_compare *out,
                    struct fl_err *err)
{
    struct comparer c = {.store = store, .err = err, .of = {.options = options, .out = out}};
    struct found_pairing found = {.out = out};
    int rc = begin(&c, base, head);

    if (rc)
        return finish(&c, rc);
    rc = fl_pairing_of_run(store, base, keep_pairing, &found, err);
    if (rc == -ENOENT)
        rc = 0;
    if (rc == -ENOMEM)
        rc = out_of_memory(err);
    bool straight = found.base == base && found.head == head;
    bool swapped = found.base == head && found.head == base;
    if (!rc)
        rc = straight || swapped ? compare_paired(&c, &found, swapped) : compare_unpaired(&c);
    return finish(&c, rc);
}

int fl_compare_pairing(struct fl_store *store, int64_t run,
                       const struct fl_compare_options *options, struct fl_compare *out,
                       struct fl_err *err)
{
    struct fl_compare sides = {.count = 0};
    struct found_pairing found = {.out = &sides};
    int rc = fl_pairing_of_run(store, run, keep_pairing, &found, err);

    fl_compare_release(&sides);
    *out = sides;
    if (rc)
        return rc == -ENOMEM ? out_of_memory(err) : rc;
    return fl_compare_runs(store, found.base, found.head, options, out, err);
}

/* ---- two levels ---- */

/* A file of another program has its repetitions one after the other: no round holds both sides. */
static void set_pairs_of_levels(struct comparer *c)
{
    enum fl_run_origin origin = c->base.plan.run.info.origin;

    c->of.out->paired = origin == FL_ORIGIN_MEASURED || origin == FL_ORIGIN_FAULTLINE;
    if (c->of.out->paired)
        return;
    c->of.unpaired = "rounds of imported files are no pairs";
    c->of.out->warning = "Rounds of imported files are no pairs: times are shown, not judged.";
}

int fl_compare_levels(struct fl_store *store, const struct fl_compare_levels *levels,
                      const struct fl_compare_options *options, struct fl_compare *out,
                      struct fl_err *err)
{
    struct comparer c = {.store = store, .err = err, .of = {.options = options, .out = out}};
    char title[FL_ERR_MAX], base[200], head[200];
    int rc = begin(&c, levels->run, levels->run);

    if (!rc)
        set_pairs_of_levels(&c);
    snprintf(base, sizeof(base), "%.80s=%.80s", levels->by, levels->base);
    snprintf(head, sizeof(head), "%.80s=%.80s", levels->by, levels->head);
    snprintf(title, sizeof(title), "run %lld: %s against %.80s", (long long)levels->run, head,
             levels->base);
    if (!rc)
        rc = name_sides(&c, title, base, head);
    if (!rc)
        rc = fl_match_levels(&c.matches, levels, err);
    return finish(&c, rc);
}

void fl_compare_release(struct fl_compare *compare)
{
    fl_arena_release(&compare->arena);
    *compare = (struct fl_compare){.count = 0};
}
