/* SPDX-License-Identifier: Apache-2.0 */
/* Holds and lets go of counters. */
#include "runner/counter-hold.h"

#include <stdbool.h>
#include <unistd.h>

#include "faultline/registry.h"

static const struct fl_counter_ops *counter_of(const struct fl_metric *metric)
{
    struct fl_metric found;
    const struct fl_counter_ops *counter;
    if (metric->mode != FL_IN_COUNTING_SAMPLES ||
        fl_registry_metric(metric->name, &found, &counter, NULL))
        return NULL;
    return counter;
}

void fl_counter_hold_open(struct fl_counter_hold *hold, const struct fl_metric *metrics,
                          size_t count)
{
    const struct fl_counter_ops *held[FL_COUNTER_HOLDS];
    size_t tried = 0;
    *hold = (struct fl_counter_hold){.count = 0};
    for (size_t i = 0; i < count && tried < FL_COUNTER_HOLDS; i++) {
        const struct fl_counter_ops *counter = counter_of(&metrics[i]);
        bool wanted = counter && counter->hold;
        for (size_t j = 0; j < tried; j++)
            wanted = wanted && held[j] != counter;
        if (!wanted)
            continue;
        held[tried++] = counter;
        int file = counter->hold();
        if (file >= 0)
            hold->files[hold->count++] = file;
    }
}

void fl_counter_hold_close(struct fl_counter_hold *hold)
{
    while (hold->count)
        close(hold->files[--hold->count]);
}
