/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics that no counter serves: time itself, and what is computed from it and the kernel's cost.
 */
#ifndef FL_DERIVED_METRICS_H
#define FL_DERIVED_METRICS_H

#include "faultline/counter.h"

/* Ended by a row without a name. Constant, thread-safe. */
extern const struct fl_metric fl_derived_metrics[];

#endif
