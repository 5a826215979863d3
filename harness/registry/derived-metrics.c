/* SPDX-License-Identifier: Apache-2.0 */
/* Time per call and the rates that follow from it. */
#include "derived-metrics.h"

const struct fl_metric fl_derived_metrics[] = {
    {"time", "ns", "wall time of one call", "Google Benchmark, real time over iterations",
     FL_METRIC_TIMED, FL_LESS_IS_BETTER, FL_IN_EVERY_SAMPLE},
    {"gflops", "GFLOP/s", "floating-point operations of the algorithm over time",
     "kernel's cost / time", FL_METRIC_TIMED, FL_MORE_IS_BETTER, FL_IN_EVERY_SAMPLE},
    {"bandwidth", "GB/s", "least traffic of the operation over time (1 GB = 1e9 bytes)",
     "kernel's cost / time", FL_METRIC_TIMED, FL_MORE_IS_BETTER, FL_IN_EVERY_SAMPLE},
    {.name = NULL},
};
