/* SPDX-License-Identifier: Apache-2.0 */
#include "import-rig.h"

#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILES_MAX = 32 };

int import_open(const char *bytes, size_t length)
{
    int fd = memfd_create("import", MFD_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, length), (ssize_t)length);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

int import_texts(struct fixture *f, struct import_rig *rig, const char *const *texts)
{
    struct fl_import_input inputs[FILES_MAX];
    size_t count = 0;

    for (; texts[count]; count++)
        inputs[count] =
            (struct fl_import_input){"some.json", import_open(texts[count], strlen(texts[count]))};
    int status = fl_import(f->store, inputs, count, &rig->options, &rig->report, &f->err);
    for (size_t i = 0; i < count; i++)
        close(inputs[i].fd);
    return status;
}

int import_bytes(struct fixture *f, struct import_rig *rig, const char *bytes, size_t length)
{
    const struct fl_import_input input = {"some.json", import_open(bytes, length)};
    int status = fl_import(f->store, &input, 1, &rig->options, &rig->report, &f->err);

    close(input.fd);
    return status;
}

void import_text(struct fixture *f, struct import_rig *rig, const char *text)
{
    fixture_ok(f, import_bytes(f, rig, text, strlen(text)));
}

void import_file(struct fixture *f, struct import_rig *rig, const char *path)
{
    const struct fl_import_input input = {path, open(path, O_RDONLY | O_CLOEXEC)};

    if (input.fd < 0)
        fail_msg("cannot open %s", path);
    fixture_ok(f, fl_import(f->store, &input, 1, &rig->options, &rig->report, &f->err));
    close(input.fd);
}

size_t import_noted(const struct import_rig *rig, const char *text)
{
    for (size_t i = 0; i < rig->report.count; i++)
        if (strstr(rig->report.notes[i].text, text))
            return rig->report.notes[i].count;
    return 0;
}

double import_value(struct fixture *f, int64_t run, const char *key, const char *metric)
{
    static const char select[] = "SELECT value FROM v_value JOIN cell ON cell.id = v_value.cell "
                                 "WHERE run = ? AND key = ? AND name = ?";
    sqlite3 *db;
    sqlite3_stmt *row;
    double value = (double)NAN;

    assert_int_equal(sqlite3_open_v2(f->path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, select, -1, &row, NULL), SQLITE_OK);
    sqlite3_bind_int64(row, 1, run);
    sqlite3_bind_text(row, 2, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(row, 3, metric, -1, SQLITE_STATIC);
    if (sqlite3_step(row) != SQLITE_ROW)
        fail_msg("run %lld has no %s of '%s'", (long long)run, metric, key);
    if (sqlite3_column_type(row, 0) != SQLITE_NULL)
        value = sqlite3_column_double(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(db);
    return value;
}
