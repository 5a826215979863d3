/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cheapest body that no compiler can remove: a call across files.
 */
#include "gbench-loop-cost.h"

void loop_cost_body(void)
{
}
