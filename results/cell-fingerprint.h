/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cell fingerprint: the named fields that decide the counts of one cell of one run. Counts of
 * different times or machines compare only where they are all equal.
 *
 * The fields of the machine (isa, page, thp, libc, kernel; harness/machine/fingerprint.h writes
 * them) and of the cell: isa and blocking as they were resolved, thp off where the cell switches it
 * off, malloc and the build id of what was preloaded for it, the library's build id and the core
 * it chose, threads. They
 * come from what is stored, so every run of every store has one. The text is canonical and quoted
 * as keys are.
 */
#ifndef RESULTS_CELL_FINGERPRINT_H
#define RESULTS_CELL_FINGERPRINT_H

#include "results/series.h"

#define FL_FINGERPRINT_NAME 64 /* bytes of a field's name */

struct fl_fingerprint_of {
    struct fl_store *store;
    const struct fl_series_set *set;
    size_t cell;
};

/* The text, in the arena. As the store; -EBADMSG: the machine's text is damaged. */
int fl_cell_fingerprint(const struct fl_fingerprint_of *of, struct fl_arena *arena,
                        const char **out, struct fl_err *err) FL_MUST_CHECK;

/*
 * 1: they differ, and `name` is the first field that does (one that only one side has differs);
 * 0: they do not; -EBADMSG: one is damaged. `any_library`: the library's build may differ.
 */
int fl_fingerprint_texts_differ(const char *base, const char *head, bool any_library,
                                char name[FL_FINGERPRINT_NAME], struct fl_err *err) FL_MUST_CHECK;
int fl_cell_fingerprints_differ(const struct fl_fingerprint_of *base,
                                const struct fl_fingerprint_of *head, bool any_library,
                                char name[FL_FINGERPRINT_NAME], struct fl_err *err) FL_MUST_CHECK;

#endif
