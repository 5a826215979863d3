/* SPDX-License-Identifier: Apache-2.0 */
/* History options: what `history` and `changes` share. */
#ifndef FL_HISTORY_OPTIONS_H
#define FL_HISTORY_OPTIONS_H

#include "command.h"
#include "results/histories.h"

struct fl_history_choice {
    const char *store, *metric, *scenario, *tolerance;
    bool json, csv;
};

#define FL_HISTORY_OPTION_ROWS(choice)                                                             \
    {"store", "FILE", "store to read (faultline.db)", FL_OPTION_TEXT, &(choice)->store},           \
        {"scenario", "NAME", "runs of this scenario alone", FL_OPTION_TEXT, &(choice)->scenario},  \
        {"metric", "NAME", "what timed samples measured (time)", FL_OPTION_TEXT,                   \
         &(choice)->metric},                                                                       \
        {"tolerance", "PERCENT", "smaller changes are none (0.5)", FL_OPTION_TEXT,                 \
         &(choice)->tolerance},                                                                    \
        {"json", NULL, "one JSON object a line", FL_OPTION_FLAG, &(choice)->json},                 \
    {                                                                                              \
        "csv", NULL, "comma-separated values", FL_OPTION_FLAG, &(choice)->csv                      \
    }

/*
 * Reads the history of the cells that `selector` selects (NULL: all), with its changes; `fields`:
 * with what was recorded differently from point to point, too. Then prints it. An exit code.
 */
int fl_history_show(const struct fl_history_choice *choice, const char *selector, bool fields);

#endif
