/* SPDX-License-Identifier: Apache-2.0 */
/* Wait policy `runtime`: stands for the waiting that a barrier brings along (pthread, OpenMP). */
#include "faultline/wait.h"

const struct fl_wait_ops fl_wait_runtime = {
    .part = {.name = "runtime",
             .summary = "the barrier's own waiting, for barriers of pthread and OpenMP",
             .abi = FL_PART_ABI},
    .runtime = true,
};
