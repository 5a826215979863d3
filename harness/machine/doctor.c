/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of checks and what every check is written with.
 */
#include "machine/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "machine/doctor-check.h"
#include "machine/environment.h"

bool fl_check_good(struct fl_check *check, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(check->finding, sizeof check->finding, format, args);
    va_end(args);
    check->status = FL_CHECK_GOOD;
    check->effect = "";
    return true;
}

bool fl_check_less(struct fl_check *check, enum fl_check_status status, const char *effect,
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(check->cure, sizeof check->cure, format, args);
    va_end(args);
    check->status = status;
    check->effect = effect;
    return true;
}

const char *fl_doctor_text(const struct fl_doctor_input *input, const char *name)
{
    return fl_environment_knows(input->environment, name)
               ? fl_properties_get(input->environment, name)
               : "unknown";
}

double fl_doctor_number(const struct fl_doctor_input *input, const char *name, double otherwise)
{
    char *end;
    const char *text = fl_doctor_text(input, name);
    double value = strtod(text, &end);
    return end != text ? value : otherwise;
}

bool fl_doctor_is(const struct fl_doctor_input *input, const char *name, const char *value)
{
    return strcmp(fl_doctor_text(input, name), value) == 0;
}

static struct fl_check *add(struct fl_checks *list)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity != 0 ? 2 * list->capacity : 32;
        struct fl_check *items = realloc(list->items, capacity * sizeof *items);
        if (items == NULL)
            return NULL;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count] = (struct fl_check){.effect = ""};
    return &list->items[list->count];
}

static int judge_rows(const struct fl_doctor_input *input, const struct fl_doctor_row *row,
                      struct fl_checks *out)
{
    for (; row->id != NULL; row++) {
        struct fl_check *check = add(out);
        if (check == NULL)
            return -ENOMEM;
        check->id = row->id;
        check->title = row->title;
        if (row->judge(input, check))
            out->count++;
    }
    return 0;
}

int fl_doctor_examine(const struct fl_doctor_input *input, struct fl_checks *out,
                      struct fl_err *err)
{
    int status = judge_rows(input, fl_doctor_counting_rows, out);
    if (status == 0)
        status = judge_rows(input, fl_doctor_timing_rows, out);
    if (status == 0)
        status = judge_rows(input, fl_doctor_part_rows, out);
    return status == 0 ? 0 : fl_fail(err, status, "cannot list the checks: out of memory");
}

void fl_checks_release(struct fl_checks *checks)
{
    free(checks->items);
    *checks = (struct fl_checks){0};
}

const char *fl_check_status_name(enum fl_check_status status)
{
    return status == FL_CHECK_GOOD ? "good" : status == FL_CHECK_NOTE ? "note" : "limit";
}
