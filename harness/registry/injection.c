/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of the factor `inject`. */
#include "faultline/injection.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "faultline/factor.h"

static const struct {
    const char *prefix;
    enum fl_injection_kind kind;
} kinds[] = {{"faults:", FL_INJECT_FAULTS}, {"locks:", FL_INJECT_LOCKS}, {"", FL_INJECT_CALLS}};

int fl_injection_parse(const char *level, struct fl_injection *injection, struct fl_err *err)
{
    size_t i = 0;
    while (strncmp(level, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
        i++; /* ends: every text begins with the empty prefix */
    const char *number = level + strlen(kinds[i].prefix);
    double every, least = *kinds[i].prefix ? 1 : 0;
    if (fl_factor_number(FL_FACTOR_INT, number, &every) || every < least ||
        every > FL_INJECTION_EVERY_MAX)
        return fl_fail(err, -EINVAL,
                       "'%.80s' is nothing to inject: accepted: 0 (nothing), N (every Nth call is "
                       "made twice), faults:N, locks:N, with N from 1 to %d",
                       level, FL_INJECTION_EVERY_MAX);
    *injection = (struct fl_injection){kinds[i].kind, (uint64_t)every};
    return 0;
}
