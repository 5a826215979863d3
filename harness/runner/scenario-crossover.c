/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of the section, and the geometric row of levels that they stand for. */
#include "runner/scenario-crossover.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "faultline/registry.h"

static int take_factor(char *out, size_t size, const char *value, struct fl_err *err)
{
    if (!fl_registry_factor(value))
        return fl_fail(err, -EINVAL, "'%.80s' is no factor; `faultline list factors` has them all",
                       value);
    snprintf(out, size, "%s", value);
    return 0;
}

static int take_end(double *out, const char *value, struct fl_err *err)
{
    if (fl_factor_number(FL_FACTOR_INT, value, out) || *out < 1)
        return fl_fail(err, -EINVAL, "'%.80s' is not accepted: expected a whole number from 1",
                       value);
    return 0;
}

static int take_text(char *out, size_t size, const char *value, struct fl_err *err)
{
    int length = snprintf(out, size, "%s", value);
    if (length < 1 || (size_t)length >= size)
        return fl_fail(err, -EINVAL, "a value is empty or longer than %zu bytes", size - 1);
    return 0;
}

/* `one, all` */
static int take_levels(struct fl_scenario_crossover *crossover, const char *value,
                       struct fl_err *err)
{
    size_t first = strcspn(value, ", \t");
    const char *second = value + first + strspn(value + first, ", \t");
    if (!first || first >= FL_LEVEL_MAX || !*second || strpbrk(second, ", \t"))
        return fl_fail(err, -EINVAL, "'%.80s' is not accepted: expected two levels, 'one, all'",
                       value);
    memcpy(crossover->levels[0], value, first);
    crossover->levels[0][first] = 0;
    return take_text(crossover->levels[1], sizeof crossover->levels[1], second, err);
}

int fl_crossover_take(struct fl_scenario_crossover *crossover, const char *key, const char *value,
                      struct fl_err *err)
{
    static const char *const keys[] = {"search", "from",      "to",        "compare",
                                       "levels", "predictor", "predicted", NULL};
    if (!strcmp(key, "search"))
        return take_factor(crossover->search, sizeof crossover->search, value, err);
    if (!strcmp(key, "compare"))
        return take_factor(crossover->compare, sizeof crossover->compare, value, err);
    if (!strcmp(key, "from"))
        return take_end(&crossover->from, value, err);
    if (!strcmp(key, "to"))
        return take_end(&crossover->to, value, err);
    if (!strcmp(key, "levels"))
        return take_levels(crossover, value, err);
    if (!strcmp(key, "predictor"))
        return take_text(crossover->predictor, sizeof crossover->predictor, value, err);
    if (!strcmp(key, "predicted"))
        return take_text(crossover->predicted, sizeof crossover->predicted, value, err);
    const char *near = fl_nearest(key, keys);
    return fl_fail(err, -EINVAL,
                   "unknown key%s%s%s: accepted: search, from, to, compare, levels, predictor, "
                   "predicted",
                   near ? ", did you mean '" : "", near ? near : "", near ? "'" : "");
}

static int check_levels(const struct fl_scenario_crossover *crossover, struct fl_err *err)
{
    if (!strcmp(crossover->levels[0], crossover->levels[1]))
        return fl_fail(err, -EINVAL, "[crossover] compares '%s' with itself: name two levels",
                       crossover->levels[0]);
    for (int i = 0; i < 2; i++) {
        int rc = fl_registry_check_level(crossover->compare, crossover->levels[i], err);
        if (rc)
            return rc;
    }
    return crossover->predictor[0]
               ? fl_registry_check_level(crossover->compare, crossover->predictor, err)
               : 0;
}

int fl_crossover_finish(const struct fl_scenario_crossover *crossover, struct fl_err *err)
{
    bool any = crossover->search[0] || crossover->compare[0] || crossover->levels[0][0] ||
               crossover->predictor[0] || crossover->predicted[0] || crossover->from > 0 ||
               crossover->to > 0;
    if (!any)
        return 0;
    if (!crossover->search[0] || !crossover->compare[0] || !crossover->levels[0][0])
        return fl_fail(err, -EINVAL, "[crossover] needs search, compare and levels");
    if (!strcmp(crossover->search, crossover->compare))
        return fl_fail(err, -EINVAL, "[crossover] searches and compares '%s': name two factors",
                       crossover->search);
    if (!(crossover->from < crossover->to))
        return fl_fail(err, -EINVAL, "[crossover] needs from and to, the first below the second");
    if (!crossover->predictor[0] != !crossover->predicted[0])
        return fl_fail(err, -EINVAL, "[crossover] has predictor and predicted, or neither");
    return check_levels(crossover, err);
}

int fl_crossover_steps(const struct fl_scenario_crossover *crossover)
{
    return (int)ceil(log(crossover->to / crossover->from) / log(FL_CROSSOVER_STEP));
}

void fl_crossover_level(const struct fl_scenario_crossover *crossover, int step, char *out,
                        size_t size)
{
    double share = (double)step / fl_crossover_steps(crossover);
    snprintf(out, size, "%.0f",
             round(crossover->from * pow(crossover->to / crossover->from, share)));
}
