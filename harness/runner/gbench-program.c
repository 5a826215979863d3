/* SPDX-License-Identifier: Apache-2.0 */
/* The flags that a Google Benchmark program is spoken to with. */
#include "runner/gbench-program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/gbench-entry.h"

enum { ARGUMENTS = 8, ASK_SECONDS = 60, ASK_FLAG = 512 };

/* ---- one process ---- */

/* The program's own stdout goes to /dev/null: what it prints beside its list would be taken for it
 * otherwise. Its list, then, is redirected to the messages. */
static const char listing[] = "exec \"$0\" \"$@\" >&3 3>&-";

static struct fl_child child_of(const struct fl_gbench_program *program, char *const *argv)
{
    return (struct fl_child){
        .path = argv[0],
        .argv = argv,
        .environment = program->environment ? program->environment : environ,
        .stop = program->stop,
    };
}

/* Asks for the list with one further flag, or none: an unknown flag ends the program. */
static int ask(const struct fl_gbench_program *program, const char *flag, fl_child_line_fn line,
               void *arg, struct fl_child_end *end, struct fl_err *err)
{
    char shell[] = "/bin/sh", c[] = "-c", list[] = "--benchmark_list_tests=true";
    char script[sizeof listing], path[PATH_MAX], more[ASK_FLAG];
    memcpy(script, listing, sizeof listing);
    snprintf(path, sizeof path, "%s", program->path);
    snprintf(more, sizeof more, "%s", flag ? flag : "");
    char *argv[ARGUMENTS] = {shell, c, script, path, list, flag ? more : NULL, NULL};
    struct fl_child child = child_of(program, argv);
    child.timeout = ASK_SECONDS;
    child.line = line;
    child.arg = arg;
    return fl_child_run(&child, end, err);
}

static void count_line(void *arg, char *line)
{
    *(size_t *)arg += *line != 0;
}

static int takes(const struct fl_gbench_program *program, const char *flag, bool *yes,
                 struct fl_err *err)
{
    struct fl_child_end end;
    size_t names = 0;
    int rc = ask(program, flag, count_line, &names, &end, err);
    *yes = !rc && end.exit_status == 0 && names;
    if (!rc && end.stopped)
        return fl_fail(err, -EINTR, "stopped");
    return rc;
}

static int not_one(const struct fl_gbench_program *program, const struct fl_child_end *end,
                   struct fl_err *err)
{
    if (end->stopped)
        return fl_fail(err, -EINTR, "stopped");
    return fl_fail(err, -ENOEXEC,
                   "'%s' lists no benchmarks: it has to be a Google Benchmark program that takes "
                   "--benchmark_list_tests%s%s",
                   program->path, *end->last_words ? "; it says: " : "", end->last_words);
}

int fl_gbench_program_open(struct fl_gbench_program *program, struct fl_err *err)
{
    bool lists;
    if (access(program->path, X_OK))
        return fl_fail(err, -errno, "cannot run '%s': %s", program->path, strerror(errno));
    int rc = takes(program, NULL, &lists, err);
    if (!rc && !lists) {
        const struct fl_child_end none = {.last_words = ""};
        return not_one(program, &none, err);
    }
    if (!rc)
        rc = takes(program, "--benchmark_min_time=1x", &program->takes_iterations, err);
    if (!rc)
        rc = takes(program, "--benchmark_min_warmup_time=0.1", &program->takes_warm_up, err);
    return rc;
}

/* ---- the list ---- */

struct names {
    void (*each)(void *arg, const char *name);
    void *arg;
    size_t count;
};

static void take_name(void *arg, char *line)
{
    struct names *names = arg;
    size_t length = strlen(line);
    if (!length || length >= FL_GBENCH_NAME_MAX)
        return;
    names->count++;
    names->each(names->arg, line);
}

int fl_gbench_program_list(const struct fl_gbench_program *program, const char *filter,
                           void (*each)(void *arg, const char *name), void *arg, struct fl_err *err)
{
    struct names names = {each, arg, 0};
    struct fl_child_end end;
    char flag[ASK_FLAG];
    snprintf(flag, sizeof flag, "--benchmark_filter=%s", filter);
    int rc = ask(program, *filter ? flag : NULL, take_name, &names, &end, err);
    if (rc)
        return rc;
    return end.exit_status == 0 && names.count ? 0 : not_one(program, &end, err);
}

/* ---- one benchmark ---- */

/* A regular expression that means this name only, in POSIX' extended syntax, which does not know
 * `\]` and `\}`. */
static void exactly(const char *name, char *out)
{
    *out++ = '^';
    for (; *name; name++) {
        if (strchr(".[(){*+?|^$\\", *name))
            *out++ = '\\';
        *out++ = *name;
    }
    memcpy(out, "$", 2);
}

/* A number that the name says, 1 where it says none. */
static long said(const char *name, const char *mark)
{
    const char *found = strstr(name, mark);
    long number = found ? strtol(found + strlen(mark), NULL, 10) : 1;
    return number >= 1 ? number : 1;
}

/* What the program is asked for: it runs so many in each thread of each repetition. */
static int64_t share_of(const char *name, int64_t iterations)
{
    int64_t share = iterations / said(name, "/threads:") / said(name, "/repeats:");
    return share || !iterations ? share : 1;
}

struct flags {
    char filter[2 * FL_GBENCH_NAME_MAX + 32], time[64], warm_up[64];
};

static void fill_flags(const struct fl_gbench_program *program, const struct fl_gbench_task *task,
                       struct flags *flags)
{
    static const char filter[] = "--benchmark_filter=";
    memcpy(flags->filter, filter, sizeof filter);
    exactly(task->name, flags->filter + sizeof filter - 1);
    if (program->takes_iterations && task->iterations)
        snprintf(flags->time, sizeof flags->time, "--benchmark_min_time=%lldx",
                 (long long)share_of(task->name, task->iterations));
    else
        snprintf(flags->time, sizeof flags->time, "--benchmark_min_time=%.6f%s", task->window,
                 program->takes_iterations ? "s" : "");
    snprintf(flags->warm_up, sizeof flags->warm_up, "--benchmark_min_warmup_time=%.6f",
             task->settle);
}

int fl_gbench_program_run(const struct fl_gbench_program *program,
                          const struct fl_gbench_task *task, struct fl_gbench_result *result,
                          struct fl_err *err)
{
    struct flags flags;
    char path[PATH_MAX], out[] = "--benchmark_out=/proc/self/fd/3";
    char format[] = "--benchmark_out_format=json";
    *result = (struct fl_gbench_result){.failure = ""};
    if (strlen(task->name) >= FL_GBENCH_NAME_MAX)
        return fl_fail(err, -E2BIG, "the name of a benchmark has more than %d bytes: '%.80s...'",
                       FL_GBENCH_NAME_MAX - 1, task->name);
    struct fl_gbench_text text = {.length = 0};
    fill_flags(program, task, &flags);
    snprintf(path, sizeof path, "%s", program->path);
    bool warm = program->takes_warm_up && task->settle > 0;
    char *argv[ARGUMENTS] = {
        path, flags.filter, flags.time, out, format, warm ? flags.warm_up : NULL, NULL};
    struct fl_child child = child_of(program, argv);
    child.timeout = task->timeout;
    child.line = fl_gbench_text_line;
    child.arg = &text;
    int rc = fl_child_run(&child, &result->end, err);
    if (!rc && !result->end.stopped)
        rc = fl_gbench_entry_read(&text, task->name, result, err);
    free(text.bytes);
    return rc;
}
