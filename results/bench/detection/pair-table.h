/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pair table: what an A/B run of two equal sides recorded, as numbers to replay gates from.
 *
 * Only rounds in which every cell has a pair are kept, in their order: those that lack one were cut
 * by an interruption. Cells that cannot run here, or failed, are left out with all they have.
 */
#ifndef DETECTION_PAIR_TABLE_H
#define DETECTION_PAIR_TABLE_H

#include "faultline/arena.h"
#include "results/pairing.h"

struct fl_pair_table {
    size_t rounds, cells;
    double *base, *head; /* times: those of a cell are neighbours, [cell * rounds + round] */
    double *losses;      /* log(head / base) of the same places */
    const char **keys;
    size_t planned;         /* tests that share the chance of a false alarm */
    double seconds;         /* that a pair takes, all around it included */
    size_t cut, left_out;   /* rounds and cells that are not in the table */
    double settle, window;  /* seconds */
    const char *host, *cpu; /* of the machine that recorded */
    struct fl_arena arena;
};

/* An empty table of that size, with room for all; keys and numbers are the caller's to fill. */
int fl_pair_table_init(struct fl_pair_table *table, size_t cells, size_t rounds) FL_MUST_CHECK;
/* Fills the losses from the times. */
void fl_pair_table_finish(struct fl_pair_table *table);

/* A pairing of the store; 0: the newest A/B run. -ENOENT: it has none, or none with pairs. */
int fl_pair_table_read(struct fl_store *store, int64_t pairing, struct fl_pair_table *out,
                       struct fl_err *err) FL_MUST_CHECK;
void fl_pair_table_release(struct fl_pair_table *table);

#endif
