/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of thread rules and what they decide. */
#include "thread-rule.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "faultline/factor.h"

#define LENGTH_PREFIX "n>"
#define BYTES_PREFIX  "bytes-per-thread:"
#define LIMIT_MAX     0x1p53

/* What stands behind a prefix, as a number of that type within [0, LIMIT_MAX]. */
static int read_limit(const char *level, const char *prefix, enum fl_factor_type type,
                      double *limit)
{
    const char *text = level + strlen(prefix);

    if (fl_factor_number(type, text, limit) || !(*limit >= 0 && *limit <= LIMIT_MAX))
        return -EINVAL;
    return type == FL_FACTOR_INT && *limit != floor(*limit) ? -EINVAL : 0;
}

static int read_words(const char *level, struct fl_thread_rule *rule)
{
    static const char *const words[] = {"one", "all", "calibrated"};
    static const struct fl_thread_rule rules[] = {
        {FL_RULE_ONE, 0}, {FL_RULE_ALL, 0}, {FL_RULE_CALIBRATED, (double)INFINITY}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(level, words[i]) == 0) {
            *rule = rules[i];
            return 0;
        }
    }
    return -EINVAL;
}

int fl_thread_rule_parse(const char *level, struct fl_thread_rule *rule, struct fl_err *err)
{
    int rc;

    if (strncmp(level, LENGTH_PREFIX, strlen(LENGTH_PREFIX)) == 0) {
        rule->kind = FL_RULE_LENGTH;
        rc = read_limit(level, LENGTH_PREFIX, FL_FACTOR_INT, &rule->limit);
    } else if (strncmp(level, BYTES_PREFIX, strlen(BYTES_PREFIX)) == 0) {
        rule->kind = FL_RULE_BYTES;
        rc = read_limit(level, BYTES_PREFIX, FL_FACTOR_BYTES, &rule->limit);
    } else {
        rc = read_words(level, rule);
    }
    return rc ? fl_fail(err, rc,
                        "cannot use rule '%.80s': want one, all, n>NUMBER (n>10000), "
                        "bytes-per-thread:SIZE (bytes-per-thread:384K) or calibrated",
                        level)
              : 0;
}

bool fl_thread_rule_shares(const struct fl_thread_rule *rule,
                           const struct fl_thread_rule_call *call)
{
    if (call->threads < 2)
        return false;
    switch (rule->kind) {
    case FL_RULE_ALL:
        return true;
    case FL_RULE_LENGTH:
        return call->n > rule->limit;
    case FL_RULE_BYTES:
        return !call->unit || call->bytes >= (call->threads - 1) * rule->limit;
    case FL_RULE_CALIBRATED:
        return call->bytes >= rule->limit;
    default:
        return false;
    }
}
