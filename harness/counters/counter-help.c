/* SPDX-License-Identifier: Apache-2.0 */
/* What the counters share. */
#include "counter-help.h"

#include <string.h>

bool fl_counter_wants(const struct fl_counter_env *env, const char *metric)
{
    for (const char *const *name = env->wanted; name && *name; name++)
        if (!strcmp(*name, metric))
            return true;
    return false;
}

size_t fl_metric_row(const struct fl_metric *metrics, size_t count, const char *name)
{
    size_t row = 0;
    while (row < count && strcmp(metrics[row].name, name) != 0)
        row++;
    return row;
}

void fl_reading_total(struct fl_reading *out, int64_t total)
{
    *out = (struct fl_reading){.state = FL_READING_OK, .total = total, .scale = 1};
}

void fl_reading_without(struct fl_reading *out, enum fl_reading_state state, const char *reason)
{
    *out = (struct fl_reading){.state = state, .scale = 1, .reason = reason};
}
