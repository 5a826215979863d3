/* SPDX-License-Identifier: Apache-2.0 */
/* The command line as text that a shell takes for the same arguments: it is stored with a run. */
#include <stdio.h>
#include <string.h>

#include "command.h"

static void put_quoted(FILE *out, const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+./:=,@%";
    if (*argument && !argument[strspn(argument, plain)]) {
        fputs(argument, out);
        return;
    }
    fputc('\'', out);
    for (; *argument; argument++)
        if (*argument == '\'')
            fputs("'\\''", out);
        else
            fputc(*argument, out);
    fputc('\'', out);
}

char *fl_command_line(int argc, char **argv)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    fputs("faultline", out);
    for (int i = 0; i < argc; i++) {
        fputc(' ', out);
        put_quoted(out, argv[i]);
    }
    return fclose(out) ? NULL : text;
}
