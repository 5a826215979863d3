/* SPDX-License-Identifier: Apache-2.0 */
/* Which reader a file is for, and the one transaction around all of them. */
#include "import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "intake.h"
#include "results/database.h"

#define HEAD 65536 /* bytes from which a format is told */

struct format {
    const char *name;
    enum fl_run_origin origin;
    const char *source;      /* as people call it */
    bool run_of_its_own;     /* each file */
    fl_import_json_fn *json; /* one of the two */
    fl_import_text_fn *text;
    bool (*is)(const char *head);
};

/* ---- telling formats apart ---- */

static bool is_faultline(const char *head)
{
    return strstr(head, "\"faultline-run\"") != NULL;
}

static bool is_perf_json(const char *head)
{
    return strstr(head, "\"counter-value\"") != NULL && strstr(head, "\"event\"") != NULL;
}

static bool is_gbench(const char *head)
{
    return strstr(head, "\"benchmarks\"") != NULL || strstr(head, "\"library_build_type\"") != NULL;
}

static bool is_hyperfine(const char *head)
{
    return strstr(head, "\"results\"") != NULL && strstr(head, "\"command\"") != NULL;
}

/* Columns of factors and metrics, then these two. */
static bool is_own_csv(const char *head)
{
    size_t length = strcspn(head, "\r\n");
    const char *last = strstr(head, ",status,reason");

    return last && last < head + length;
}

/* A line of three or more fields whose first is a number or a remark in angle brackets. */
static bool is_perf_csv(const char *head)
{
    for (const char *line = head; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        line += strspn(line, " \t");
        size_t first = strcspn(line, ",;\n");
        if (*line == '#' || first == strcspn(line, "\n"))
            continue;
        bool number = strspn(line, "0123456789.") == first || strncmp(line, "<not ", 5) == 0;
        return first && number &&
               strcspn(line + first + 1, ",;\n") != strcspn(line + first + 1, "\n");
    }
    return false;
}

