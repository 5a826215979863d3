/* SPDX-License-Identifier: Apache-2.0 */
/* Time per call and what follows from it. */
#include "derived-metrics.h"

#define TIMED(name_, unit_, better_, ratio_, summary_, source_)                                    \
    {                                                                                              \
        .name = name_, .unit = unit_, .summary = summary_, .source = source_,                      \
        .kind = FL_METRIC_TIMED, .better = better_, .mode = FL_IN_EVERY_SAMPLE, .ratio = ratio_,   \
    }

const struct fl_metric fl_derived_metrics[] = {
    TIMED("time", "ns", FL_LESS_IS_BETTER, false,
          "wall time over calls: of one call, where none are made at once",
          "Google Benchmark, real time over calls"),
    TIMED("region-time", "ns", FL_LESS_IS_BETTER, true,
          "wall time of one parallel region, all its calls together",
          "Google Benchmark, real time over iterations"),
    TIMED("gflops", "GFLOP/s", FL_MORE_IS_BETTER, true,
          "floating-point operations of the algorithm over time", "kernel's cost / time"),
    TIMED("bandwidth", "GB/s", FL_MORE_IS_BETTER, true,
          "least traffic of the operation over time (1 GB = 1e9 bytes)", "kernel's cost / time"),
    TIMED("tokens", "tokens/s", FL_MORE_IS_BETTER, true, "tokens of text made per second",
          "1 / region-time, where a region makes a token"),
    {.name = NULL},
};
