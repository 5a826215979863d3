/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker as an ordinary Google Benchmark program: without --cell it registers our kernels and
 * takes every --benchmark_* flag. For a quick look; only the runner gives each cell a process.
 */
#ifndef FL_BENCH_MODE_H
#define FL_BENCH_MODE_H

/* Registers one benchmark per cell of a fixed list and runs them. An exit status. */
int fl_bench_mode(int argc, char **argv);

#endif
