/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `combining-tree` (Yew, Tzeng and Lawrie 1987): central barriers of `arity` threads each,
 * the last of each going on to the next level; each winner releases below what it won. Contention
 * on a line is bounded by the arity. One read-modify-write for each thread and for each node but
 * the root, about 4T/3 with the default arity of 4. Option: `arity=N`, 2 to 64.
 */
#include <stdlib.h>
#include <string.h>

#include "barrier-lines.h"
#include "rmw.h"

enum { LEVELS_MAX = 8, ARITY = 4, ARITY_MIN = 2, ARITY_MAX = 64 };

/* The counter is hot while threads arrive, the word while they wait: apart. */
struct node {
    _Alignas(FL_APART) _Atomic uint32_t arrived;
    struct fl_word_line phase;
};

/* `width` threads or nodes of the level below come to this level. */
struct level {
    struct node *nodes;
    unsigned width;
};

struct combining_tree {
    const struct fl_wait *wait;
    struct fl_epoch_line *own;
    unsigned arity, levels;
    struct level level[LEVELS_MAX];
};

static int read_options(const char *options, unsigned *arity, struct fl_err *err)
{
    if (!*options)
        return 0;
    char *end = NULL;
    unsigned long number = 0;
    if (!strncmp(options, "arity=", 6) && options[6] >= '0' && options[6] <= '9')
        number = strtoul(options + 6, &end, 10);
    if (!end || *end || number < ARITY_MIN || number > ARITY_MAX)
        return fl_fail(
            err, -EINVAL,
            "barrier 'combining-tree': option '%.60s' is not accepted; it takes arity=N, "
            "%d to %d",
            options, ARITY_MIN, ARITY_MAX);
    *arity = (unsigned)number;
    return 0;
}

static int combining_tree_check(const char *options, struct fl_err *err)
{
    unsigned arity;
    return read_options(options, &arity, err);
}

static int combining_tree_open(void *state, const struct fl_barrier_team *team,
                               const struct fl_wait *wait, const char *options, struct fl_err *err)
{
    struct combining_tree *barrier = state;
    barrier->wait = wait;
    barrier->arity = ARITY;
    int rc = read_options(options, &barrier->arity, err);
    for (unsigned width = team->threads; width > 1 && !rc;) {
        struct level *level = &barrier->level[barrier->levels++];
        unsigned nodes = (width + barrier->arity - 1) / barrier->arity;
        level->width = width;
        rc = fl_barrier_lines(team, nodes, sizeof *level->nodes, &level->nodes, err);
        width = nodes;
    }
    return rc ? rc
              : fl_barrier_lines(team, team->threads, sizeof *barrier->own, &barrier->own, err);
}

/* Who comes to a node: `arity`, or what is left for the last one. */
static unsigned members(const struct combining_tree *barrier, const struct level *level,
                        unsigned node)
{
    unsigned left = level->width - node * barrier->arity;
    return left < barrier->arity ? left : barrier->arity;
}

static void combining_tree_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    struct combining_tree *barrier = state;
    uint32_t epoch = ++barrier->own[thread].epoch;
    struct node *won[LEVELS_MAX];
    unsigned wins = 0;
    for (unsigned l = 0, index = thread; l < barrier->levels; l++) {
        const struct level *level = &barrier->level[l];
        index /= barrier->arity;
        struct node *node = &level->nodes[index];
        /* acq_rel: the last one acquires what the others of the node did, and hands it on. */
        uint32_t before = fl_fetch_add(&node->arrived, 1, memory_order_acq_rel, stat);
        if (before != members(barrier, level, index) - 1) {
            fl_wait_until(barrier->wait, &node->phase.word, epoch - 1, stat);
            break;
        }
        /* Relaxed: the store to the phase releases it. */
        atomic_store_explicit(&node->arrived, 0, memory_order_relaxed);
        won[wins++] = node;
    }
    while (wins)
        fl_wait_set(barrier->wait, &won[--wins]->phase.word, epoch, stat);
}

const struct fl_barrier_ops FL_BARRIER(combining_tree) = {
    .part = {.name = "combining-tree",
             .summary = "a tree of central barriers of 4 (or `:arity=N`) threads each",
             .abi = FL_PART_ABI,
             .state_size = sizeof(struct combining_tree)},
    .check = combining_tree_check,
    .open = combining_tree_open,
    .arrive = combining_tree_arrive,
};
