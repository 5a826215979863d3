/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets of spinning, as an option's text. */
#include "wait-budget.h"

#include <errno.h>

#include "faultline/factor.h"

int fl_wait_budget_read(const char *policy, const char *options, uint64_t *ns, struct fl_err *err)
{
    double seconds;
    if (!*options)
        return 0;
    if (fl_factor_number(FL_FACTOR_TIME, options, &seconds) || !(seconds >= 0) ||
        seconds * 1e9 > (double)FL_WAIT_BUDGET_MAX_NS)
        return fl_fail(err, -EINVAL,
                       "wait policy '%s': option '%.60s' is no time to spin; it takes 0 to 10s "
                       "(50us, 1ms)",
                       policy, options);
    *ns = (uint64_t)(seconds * 1e9 + 0.5);
    return 0;
}
