/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors: what every faultline function that can fail returns.
 *
 * A function returns 0 or a negative errno and writes results through its last pointers. Where a
 * person must read the reason, it also fills a struct fl_err with one line of text: lower case, no
 * full stop, `cannot <verb> '<thing>': <reason>`, and where there is one, the cure.
 */
#ifndef FAULTLINE_ERROR_H
#define FAULTLINE_ERROR_H

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FL_ERR_MAX 1024

/* One reason, as text. A zeroed struct is an empty error. Owned by the caller; never allocated. */
struct fl_err {
    char text[FL_ERR_MAX];
};

/* What plug-ins may call: the programs export it. */
#define FL_API __attribute__((visibility("default")))

#define FL_MUST_CHECK          __attribute__((warn_unused_result))
#define FL_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))

/*
 * Writes the formatted reason into `err` (NULL: dropped; too long: cut) and returns `code`, so that
 * a failing function ends in one line: `return fl_fail(err, -EINVAL, "...")`. No allocation.
 */
FL_API int fl_fail(struct fl_err *err, int code, const char *format, ...) FL_PRINTF(3, 4);

/* Puts `format: ` in front of the reason already in `err`; returns `code`. */
FL_API int fl_fail_within(struct fl_err *err, int code, const char *format, ...) FL_PRINTF(3, 4);

/* The analyser of clang sees neither body: tells it that the code comes back. */
#ifdef __clang_analyzer__
#define fl_fail(err, code, ...)        (fl_fail(err, code, __VA_ARGS__), (code))
#define fl_fail_within(err, code, ...) (fl_fail_within(err, code, __VA_ARGS__), (code))
#endif

#ifdef __cplusplus
}
#endif

#endif
