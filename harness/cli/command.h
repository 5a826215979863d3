/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command: one word of `faultline WORD`, with its options as a table. The table drives parsing,
 * --help and completion. Only this folder prints to stdout or ends the process.
 *
 * Exit codes, the same for every command:
 *   0    done
 *   1    an expectation of the scenario did not hold; gate: something got worse
 *   2    usage, or the command could not do its work
 *   3    gate: not all is decided, and the policy wants it to be
 *   4    gate: nothing is comparable
 *   5    a cell crashed, hung, failed or computed wrongly, or none could be measured
 *   130  interrupted; what was stored stays
 */
#ifndef FL_COMMAND_H
#define FL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "faultline/error.h"

enum fl_exit {
    FL_EXIT_OK = 0,
    FL_EXIT_EXPECTATION = 1,
    FL_EXIT_FAILURE = 2,
    FL_EXIT_CELL = 5,
    FL_EXIT_INTERRUPTED = 130,
};

enum fl_option_type {
    FL_OPTION_FLAG,  /* bool */
    FL_OPTION_TEXT,  /* const char * */
    FL_OPTION_TEXTS, /* struct fl_texts: may be given several times */
};

#define FL_TEXTS_MAX 64
struct fl_texts {
    const char *items[FL_TEXTS_MAX];
    size_t count;
};

struct fl_option {
    const char *name;     /* without the dashes */
    const char *argument; /* `FILE`, or NULL for a flag */
    const char *help;     /* one line, no full stop */
    enum fl_option_type type;
    void *value;
};

struct fl_command {
    const char *name;
    const char *summary;   /* one line, no full stop */
    const char *arguments; /* `SCENARIO|FILE.ini`, or "" */
    const char *details;   /* further lines of --help, or NULL */
    int (*run)(const struct fl_command *command, int argc, char **argv); /* an exit code */
};

/* All commands, ended by NULL. */
extern const struct fl_command *const fl_commands[];

/*
 * Reads the options of a command off argv[1..]; what is left are its arguments. 0; -EINVAL after a
 * line on stderr; 1 when --help was asked for and has been printed.
 */
int fl_options_parse(const struct fl_command *command, const struct fl_option *options, int argc,
                     char **argv, int *first_argument) FL_MUST_CHECK;

/* 0, or -EINVAL naming the argument that the command does not take. */
int fl_no_arguments(const struct fl_command *command, int argc, char **argv, int first_argument,
                    struct fl_err *err) FL_MUST_CHECK;

/* `faultline: TEXT` on stderr, made safe as by fl_print_safe(); returns FL_EXIT_FAILURE. */
int fl_complain(const struct fl_err *err);

/* Writes `text` so that no name can move the cursor or hide another: see fl_text_for_terminal(). */
void fl_print_safe(FILE *stream, const char *text);

/* The command as a shell would take it again, quoted where need be; NULL: out of memory. The caller
 * frees it. */
char *fl_command_line(int argc, char **argv);

/* FL_EXIT_OK, or FL_EXIT_FAILURE after a line on stderr when stdout could not be written. */
int fl_finish_stdout(void);

#endif
