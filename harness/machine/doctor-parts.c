/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of what is installed: mallocs, libraries, gnuplot; and of plug-ins that were named.
 */
#include <string.h>

#include "machine/doctor-check.h"

/* Names of the available rows, or the reasons of the missing ones, separated by `, ` or `; `. */
static size_t join(const struct fl_part_state *rows, bool missing, char *out, size_t size)
{
    size_t count = 0, used = 0;
    out[0] = '\0';
    for (; rows->name != NULL; rows++) {
        if ((rows->reason != NULL) != missing)
            continue;
        int length = snprintf(out + used, size - used, "%s%s%s%s",
                              count == 0 ? ""
                              : missing  ? "; "
                                         : ", ",
                              rows->name, missing ? ": " : "", missing ? rows->reason : "");
        used += (size_t)length < size - used ? (size_t)length : size - used - 1;
        count++;
    }
    return count;
}

static bool judge_rows(const struct fl_part_state *rows, const char *effect, struct fl_check *check)
{
    char names[FL_CHECK_TEXT_MAX], reasons[FL_CHECK_TEXT_MAX];
    if (rows == NULL)
        return false;
    size_t present = join(rows, false, names, sizeof names);
    size_t missing = join(rows, true, reasons, sizeof reasons);
    fl_check_good(check, "%zu of %zu: %s", present, present + missing, names);
    return missing == 0 || fl_check_less(check, FL_CHECK_NOTE, effect, "%s", reasons);
}

static bool judge_mallocs(const struct fl_doctor_input *input, struct fl_check *check)
{
    return judge_rows(input->mallocs,
                      "cells of the missing mallocs are stored as unavailable, with the reason",
                      check);
}

static bool judge_libraries(const struct fl_doctor_input *input, struct fl_check *check)
{
    return judge_rows(input->libraries,
                      "cells of the missing libraries are stored as unavailable, with the reason",
                      check);
}

static bool judge_plugins(const struct fl_doctor_input *input, struct fl_check *check)
{
    return judge_rows(input->plugins, "commands that name them refuse to begin", check);
}

static bool judge_gnuplot(const struct fl_doctor_input *input, struct fl_check *check)
{
    if (input->gnuplot != NULL)
        return fl_check_good(check, "%s", input->gnuplot);
    fl_check_good(check, "not in PATH");
    return fl_check_less(check, FL_CHECK_NOTE, "plots cannot be drawn; tables and exports can",
                         "apt-get install gnuplot-nox");
}

const struct fl_doctor_row fl_doctor_part_rows[] = {
    {"mallocs", "mallocs", judge_mallocs},
    {"libraries", "libraries", judge_libraries},
    {"plug-ins", "plug-ins", judge_plugins},
    {"gnuplot", "gnuplot", judge_gnuplot},
    {NULL, NULL, NULL},
};
