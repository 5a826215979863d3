/* SPDX-License-Identifier: Apache-2.0 */
/* Subjects: the words of a side's text that are no factor: what it names is under test. */
#ifndef FL_SIDE_SUBJECTS_H
#define FL_SIDE_SUBJECTS_H

#include "runner/side.h"

struct fl_side_subject {
    const char *start; /* what the word begins with: `worker=` */
    /* Takes the rest of the word: sets the side up. As fl_side_open(). */
    int (*open)(struct fl_side *side, const char *value, struct fl_err *err);
};

/* The subject that a word begins with, or NULL: then the word is FACTOR=LEVEL. */
const struct fl_side_subject *fl_side_subject_of(const char *word);

#endif
