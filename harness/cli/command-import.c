/* SPDX-License-Identifier: Apache-2.0 */
/* faultline import: results of other programs, and exports of other stores, as runs. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "faultline/registry.h"
#include "results/import/import.h"
#include "runner/commit.h"

struct import_options {
    const char *store, *format, *label, *scenario, *commit;
};

static bool is_ours(const char *metric)
{
    struct fl_metric found;
    const struct fl_counter_ops *counter;

    return fl_registry_metric(metric, &found, &counter, NULL) == 0;
}

/* ---- files ---- */

struct files {
    struct fl_import_input *items;
    size_t count;
};

static void close_files(struct files *files)
{
    for (size_t i = 0; i < files->count; i++)
        if (files->items[i].fd > STDIN_FILENO)
            close(files->items[i].fd);
    free(files->items);
}

static int open_file(const char *name, struct files *files, struct fl_err *err)
{
    int fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return fl_fail(err, -errno, "cannot open '%s': %s", name, strerror(errno));
    files->items[files->count++] = (struct fl_import_input){name, fd};
    return 0;
}

static int open_files(char *const *names, size_t count, struct files *files, struct fl_err *err)
{
    int rc = 0;

    files->count = 0;
    files->items = calloc(count, sizeof(*files->items));
    if (!files->items)
        return fl_fail(err, -ENOMEM, "cannot import: out of memory");
    for (size_t i = 0; i < count && !rc; i++)
        rc = open_file(names[i], files, err);
    return rc;
}

/* ---- what became of them ---- */

static void print_report(const struct fl_import_report *report)
{
    if (report->runs > 1)
        printf("%zu runs, the last of them run %lld", report->runs, (long long)report->run);
    else
        printf("run %lld", (long long)report->run);
    printf(" from %s: %zu cell%s, %zu sample%s in %zu round%s", report->format, report->cells,
           report->cells == 1 ? "" : "s", report->samples, report->samples == 1 ? "" : "s",
           report->rounds, report->rounds == 1 ? "" : "s");
    if (report->failed)
        printf(", %zu of them failed", report->failed);
    printf("\n");
    for (size_t i = 0; i < report->count; i++) {
        const struct fl_import_note *note = &report->notes[i];
        printf("%s: %zu: ", note->damaged ? "warning" : "note", note->count);
        fl_print_safe(stdout, note->text);
        printf("\n");
    }
}

static int import_files(struct fl_store *store, const struct files *files,
                        const struct fl_import_options *options, struct fl_err *err)
{
    struct fl_import_report report;
    int rc = fl_import(store, files->items, files->count, options, &report, err);

    if (!rc)
        print_report(&report);
    return rc;
}

static int import_named(const struct import_options *given, char *const *names, size_t count,
                        const char *command_line, struct fl_err *err)
{
    struct fl_commit commit = {.id = ""};
    int rc = given->commit ? fl_commit_find(given->commit, &commit, err) : 0;
    if (rc)
        return rc;
    const struct fl_import_options options = {
        .format = given->format,
        .label = given->label,
        .scenario = given->scenario,
        .commit_id = given->commit ? commit.id : NULL,
        .commit_ns = commit.time_ns,
        .command_line = command_line,
        .known = is_ours,
    };
    struct files files;
    struct fl_store *store = NULL;
    rc = open_files(names, count, &files, err);
    if (!rc)
        rc = fl_store_open(given->store, FL_STORE_CREATE, &store, err);
    if (!rc)
        rc = import_files(store, &files, &options, err);
    fl_store_close(store);
    close_files(&files);
    return rc;
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct import_options options = {.store = FL_STORE_DEFAULT};
    const struct fl_option table[] = {
        {"store", "FILE", "store to add to (faultline.db)", FL_OPTION_TEXT, &options.store},
        {"format", "NAME",
         "faultline, gbench, hyperfine, perf-json or perf-csv (told from the file)", FL_OPTION_TEXT,
         &options.format},
        {"label", "TEXT", "label of the run", FL_OPTION_TEXT, &options.label},
        {"scenario", "NAME", "scenario of the run (the program's name, or the file's)",
         FL_OPTION_TEXT, &options.scenario},
        {"commit", "ID", "revision that was tested", FL_OPTION_TEXT, &options.commit},
        {.name = NULL},
    };
    struct fl_err err = {.text = ""};
    int first, rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    if (first == argc) {
        (void)fl_fail(&err, -EINVAL, "import needs a file, or - for standard input");
        return fl_complain(&err);
    }
    char *line = fl_command_line(argc, argv);
    rc = line ? import_named(&options, argv + first, (size_t)(argc - first), line, &err)
              : fl_fail(&err, -ENOMEM, "cannot import: out of memory");
    free(line);
    return rc ? fl_complain(&err) : fl_finish_stdout();
}

const struct fl_command fl_command_import = {
    .name = "import",
    .summary = "store what Google Benchmark, hyperfine, perf stat or faultline measured",
    .arguments = "FILE...",
    .details = "Several files are rounds of one run; an export of ours is a run of its own.\n"
               "A failing import leaves nothing. docs/import.md says what becomes of each field.\n",
    .run = run,
};