static const struct format formats[] = {
    {"faultline", FL_ORIGIN_FAULTLINE, "faultline", true, fl_import_faultline, NULL, is_faultline},
    {"gbench", FL_ORIGIN_GBENCH, "Google Benchmark", false, fl_import_gbench, NULL, is_gbench},
    {"hyperfine", FL_ORIGIN_HYPERFINE, "hyperfine", false, fl_import_hyperfine, NULL, is_hyperfine},
    {"perf-json", FL_ORIGIN_PERF_STAT, "perf stat", false, fl_import_perf_json, NULL, is_perf_json},
    {"perf-csv", FL_ORIGIN_PERF_STAT, "perf stat", false, NULL, fl_import_perf_csv, is_perf_csv},
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

const char *const *fl_import_formats(void)
{
    static const char *const names[] = {"faultline", "gbench",   "hyperfine",
                                        "perf-json", "perf-csv", NULL};
    return names;
}

/* ---- reading ---- */

struct stream {
    int fd;
    size_t at, filled; /* of the head */
    char head[HEAD + 1];
};

static ssize_t read_fd(int fd, char *buffer, size_t size)
{
    ssize_t got;

    do
        got = read(fd, buffer, size);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

static ssize_t read_stream(void *arg, char *buffer, size_t size)
{
    struct stream *stream = arg;
    size_t left = stream->filled - stream->at;

    if (!left)
        return read_fd(stream->fd, buffer, size);
    if (left > size)
        left = size;
    memcpy(buffer, stream->head + stream->at, left);
    stream->at += left;
    return (ssize_t)left;
}

/* NULs become blanks in the copy that formats are told from. */
static int read_head(struct stream *stream, char *copy)
{
    ssize_t got = 1;

    while (stream->filled < HEAD && got > 0) {
        got = read_fd(stream->fd, stream->head + stream->filled, HEAD - stream->filled);
        if (got < 0)
            return (int)got;
        stream->filled += (size_t)got;
    }
    memcpy(copy, stream->head, stream->filled);
    for (size_t i = 0; i < stream->filled; i++)
        if (!copy[i])
            copy[i] = ' ';
    copy[stream->filled] = '\0';
    return 0;
}

static int choose(const struct fl_intake *intake, const char *head, const struct format **out)
{
    const char *wanted = intake->options->format;

    for (size_t i = 0; i < FORMATS; i++) {
        *out = &formats[i];
        if (wanted ? strcmp(wanted, formats[i].name) == 0 : formats[i].is(head))
            return 0;
    }
    if (wanted)
        return fl_fail(intake->err, -EINVAL,
                       "--format '%.40s' is unknown: faultline, gbench, hyperfine, perf-json "
                       "or perf-csv",
                       wanted);
    if (!head[strspn(head, " \t\r\n")])
        return fl_fail(intake->err, -EINVAL, "cannot import '%s': it is empty", intake->file);
    if (is_own_csv(head))
        return fl_fail(intake->err, -EINVAL,
                       "cannot import '%s': a run's CSV has medians only; export the run with "
                       "--format json",
                       intake->file);
    return fl_fail(intake->err, -EINVAL,
                   "cannot import '%s': it looks like no result of Google Benchmark, hyperfine, "
                   "perf stat -j or -x, or faultline export; --format names one",
                   intake->file);
}

static int read_json(struct fl_intake *intake, const struct format *format,
                     const struct fl_json_source *source)
{
    struct fl_json_reader *reader;
    int status = fl_json_open(source, &reader, intake->err);

    if (status)
        return status;
    status = format->json(intake, reader);
    if (!status && reader->failure)
        status = fl_fail(intake->err, reader->failure, "cannot read '%s': %s", intake->file,
                         strerror(-reader->failure));
    if (!status)
        fl_intake_mends(intake, reader);
    fl_json_close(reader);
    return status;
}

/* Nothing of an earlier file that makes a run of its own stays. */
static int begin_file(struct fl_intake *intake, const struct format *format)
{
    if (intake->report->files &&
        (format->origin != intake->origin || format->run_of_its_own != (intake->report->runs > 0)))
        return fl_fail(intake->err, -EXDEV,
                       "cannot import '%s' beside the files before it: it has another format",
                       intake->file);
    intake->origin = format->origin;
    intake->source = format->source;
    intake->report->format = format->source;
    return 0;
}

static int import_file(struct fl_intake *intake, const struct fl_import_input *input,
                       struct stream *stream, char *copy)
{
    const struct fl_json_source source = {read_stream, stream};
    const struct format *format;

    *stream = (struct stream){.fd = input->fd};
    intake->file = input->name;
    int status = read_head(stream, copy);
    if (status)
        return fl_fail(intake->err, status, "cannot read '%s': %s", input->name, strerror(-status));
    status = choose(intake, copy, &format);
    if (!status)
        status = begin_file(intake, format);
    if (!status)
        status = format->json ? read_json(intake, format, &source) : format->text(intake, &source);
    if (status)
        return status;
    intake->report->files++;
    if (!format->run_of_its_own)
        return fl_intake_end_round(intake);
    return 0;
}

static int import_all(struct fl_intake *intake, const struct fl_import_input *inputs, size_t count)
{
    struct stream *stream = malloc(sizeof(*stream));
    char *copy = malloc(HEAD + 1);
    int status = stream && copy ? 0 : fl_fail(intake->err, -ENOMEM, "cannot import: out of memory");

    for (size_t i = 0; i < count && !status; i++)
        status = import_file(intake, &inputs[i], stream, copy);
    if (!status && !intake->report->runs)
        status = fl_intake_end_run(intake);
    free(copy);
    free(stream);
    return status;
}

/*
 * For many rows: pages enough for most of an index in memory; no CHECK, for each of whose lists
 * SQLite makes a table and a page cache at every row; and no look-ups of keys that rows refer to,
 * all of which were stored here just before. What they check is checked here in C.
 */
static int prepare_store(struct fl_store *store, bool many, struct fl_err *err)
{
    static const char *const pragmas[2][3] = {
        {"PRAGMA cache_size = -2000", "PRAGMA ignore_check_constraints = OFF",
         "PRAGMA foreign_keys = ON"},
        {"PRAGMA cache_size = -6144", "PRAGMA ignore_check_constraints = ON",
         "PRAGMA foreign_keys = OFF"},
    };
    int status = 0;

    for (size_t i = 0; i < 3 && !status; i++)
        status = fl_db_run(store, pragmas[many][i], err, "");
    return status;
}

/* Whatever becomes of the import, the store is then as it was. */
static int import_held(struct fl_intake *intake, const struct fl_import_input *inputs, size_t count)
{
    struct fl_err ignored;
    int status = prepare_store(intake->store, true, intake->err);

    if (!status)
        status = fl_db_hold(intake->store, intake->err);
    if (!status)
        status = fl_db_let_go(intake->store, import_all(intake, inputs, count), intake->err);
    int restored = prepare_store(intake->store, false, status ? &ignored : intake->err);
    return status ? status : restored;
}

int fl_import(struct fl_store *store, const struct fl_import_input *inputs, size_t count,
              const struct fl_import_options *options, struct fl_import_report *report,
              struct fl_err *err)
{
    struct fl_intake *intake = calloc(1, sizeof(*intake));
    int status = -ENOMEM;

    *report = (struct fl_import_report){.run = 0};
    if (intake) {
        intake->metrics = calloc(FL_INTAKE_METRICS, sizeof(*intake->metrics));
        intake->packed = calloc(1, sizeof(*intake->packed));
        intake->store = store;
        intake->options = options;
        intake->report = report;
        intake->err = err;
    }
    if (intake && intake->metrics && intake->packed)
        status = import_held(intake, inputs, count);
    else
        status = fl_fail(err, status, "cannot import: out of memory");
    if (intake) {
        free(intake->packed);
        free(intake->metrics);
    }
    free(intake);
    return status;
}
