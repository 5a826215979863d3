/* SPDX-License-Identifier: Apache-2.0 */
/* Pair options: what `ab` and `calibrate` share: options, measuring, and what is said of it. */
#ifndef FL_PAIR_OPTIONS_H
#define FL_PAIR_OPTIONS_H

#include "runner/ab.h"
#include "scenario-options.h"

struct fl_pair_options {
    const char *store, *label, *commit, *seed, *tolerance, *detect, *budget, *build;
    const char *texts[2]; /* of the sides; "": the scenario as it is */
    struct fl_scenario_options scenario;
    bool resume, quiet;
    enum fl_pairing_purpose purpose;
    int rounds; /* where --rounds is not given; 0: as many as it takes */
};

/* What is known when it has been measured. On success the caller releases it. */
struct fl_pair_measured {
    struct fl_ab_result result;
    struct fl_scenario scenario; /* of the base, as measured */
    const char *store;
};

/* Rows for a command's table of options, in front of those of the scenario. */
#define FL_PAIR_OPTION_ROWS(options)                                                               \
    {"store", "FILE", "store to write to, made if need be (faultline.db)", FL_OPTION_TEXT,         \
     &(options)->store},                                                                           \
        {"label", "TEXT", "a name for both runs, to find them by", FL_OPTION_TEXT,                 \
         &(options)->label},                                                                       \
        {"commit", "ID", "revision of the head (what the CI says, or HEAD here)", FL_OPTION_TEXT,  \
         &(options)->commit},                                                                      \
        {"resume", NULL, "finish the last unfinished one of this scenario", FL_OPTION_FLAG,        \
         &(options)->resume},                                                                      \
        {"tolerance", "PERCENT", "never a regression up to this loss (0.5)", FL_OPTION_TEXT,       \
         &(options)->tolerance},                                                                   \
        {"detect", "PERCENT", "never a pass from this loss on (2)", FL_OPTION_TEXT,                \
         &(options)->detect},                                                                      \
        {"seed", "N", "of orders, operands and paddings; drawn and stored if not given",           \
         FL_OPTION_TEXT, &(options)->seed},                                                        \
    {                                                                                              \
        "quiet", NULL, "no progress, only notes and failures", FL_OPTION_FLAG, &(options)->quiet   \
    }

/*
 * `scenario` NULL: none is given, so that all sides have to be Google Benchmark programs, and the
 * first one's file name is the scenario's.
 *
 * Measures, and tells on stderr how it went. FL_EXIT_OK: there is something to read; also after
 * FL_EXIT_CELL. Otherwise nothing is to be released.
 */
int fl_pair_measure(const struct fl_pair_options *options, const char *scenario,
                    const char *command_line, struct fl_pair_measured *out) FL_MUST_CHECK;

#endif
