/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a gate cries wolf, and what it finds: thousands of gates replayed from the pairs of an
 * A/B run of two equal sides. Prints the tables of docs/detection.md as Markdown.
 *
 *   detection-replay STORE [--pairing N] [--gates N] [--power-gates N] [--budget S] [--pair S]
 *                          [--seed N] [--csv FILE]
 *
 * --pair: seconds that a pair takes, in place of those that were measured.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "replay-report.h"

enum { LIMITS = 2, SIZES = 6, SHARES = 3, MOST = LIMITS * (2 + (SIZES - 1) * SHARES) };

struct options {
    const char *store, *csv;
    long pairing, gates, power_gates;
    double budget, pair;
    unsigned long long seed;
};

struct study {
    struct options options;
    struct fl_pair_table table;
    struct fl_gate_condition conditions[MOST];
    struct fl_replay_result results[MOST];
    size_t count, done;
    struct timespec told;
};

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "detection-replay: %s: %s\n", what, why);
    return 2;
}

/* ---- options ---- */

static int take(struct options *o, int letter, const char *text)
{
    char *end = NULL;

    switch (letter) {
    case 'p':
        o->pairing = strtol(text, &end, 10);
        break;
    case 'g':
        o->gates = strtol(text, &end, 10);
        break;
    case 'w':
        o->power_gates = strtol(text, &end, 10);
        break;
    case 's':
        o->seed = strtoull(text, &end, 10);
        break;
    case 'b':
        o->budget = strtod(text, &end);
        break;
    case 't':
        o->pair = strtod(text, &end);
        break;
    case 'c':
        o->csv = text;
        return 0;
    default:
        return 1;
    }
    return end == text || *end;
}

static int take_all(struct options *o, int argc, char **argv)
{
    static const struct option table[] = {{"pairing", 1, NULL, 'p'},     {"gates", 1, NULL, 'g'},
                                          {"power-gates", 1, NULL, 'w'}, {"seed", 1, NULL, 's'},
                                          {"budget", 1, NULL, 'b'},      {"pair", 1, NULL, 't'},
                                          {"csv", 1, NULL, 'c'},         {NULL, 0, NULL, 0}};
    int letter;

    while ((letter = getopt_long(argc, argv, "", table, NULL)) != -1)
        if (take(o, letter, optarg))
            return fail("options", "see the head of detection-replay.c");
    if (optind != argc - 1 || o->gates < 1 || o->power_gates < 0 || o->budget <= 0 || o->pair < 0)
        return fail("options", "needs one STORE, at least one gate and a budget above 0");
    o->store = argv[optind];
    return 0;
}

/* ---- conditions ---- */

static void add(struct study *study, double tolerance, double detect, double slower, size_t slowed)
{
    study->conditions[study->count++] = (struct fl_gate_condition){
        .tolerance = tolerance,
        .detect = detect,
        .slower = slower,
        .slowed = slowed,
        .budget = study->options.budget,
    };
}

static void add_limits(struct study *study, double tolerance, double detect)
{
    static const double sizes[SIZES] = {0, 0.5, 1, 2, 5, 10};
    const size_t cells = study->table.cells;
    const size_t shares[SHARES] = {1, cells < 6 ? cells : 6, cells};

    add(study, tolerance, detect, 0, 0);
    add(study, tolerance, detect, 0, 0);
    study->conditions[study->count - 1].as_recorded = true;
    for (size_t i = 1; i < SIZES && study->options.power_gates; i++)
        for (size_t k = 0; k < SHARES; k++)
            add(study, tolerance, detect, sizes[i], shares[k]);
}

/* ---- replaying ---- */

static void tell(void *arg, const struct fl_replay_tally *so_far)
{
    struct study *study = arg;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - study->told.tv_sec < 5)
        return;
    study->told = now;
    fprintf(stderr, "detection-replay: condition %zu of %zu, gate %zu\n", study->done + 1,
            study->count, so_far->gates);
}

static int replay_one(struct study *study, size_t at)
{
    const struct fl_pair_table *table = &study->table;
    const struct fl_gate_condition *condition = &study->conditions[at];
    const struct fl_replay_teller teller = {tell, study};
    struct fl_replay_result *result = &study->results[at];
    const long gates = condition->slowed ? study->options.power_gates : study->options.gates;
    const uint64_t seed = study->options.seed + at * 1000003;
    int rc = fl_replay_tally(table, condition, seed, (size_t)gates, &teller, &result->gates);

    if (rc || condition->as_recorded)
        return rc;
    const double rounds = result->gates.seconds / table->seconds / (double)table->cells;
    return fl_unpaired_tally(table, condition, (size_t)(rounds + 0.5), seed, (size_t)gates,
                             &result->unpaired);
}

static int replay(struct study *study)
{
    int rc = 0;

    add_limits(study, 0.5, 2);
    add_limits(study, 1, 5);
    for (; study->done < study->count && !rc; study->done++)
        rc = replay_one(study, study->done);
    return rc;
}

static int cover(const struct fl_pair_table *table, FILE *out)
{
    static const size_t pairs[] = {7, 15, 31};
    struct fl_coverage rows[3];
    size_t count = 0;

    for (size_t i = 0; i < 3; i++) {
        int rc = fl_coverage(table, pairs[i], &rows[count]);
        if (rc && rc != -EINVAL)
            return rc;
        count += !rc;
    }
    fl_replay_print_coverage(rows, count, out);
    return 0;
}

static int print(const struct study *study)
{
    const size_t cells = study->table.cells;
    int rc = fl_replay_print_table(&study->table, stdout);

    if (rc)
        return rc;
    fl_replay_print_false(study->results, study->count, stdout);
    fl_replay_print_power(study->results, study->count, cells, stdout);
    fl_replay_print_unpaired(study->results, study->count, stdout);
    return cover(&study->table, stdout);
}

static int print_csv(const struct study *study)
{
    FILE *csv = study->options.csv ? fopen(study->options.csv, "w") : NULL;

    if (!study->options.csv)
        return 0;
    if (!csv)
        return fail(study->options.csv, strerror(errno));
    fl_replay_print_csv(study->results, study->count, study->table.cells, csv);
    return fclose(csv) ? fail(study->options.csv, strerror(errno)) : 0;
}

static int read_table(struct study *study)
{
    struct fl_err err = {.text = ""};
    struct fl_store *store;
    int rc = fl_store_open(study->options.store, FL_STORE_READ, &store, &err);

    if (rc)
        return fail(study->options.store, err.text);
    rc = fl_pair_table_read(store, study->options.pairing, &study->table, &err);
    fl_store_close(store);
    if (rc)
        return fail(study->options.store, err.text);
    if (study->options.pair > 0)
        study->table.seconds = study->options.pair;
    return study->table.seconds > 0 ? 0 : fail(study->options.store, "pairs took no time: --pair");
}

int main(int argc, char **argv)
{
    static struct study study = {
        .options = {.gates = 5000, .power_gates = 1000, .budget = 600, .seed = 1}};
    int code = take_all(&study.options, argc, argv);

    if (!code)
        code = read_table(&study);
    if (code)
        return code;
    int rc = replay(&study);
    if (!rc)
        rc = print(&study);
    code = rc ? fail("replay", strerror(-rc)) : print_csv(&study);
    for (size_t i = 0; i < study.count; i++)
        fl_replay_tally_release(&study.results[i].gates);
    fl_pair_table_release(&study.table);
    return code;
}
