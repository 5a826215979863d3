/* SPDX-License-Identifier: Apache-2.0 */
/* What goes to the terminal: stdout is data, stderr is talk. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "results/text.h"

void fl_print_safe(FILE *stream, const char *text)
{
    struct fl_arena arena = {.heap = true};
    const char *safe = fl_text_for_terminal(&arena, text);
    fputs(safe ? safe : "?", stream);
    fl_arena_release(&arena);
}

int fl_complain(const struct fl_err *err)
{
    fputs("faultline: ", stderr);
    fl_print_safe(stderr, err->text);
    fputc('\n', stderr);
    return FL_EXIT_FAILURE;
}

int fl_finish_stdout(void)
{
    if (!fflush(stdout) && !ferror(stdout))
        return FL_EXIT_OK;
    fprintf(stderr, "faultline: cannot write to stdout: %s\n", strerror(errno ? errno : EIO));
    return FL_EXIT_FAILURE;
}
