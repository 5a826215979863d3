/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a command: parsed and explained from one table. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "faultline/factor.h"

enum { OPTIONS_MAX = 32 };

static int take(const struct fl_option *option, const char *argument)
{
    struct fl_texts *texts = option->value;
    switch (option->type) {
    case FL_OPTION_FLAG:
        *(bool *)option->value = true;
        return 0;
    case FL_OPTION_TEXT:
        *(const char **)option->value = argument;
        return 0;
    default:
        if (texts->count == FL_TEXTS_MAX) {
            fprintf(stderr, "faultline: --%s is given more than %d times\n", option->name,
                    FL_TEXTS_MAX);
            return -EINVAL;
        }
        texts->items[texts->count++] = argument;
        return 0;
    }
}

static void help(const struct fl_command *command, const struct fl_option *options)
{
    printf("usage: faultline %s%s%s%s\n\n%s\n", command->name, options->name ? " [OPTIONS]" : "",
           *command->arguments ? " " : "", command->arguments, command->summary);
    if (options->name)
        printf("\noptions:\n");
    for (const struct fl_option *o = options; o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
        printf("  %-26s %s\n", left, o->help);
    }
    printf("  %-26s %s\n", "--help", "print this and exit");
    if (command->details)
        printf("\n%s", command->details);
}

static void unknown(const struct fl_command *command, const struct fl_option *options,
                    const char *given)
{
    const char *names[OPTIONS_MAX + 1];
    size_t count = 0;
    for (const struct fl_option *o = options; o->name && count < OPTIONS_MAX; o++)
        names[count++] = o->name;
    names[count] = NULL;
    const char *near = fl_nearest(given + strspn(given, "-"), names);
    fputs("faultline: unknown or incomplete option '", stderr);
    fl_print_safe(stderr, given);
    fprintf(stderr, "'%s%s%s; `faultline %s --help` lists them\n", near ? ": did you mean --" : "",
            near ? near : "", near ? "?" : "", command->name);
}

int fl_options_parse(const struct fl_command *command, const struct fl_option *options, int argc,
                     char **argv, int *first_argument)
{
    struct option table[OPTIONS_MAX + 2];
    size_t count = 0;
    for (const struct fl_option *o = options; o->name && count < OPTIONS_MAX; o++)
        table[count++] =
            (struct option){o->name, o->argument ? required_argument : no_argument, NULL, 0};
    table[count] = (struct option){"help", no_argument, NULL, 0};
    table[count + 1] = (struct option){NULL, 0, NULL, 0};
    opterr = 0;
    optind = 1;
    for (;;) {
        int which = 0;
        int got = getopt_long(argc, argv, ":h", table, &which);
        if (got == -1)
            break;
        if (got == 'h')
            which = (int)count;
        else if (got == ':') {
            fprintf(stderr, "faultline: option '%s' needs a value; `faultline %s --help`\n",
                    argv[optind - 1], command->name);
            return -EINVAL;
        } else if (got != 0) {
            /* getopt moves arguments behind options: what it stumbled over is what it took last,
             * or one letter of it. */
            const char letter[] = {'-', (char)optopt, 0};
            const char *given = optopt ? letter : argv[optind - 1];
            unknown(command, options, given);
            return -EINVAL;
        }
        if ((size_t)which == count) {
            help(command, options);
            return 1;
        }
        if (take(&options[which], optarg))
            return -EINVAL;
    }
    *first_argument = optind;
    return 0;
}

int fl_no_arguments(const struct fl_command *command, int argc, char **argv, int first_argument,
                    struct fl_err *err)
{
    if (first_argument == argc)
        return 0;
    return fl_fail(err, -EINVAL, "%s takes no argument such as '%.80s'; `faultline %s --help`",
                   command->name, argv[first_argument], command->name);
}
