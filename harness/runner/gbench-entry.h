/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entry: what one process of a Google Benchmark program said about its one benchmark, in JSON.
 *
 * Well-formed JSON of a process started just now, bare NaN apart; files of any age and origin are
 * for `faultline import`.
 */
#ifndef FL_GBENCH_ENTRY_H
#define FL_GBENCH_ENTRY_H

#include "runner/gbench-program.h"

/* Lines as they come, joined. A zeroed one is empty; the owner frees `bytes`. */
struct fl_gbench_text {
    char *bytes;
    size_t length;
    bool lost; /* out of memory, or more than a benchmark has to say */
};

/* For struct fl_child's `line`, with the text as its argument. */
void fl_gbench_text_line(void *text, char *line);

/*
 * Fills the result, but for how the process ended. Several repetitions are one process still: their
 * mean. 0, also where there is no time: then `failure` says why; -ENOMEM.
 */
int fl_gbench_entry_read(const struct fl_gbench_text *text, const char *name,
                         struct fl_gbench_result *result, struct fl_err *err) FL_MUST_CHECK;

#endif
