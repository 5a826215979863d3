/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, metrics and cells of what is being imported. */
#include "intake.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "results/database.h"

/* ---- notes ---- */

static struct fl_import_note *find_note(struct fl_import_report *report, const char *text)
{
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->notes[i].text, text) == 0)
            return &report->notes[i];
    if (report->count < FL_IMPORT_NOTES - 1) {
        struct fl_import_note *note = &report->notes[report->count++];
        snprintf(note->text, sizeof(note->text), "%s", text);
        return note;
    }
    struct fl_import_note *last = &report->notes[FL_IMPORT_NOTES - 1];
    report->count = FL_IMPORT_NOTES;
    snprintf(last->text, sizeof(last->text), "other things left out or mended");
    return last;
}

void fl_intake_note(struct fl_intake *intake, size_t count, bool damaged, const char *format, ...)
{
    char text[FL_IMPORT_NOTE_TEXT];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    struct fl_import_note *note = find_note(intake->report, text);
    note->count += count;
    note->damaged |= damaged;
}

void fl_intake_mends(struct fl_intake *intake, const struct fl_json_reader *reader)
{
    for (int i = 0; i < FL_JSON_MENDS; i++)
        if (reader->mends[i])
            fl_intake_note(intake, reader->mends[i], i <= FL_JSON_TOO_LONG, "%s",
                           fl_json_mend_text((enum fl_json_mend)i));
}

/* ---- rows ---- */

void fl_intake_begin_row(struct fl_intake_row *row)
{
    row->calls = 0;
    row->outcome = FL_OUTCOME_OK;
    row->count = row->text_used = 0;
    row->aggregate[0] = '\0';
}

/* Copies as much of the text as fits; the rest of it is cut before a character of UTF-8. */
static size_t copy_cut(char *to, size_t room, const char *text)
{
    size_t length = strnlen(text, room), kept = length < room ? length : room - 1;

    while (kept && kept < length && ((unsigned char)text[kept] & 0xc0) == 0x80)
        kept--;
    memcpy(to, text, kept);
    to[kept] = '\0';
    return kept;
}

void fl_intake_fact(struct fl_intake *intake, struct fl_intake_row *row, const char *name,
                    const char *value)
{
    enum { LONGEST = 1024 };
    size_t room = FL_INTAKE_TEXT - row->text_used, names = strlen(name) + 1;

    if (names + 2 > room) {
        fl_intake_note(intake, 1, true, "facts of one entry beyond %d bytes", FL_INTAKE_TEXT);
        return;
    }
    char *at = row->text + row->text_used;
    memcpy(at, name, names);
    room -= names;
    size_t kept = copy_cut(at + names, room < LONGEST ? room : LONGEST, value);
    if (value[kept])
        fl_intake_note(intake, 1, true, "long labels and messages, cut");
    row->text_used += (uint32_t)(names + kept + 1);
}

void fl_intake_fail(struct fl_intake *intake, struct fl_intake_row *row, const char *reason)
{
    row->outcome = FL_OUTCOME_FAILED;
    fl_intake_fact(intake, row, "", reason);
}

bool fl_intake_value(struct fl_intake_row *row, size_t metric, double value)
{
    if (row->count == FL_INTAKE_VALUES)
        return false;
    for (size_t i = 0; i < row->count; i++)
        if (row->values[i].metric == (int64_t)metric)
            return false;
    row->values[row->count++] = (struct fl_intake_value){(int64_t)metric, value, 1};
    return true;
}

/* ---- the run ---- */

static int begin_run(struct fl_intake *intake)
{
    static const char *const waiting[] = {
        "CREATE TEMP TABLE IF NOT EXISTS staged (key TEXT NOT NULL, row BLOB NOT NULL)",
        "DELETE FROM temp.staged",
    };
    /* What the run is described with stands in the file, perhaps at its end. */
    const struct fl_run_info info = {.fingerprint = FL_INTAKE_UNKNOWN, .started_ns = 1};
    int status = 0;

    for (size_t i = 0; i < 2 && !status; i++)
        status = fl_db_run(intake->store, waiting[i], intake->err, "");
    return status ? status : fl_store_begin_run(intake->store, &info, &intake->run, intake->err);
}

/* ---- metrics ---- */

static bool is_foreign(struct fl_intake *intake, const struct fl_metric *metric, int *status)
{
    static const char find[] = "SELECT count(*) FROM metric WHERE name = ? AND "
                               "(source <> ? OR unit <> ? OR per_call <> 0)";
    int64_t others = 0;

    if (intake->options->known && intake->options->known(metric->name))
        return true;
    *status = fl_db_number(intake->store, find, &others, intake->err, "TTT", metric->name,
                           metric->source, metric->unit);
    return others > 0;
}

