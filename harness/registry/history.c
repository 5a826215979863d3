/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of the factor `history`. */
#include "faultline/history.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "faultline/factor.h"

#define FOREIGN "blas:" /* in front of a symbol: its ':' belongs to the kernel's name */

static int refuse(const char *step, struct fl_err *err)
{
    return fl_fail(err, -EINVAL,
                   "'%.80s' is no step of a history: accepted: fresh, KERNEL:N+N+..., "
                   "KERNEL:N+N+...:malloc-operands, malloc:BYTES, joined by '/'",
                   step);
}

static int add(struct fl_history *history, const struct fl_history_step *step, struct fl_err *err)
{
    if (history->count == FL_HISTORY_STEPS)
        return fl_fail(err, -EINVAL, "a history has more than %d steps", FL_HISTORY_STEPS);
    history->steps[history->count++] = *step;
    return 0;
}

/* Cuts the text behind the last character `at` off `text`; NULL where there is none. */
static char *cut(char *text, char at)
{
    char *found = strchr(text, at);
    if (found)
        *found++ = 0;
    return found;
}

static int parse_sizes(struct fl_history *history, struct fl_history_step *step, char *sizes,
                       struct fl_err *err)
{
    for (char *size = sizes, *next; size; size = next) {
        double n;
        next = cut(size, '+');
        if (fl_factor_number(FL_FACTOR_INT, size, &n) || n < 1 || n > 65536)
            return refuse(size, err);
        step->n = (long)n;
        int rc = add(history, step, err);
        if (rc)
            return rc;
    }
    return 0;
}

static int parse_step(struct fl_history *history, char *text, struct fl_err *err)
{
    struct fl_history_step step = {0};
    char whole[FL_LEVEL_MAX];
    snprintf(whole, sizeof whole, "%s", text);
    size_t prefix = strncmp(text, FOREIGN, strlen(FOREIGN)) ? 0 : strlen(FOREIGN);
    char *argument = cut(text + prefix, ':');
    if (!argument || !*text || strlen(text) >= sizeof step.kernel)
        return refuse(whole, err);
    if (!strcmp(text, "malloc")) {
        if (fl_factor_number(FL_FACTOR_BYTES, argument, &step.bytes) || step.bytes < 1 ||
            step.bytes > 4294967296.0)
            return refuse(whole, err);
        return add(history, &step, err);
    }
    memcpy(step.kernel, text, strlen(text) + 1);
    char *option = cut(argument, ':');
    if (option && strcmp(option, "malloc-operands"))
        return refuse(whole, err);
    step.malloc_operands = option != NULL;
    return parse_sizes(history, &step, argument, err);
}

int fl_history_parse(const char *level, struct fl_history *history, struct fl_err *err)
{
    char text[FL_LEVEL_MAX];
    *history = (struct fl_history){.count = 0};
    if (!strcmp(level, "fresh"))
        return 0;
    if (!*level || strlen(level) >= sizeof text)
        return refuse(level, err);
    memcpy(text, level, strlen(level) + 1);
    for (char *step = text, *next; step; step = next) {
        next = cut(step, '/');
        int rc = parse_step(history, step, err);
        if (rc)
            return rc;
    }
    return 0;
}
