/* SPDX-License-Identifier: Apache-2.0 */
/* faultline: the command line. Finds the command and hands it its arguments. */
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "faultline/factor.h"
#include "faultline/registry.h"
#include "machine/build-info.h"

/*
 * A descriptor that is closed would go to the next file opened, and what is meant for the terminal
 * would be written into the store. A read-only stand-in makes such writes fail instead.
 */
static void hold_standard_descriptors(void)
{
    int fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = open("/dev/null", O_RDONLY);
    if (fd >= 0)
        close(fd);
}

static void usage(FILE *out)
{
    fputs("usage: faultline COMMAND [OPTIONS] [ARGUMENTS]\n\n"
          "Tells what a numerical call costs besides its arithmetic.\n\ncommands:\n",
          out);
    for (const struct fl_command *const *c = fl_commands; *c; c++)
        fprintf(out, "  %-10s %s\n", (*c)->name, (*c)->summary);
    fputs(
        "\n`faultline COMMAND --help` explains one. Exit codes: 0 done, 1 an expectation did not\n"
        "hold or something got worse, 2 usage or failure, 3 and 4 see `faultline gate --help`,\n"
        "5 a cell failed, 130 interrupted.\n",
        out);
}

static const struct fl_command *find(const char *name)
{
    for (const struct fl_command *const *c = fl_commands; *c; c++)
        if (!strcmp((*c)->name, name))
            return *c;
    return NULL;
}

static int unknown(const char *name)
{
    const char *names[32];
    size_t count = 0;
    for (const struct fl_command *const *c = fl_commands; *c && count < 31; c++)
        names[count++] = (*c)->name;
    names[count] = NULL;
    const char *near = fl_nearest(name, names);
    fputs("faultline: unknown command '", stderr);
    fl_print_safe(stderr, name);
    fprintf(stderr, "'%s%s%s; `faultline --help` lists them\n", near ? ": did you mean '" : "",
            near ? near : "", near ? "'?" : "");
    return FL_EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct fl_err err;
    hold_standard_descriptors();
    setlocale(LC_ALL, "C"); /* numbers look the same everywhere */
    if (argc < 2) {
        usage(stderr);
        return FL_EXIT_FAILURE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
        usage(stdout);
        return fl_finish_stdout();
    }
    if (!strcmp(argv[1], "--version")) {
        puts("faultline " FL_BUILD_VERSION);
        return fl_finish_stdout();
    }
    const struct fl_command *command = find(argv[1]);
    if (!command)
        return unknown(argv[1]);
    if (fl_registry_check(&err))
        return fl_complain(&err);
    return command->run(command, argc - 1, argv + 1);
}
