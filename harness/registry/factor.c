/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of factors: their grammar, their numbers and the nearest word to a mistake. */
#include "faultline/factor.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct suffix {
    const char *text;
    double factor;
};

static const struct suffix byte_suffixes[] = {
    {"", 1}, {"K", 1024.0}, {"M", 1048576.0}, {"G", 1073741824.0}, {NULL, 0}};
static const struct suffix time_suffixes[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3},
                                              {"s", 1},     {"min", 60},  {NULL, 0}};
static const struct suffix no_suffixes[] = {{"", 1}, {NULL, 0}};

static const struct suffix *suffixes_of(enum fl_factor_type type)
{
    if (type == FL_FACTOR_BYTES)
        return byte_suffixes;
    return type == FL_FACTOR_TIME ? time_suffixes : no_suffixes;
}

/* strtod without its hexadecimal, infinity, NaN and white-space forms. */
static int plain_number(const char *text, double *value, const char **rest)
{
    const char *digits = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)*digits) && *digits != '.')
        return -EINVAL;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        return -EINVAL;
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    *rest = end;
    return end == text || errno == ERANGE || !isfinite(*value) ? -EINVAL : 0;
}

/* `-12`: digits without a leading zero, so that one number is not spelt in several keys. */
static bool is_whole(const char *text)
{
    const char *digits = text + (*text == '-');
    size_t count = strspn(digits, "0123456789");
    return count && !digits[count] && (count == 1 || *digits != '0');
}

int fl_factor_number(enum fl_factor_type type, const char *text, double *out)
{
    double value;
    const char *rest;
    if (plain_number(text, &value, &rest) || (type == FL_FACTOR_INT && !is_whole(text)))
        return -EINVAL;
    if (type == FL_FACTOR_TIME && value == 0 && !*rest) {
        *out = 0;
        return 0;
    }
    for (const struct suffix *s = suffixes_of(type); s->text; s++) {
        if (strcmp(rest, s->text))
            continue;
        *out = value * s->factor;
        bool whole = type == FL_FACTOR_INT || type == FL_FACTOR_BYTES;
        return whole && *out != floor(*out) ? -EINVAL : 0;
    }
    return -EINVAL;
}

static bool is_word(const char *const *words, const char *level)
{
    for (; words && *words; words++)
        if (!strcmp(*words, level))
            return true;
    return false;
}

/* Appends to a bounded buffer; what does not fit is cut. */
static void append(char *out, size_t size, const char *text)
{
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s", text);
}

static const char *number_form(enum fl_factor_type type)
{
    switch (type) {
    case FL_FACTOR_INT:
        return "a whole number";
    case FL_FACTOR_REAL:
        return "a number";
    case FL_FACTOR_BYTES:
        return "a size such as 2048, 32K or 1.5M";
    case FL_FACTOR_TIME:
        return "a time such as 0, 10us, 150ms or 2s";
    default:
        return NULL;
    }
}

static void describe(const struct fl_factor *factor, char *out, size_t size)
{
    char range[96];
    out[0] = 0;
    const char *form = number_form(factor->type);
    if (form) {
        snprintf(range, sizeof range, "%s from %.15g to %.15g%s", form, factor->min, factor->max,
                 factor->type == FL_FACTOR_TIME ? "s" : "");
        append(out, size, range);
    }
    for (const char *const *word = factor->words; word && *word; word++) {
        append(out, size, out[0] ? ", " : "one of ");
        append(out, size, *word);
    }
}

static int refuse(const struct fl_factor *factor, const char *level, struct fl_err *err)
{
    char accepted[512];
    describe(factor, accepted, sizeof accepted);
    const char *near = fl_nearest(level, factor->words);
    return fl_fail(err, -EINVAL, "'%.80s' is no level of factor '%s': accepted: %s%s%s%s", level,
                   factor->name, accepted, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

static int check_number(const struct fl_factor *factor, const char *level, struct fl_err *err)
{
    double value;
    if (fl_factor_number(factor->type, level, &value) || value < factor->min || value > factor->max)
        return refuse(factor, level, err);
    return 0;
}

static bool has_control(const char *level)
{
    for (const unsigned char *c = (const unsigned char *)level; *c; c++)
        if (*c < 0x20 || *c == 0x7f)
            return true;
    return false;
}

int fl_factor_check(const struct fl_factor *factor, const char *level, struct fl_err *err)
{
    if (strlen(level) >= FL_LEVEL_MAX)
        return fl_fail(err, -EINVAL, "a level of factor '%s' is longer than %d bytes", factor->name,
                       FL_LEVEL_MAX - 1);
    if (has_control(level))
        return fl_fail(err, -EINVAL, "a level of factor '%s' has a control character",
                       factor->name);
    if (is_word(factor->words, level))
        return 0;
    if (number_form(factor->type)) {
        int rc = check_number(factor, level, err);
        if (rc)
            return rc;
    } else if (factor->type == FL_FACTOR_WORD) {
        return refuse(factor, level, err);
    }
    return factor->check ? factor->check(level, err) : 0;
}

/* Levenshtein distance; words longer than the row are no candidates. */
static size_t distance(const char *a, const char *b)
{
    enum { ROW = 64 };
    size_t row[ROW + 1], na = strlen(a), nb = strlen(b);
    if (na > ROW || nb > ROW)
        return ROW;
    for (size_t j = 0; j <= nb; j++)
        row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            size_t gap = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < gap ? change : gap;
        }
    }
    return row[nb];
}

const char *fl_nearest(const char *word, const char *const *words)
{
    const char *best = NULL;
    size_t least = strlen(word) / 3 + 2; /* further away is another word, not a slip */
    for (; words && *words; words++) {
        size_t d = distance(word, *words);
        if (d < least && d < strlen(*words)) { /* or they have no letter in common */
            least = d;
            best = *words;
        }
    }
    return best;
}
