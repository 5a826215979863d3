/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C++ arms of gbench-loop-cost.
 */
#ifndef FAULTLINE_GBENCH_LOOP_COST_H
#define FAULTLINE_GBENCH_LOOP_COST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The body of every arm: in a file of its own, so that no compiler sees into it. */
void loop_cost_body(void);

/* Registers `cxx KeepRunning` and `cxx range` with `iterations` per run. */
void loop_cost_register_cxx(int64_t iterations);

#ifdef __cplusplus
}
#endif

#endif
