/* SPDX-License-Identifier: Apache-2.0 */
/* The list of routines. */
#include <string.h>

#include "level1-routine.h"

static const struct fl_level1_routine *const routines[] = {&fl_level1_asum, &fl_level1_sum,
                                                           &fl_level1_copy, &fl_level1_dot,
                                                           &fl_level1_axpy, &fl_level1_iamax};

const struct fl_level1_name *fl_level1_find(const char *name)
{
    for (size_t i = 0; i < sizeof(routines) / sizeof(routines[0]); i++)
        for (const struct fl_level1_name *row = routines[i]->names; row->name; row++)
            if (strcmp(row->name, name) == 0)
                return row;
    return NULL;
}
