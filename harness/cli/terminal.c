/* SPDX-License-Identifier: Apache-2.0 */
/* Width and colour of the terminal. */
#include "terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned fl_terminal_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (columns && atoi(columns) > 0)
        return (unsigned)atoi(columns);
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        return 0;
    return size.ws_col;
}

bool fl_terminal_colour(void)
{
    const char *refused = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && !(refused && *refused);
}
