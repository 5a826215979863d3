/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Google Benchmark side: a side whose cells are the benchmarks of a program, `benchmark=NAME`, each
 * sample one fresh process of it.
 *
 * The time is what the program tells as real time, per iteration; its CPU time and the user's
 * counters are stored beside it. Of settings, settle (where the program knows a warm-up), window
 * and rounds are in force; there is nothing to count.
 */
#ifndef FL_GBENCH_SIDE_H
#define FL_GBENCH_SIDE_H

#include "runner/side.h"

/* Makes the side one, for subjects. As fl_gbench_program_open(). */
int fl_gbench_side_open(struct fl_side *side, const char *path, struct fl_err *err) FL_MUST_CHECK;

/* The file name of the program that a side's text names by gbench=PATH, cut to `size` bytes; false:
 * it names none. */
bool fl_gbench_side_program(const char *text, char *name, size_t size);

/* Leaves only the benchmarks that `--benchmark_filter=REGEX` selects. -EINVAL: no such side. */
int fl_gbench_side_filter(struct fl_side *side, const char *regex,
                          struct fl_err *err) FL_MUST_CHECK;

#endif
