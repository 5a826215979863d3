/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suite: one loss a round for all cells together. A loss of 1 % everywhere passes in every cell
 * where 2 % is to be detected; together the cells know it.
 *
 * The losses of a round are put in order and a quarter of them is left out at either end; the rest
 * are averaged (two are averaged as they are, of three the middle one counts). So one cell of many
 * that got much slower, which is judged by itself, or one pair that met a disturbance, hardly moves
 * it, and a loss that all cells share moves it by all of itself. A median of all would need more
 * rounds. It is as odd a function as each loss, so a round is as symmetric as its pairs are.
 *
 * The means are judged as the losses of a cell are (results/sequential.h), and their test is
 * counted among the planned ones. Only rounds in which all cells ran have a mean: whoever decides
 * cells while a run goes on must not drop any before the suite is decided, and cells that fail are
 * no part of it.
 */
#ifndef RESULTS_SUITE_H
#define RESULTS_SUITE_H

#include <stddef.h>

/*
 * Cells of the least suite. Of fewer, what is left between the ends is little more than one cell,
 * and a single slow one at the end lifts it by so much of the noise that it stands between the
 * thresholds: 0.57 standard deviations of three, 0.34 of five, 0.06 of twenty-four.
 */
#define FL_SUITE_CELLS 5

/* Of one round; at least one. Sorts the losses in place. */
double fl_suite_mean(double *losses, size_t cells);

/*
 * `losses` holds round after round, each with `cells` of them, NAN where there is no pair. Writes
 * the means of the full rounds, at most `rounds`, and returns how many. Sorts the losses of each
 * round.
 */
size_t fl_suite_means(double *losses, size_t rounds, size_t cells, double *means);

#endif
