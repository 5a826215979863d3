/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factor: one axis of an experiment (`n`, `workspace`, `malloc`, ...) and the grammar of its
 * levels.
 *
 * A level is text. The factor says which texts are legal, so that a mistake is reported where it
 * was written and not in a measured process. Tables are constant and shared; all functions are
 * thread-safe and allocate nothing.
 */
#ifndef FAULTLINE_FACTOR_H
#define FAULTLINE_FACTOR_H

#include <stddef.h>
#include <stdint.h>

#include "faultline/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FL_LEVEL_MAX 1024 /* bytes of one level's text, with its NUL */

enum fl_factor_type {
    FL_FACTOR_INT,   /* decimal integer within [min, max], or one of words */
    FL_FACTOR_REAL,  /* decimal number within [min, max], or one of words */
    FL_FACTOR_WORD,  /* one of words */
    FL_FACTOR_BYTES, /* 2048, 32K, 1M, 1.5M, 2G: binary multiples; or one of words */
    FL_FACTOR_TIME,  /* 0, 10us, 150ms, 2s; or one of words */
    FL_FACTOR_TEXT,  /* whatever check() takes */
};

struct fl_factor {
    const char *name;
    const char *summary; /* one line for `faultline list factors`; names the unit */
    enum fl_factor_type type;
    const char *fallback;     /* level of a cell that does not name it; NULL: must be named */
    double min, max;          /* numbers: range, in the factor's unit (bytes, seconds) */
    const char *const *words; /* NULL-terminated; NULL: none */
    /* Optional, on top of the above: 0, or -EINVAL saying what would be accepted. */
    int (*check)(const char *level, struct fl_err *err);
};

/* 0, or -EINVAL: the reason names the factor, the level, what is accepted and the nearest word. */
int fl_factor_check(const struct fl_factor *factor, const char *level,
                    struct fl_err *err) FL_MUST_CHECK;

/* Reads a number with the suffixes of the type; bytes for BYTES, seconds for TIME. 0 or -EINVAL. */
FL_API int fl_factor_number(enum fl_factor_type type, const char *text, double *out) FL_MUST_CHECK;

/*
 * The entry of the NULL-terminated `words` nearest to `word` (edit distance), or NULL where none is
 * near enough to be what was meant. Cost: length of word times total length of words.
 */
FL_API const char *fl_nearest(const char *word, const char *const *words);

#ifdef __cplusplus
}
#endif

#endif