/* Where a metric of ours, or of another source, has the name: `NAME (Google Benchmark)`. */
static int store_metric(struct fl_intake *intake, const struct fl_metric *metric, int64_t *id)
{
    char other[FL_INTAKE_NAME + 64];
    struct fl_metric as = *metric;
    int status = 0;

    if (is_foreign(intake, metric, &status)) {
        snprintf(other, sizeof(other), "%s (%s)", metric->name, metric->source);
        as.name = other;
        fl_intake_note(intake, 1, false, "metrics stored as '%s (%s)': the name is taken",
                       metric->name, metric->source);
    }
    if (!status)
        status = fl_store_metric(intake->store, &as, id, intake->err);
    return status ? status : fl_store_plan_metrics(intake->store, intake->run, id, 1, intake->err);
}

/* The name of the list's entry stands for itself: what it was stored as is not asked again. */
static size_t find_metric(const struct fl_intake *intake, const char *name)
{
    for (size_t i = 0; i < intake->metric_count; i++)
        if (strcmp(intake->metrics[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

int fl_intake_metric(struct fl_intake *intake, const struct fl_metric *metric, bool positive,
                     size_t *place)
{
    int64_t id;
    int status = 0;

    *place = find_metric(intake, metric->name);
    if (*place != SIZE_MAX)
        return 0;
    if (intake->metric_count == FL_INTAKE_METRICS || strlen(metric->name) >= FL_INTAKE_NAME) {
        fl_intake_note(intake, 1, true,
                       "values of more than %d metrics, or with longer names than %d",
                       FL_INTAKE_METRICS, FL_INTAKE_NAME - 1);
        return 0;
    }
    if (!intake->run)
        status = begin_run(intake);
    if (!status)
        status = store_metric(intake, metric, &id);
    if (status)
        return status;
    struct fl_intake_metric *added = &intake->metrics[intake->metric_count];
    added->id = id;
    added->positive = positive;
    snprintf(added->name, sizeof(added->name), "%s", metric->name);
    *place = intake->metric_count++;
    return 0;
}

int fl_intake_counter(struct fl_intake *intake, const char *name, size_t *place)
{
    const struct fl_metric counter = {
        .name = name,
        .unit = "",
        .summary = "a counter of the imported program: shown, not judged",
        .source = intake->source,
        .kind = FL_METRIC_LEVEL,
        .better = FL_NOT_RANKED,
        .ratio = true,
    };

    return fl_intake_metric(intake, &counter, false, place);
}

/* ---- cells ---- */

static bool needs_quotes(const char *level)
{
    if (!*level)
        return true;
    for (const char *c = level; *c; c++)
        if ((unsigned char)*c <= ' ' || strchr(",#;\"\\", *c))
            return true;
    return false;
}

size_t fl_intake_put_level(char *out, size_t size, const struct fl_stored_level *level)
{
    bool quoted = needs_quotes(level->level);
    size_t used = (size_t)snprintf(out, size, "%s=%s", level->factor, quoted ? "\"" : "");

    for (const char *c = level->level; *c && used + 3 < size; c++) {
        if (quoted && (*c == '"' || *c == '\\'))
            out[used++] = '\\';
        out[used++] = *c;
    }
    if (quoted && used + 1 < size)
        out[used++] = '"';
    if (used < size)
        out[used] = '\0';
    return used + 3 < size ? used : size;
}

int fl_intake_cell(struct fl_intake *intake, const struct fl_stored_level *levels, size_t count)
{
    char *key = intake->key;
    const size_t size = sizeof(intake->key);
    size_t used = 0;

    for (size_t i = 0; i < count && used < size - 1; i++) {
        if (i)
            key[used++] = ' ';
        used += fl_intake_put_level(key + used, size - used, &levels[i]);
    }
    if (used >= size - 1)
        return -E2BIG;
    key[used] = '\0';
    return intake->run ? 0 : begin_run(intake);
}

/* ---- times ---- */

int64_t fl_intake_time(const char *text)
{
    struct tm tm = {.tm_isdst = 0};
    int at = 0, hours = 0, minutes = 0;
    char sign[2] = "";

    if (sscanf(text, "%4d-%2d-%2d%*1[T ]%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
               &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &at) != 6)
        return 0;
    if (tm.tm_year < 1970 || tm.tm_year > 2200 || tm.tm_mon < 1 || tm.tm_mon > 12)
        return 0;
    text += at;
    if (*text == '.')
        text += 1 + strspn(text + 1, "0123456789");
    if (sscanf(text, "%1[+-]%2d:%2d", sign, &hours, &minutes) != 3)
        sign[0] = '\0';
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    time_t seconds = timegm(&tm);
    int offset = sign[0] ? hours * 3600 + minutes * 60 : 0;
    return ((int64_t)seconds - (sign[0] == '-' ? -offset : offset)) * 1000000000;
}
