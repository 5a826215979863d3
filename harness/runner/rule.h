/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule: a line that selects cells, and for expectations says what a metric is there.
 *
 *   kernel=dgemm n>=256 workspace=malloc|mmap : minor-faults = 61 | 62
 *
 * An expectation may ask for facts of the sample, too, which are known when it was taken:
 *
 *   library=openblas-pthread fact.library-version=0.3.21 : pthread-mutex-locks = 3
 *
 * Such a condition compares the fact's value and each word of it.
 *
 * A level with spaces stands in double quotes, in which \" and \\ are those two.
 *
 * All conditions must hold. `=` compares text, several levels joined by '|' (one is enough); `!=`
 * is its negation; < <= > >= compare numbers. A cell without the factor meets no condition but
 * `!=`. The value of a metric is per call; `=` takes several values joined by '|', <= and >= take
 * one.
 */
#ifndef FL_RULE_H
#define FL_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "faultline/cell.h"
#include "faultline/error.h"
#include "faultline/facts.h"

#define FL_RULE_CONDITIONS 16
#define FL_RULE_VALUES     8
#define FL_RULE_TEXT       1024 /* bytes of a rule, with its NUL */

/* Which names and levels a selector may have. */
enum fl_rule_names {
    FL_RULE_KNOWN_NAMES,    /* those of the registry */
    FL_RULE_IMPORTED_NAMES, /* and the factor `benchmark`, of imported cells */
    FL_RULE_ANY_NAME,       /* all: they were checked elsewhere */
};

enum fl_relation { FL_EQUAL, FL_NOT_EQUAL, FL_BELOW, FL_AT_MOST, FL_ABOVE, FL_AT_LEAST };

struct fl_condition {
    bool fact; /* `factor` is the name of a fact */
    char factor[64];
    enum fl_relation relation;
    char levels[512]; /* joined by '|' */
};

struct fl_rule {
    int line;       /* in the scenario file */
    bool published; /* from [published]: shown, not judged */
    char host[64];  /* what stands behind `published` in the section's name */
    char text[FL_RULE_TEXT];
    struct fl_condition conditions[FL_RULE_CONDITIONS];
    size_t condition_count;
    char metric[64]; /* "" for a plain selector */
    enum fl_relation relation;
    double values[FL_RULE_VALUES];
    size_t value_count;
};

/* Reads a selector, or with `expectation` a selector, ':' and a metric. 0, or -EINVAL. */
int fl_rule_parse(const char *text, bool expectation, struct fl_rule *rule,
                  struct fl_err *err) FL_MUST_CHECK;

/* Reads a selector and moves `*text` to the ':' or the end behind it. 0, or -EINVAL. */
int fl_rule_parse_selector(const char **text, enum fl_rule_names names, struct fl_rule *rule,
                           struct fl_err *err) FL_MUST_CHECK;

/* By the cell's levels alone. */
bool fl_rule_selects(const struct fl_rule *rule, const struct fl_cell *cell);

/*
 * By what stands in a key alone: for keys of imported cells, and of kernels that this process does
 * not know. A factor at its fallback is not in the key and meets no condition but `!=`.
 */
bool fl_rule_selects_key(const struct fl_rule *rule, const char *key);

bool fl_rule_asks_facts(const struct fl_rule *rule);

/* Do the facts of a sample meet all that the rule asks of them? */
bool fl_rule_meets_facts(const struct fl_rule *rule, const struct fl_fact *facts, size_t count);

/* Does a value per call agree with the rule? Equality is exact: counts are integers. */
bool fl_rule_holds(const struct fl_rule *rule, double value);

/* `61 | 62`, `>= 1`: what the rule expects, as text. */
void fl_rule_expected(const struct fl_rule *rule, char *out, size_t size);

#endif
