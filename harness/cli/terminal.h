/* SPDX-License-Identifier: Apache-2.0 */
/* Terminal: what stdout is connected to. Thread-safe. */
#ifndef FL_TERMINAL_H
#define FL_TERMINAL_H

#include <stdbool.h>

/* Columns of the terminal on stdout, or of $COLUMNS; 0 where stdout is no terminal. */
unsigned fl_terminal_width(void);

/* Is stdout a terminal that wants colour? ($NO_COLOR is obeyed.) */
bool fl_terminal_colour(void);

#endif
