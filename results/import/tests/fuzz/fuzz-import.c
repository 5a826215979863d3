/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file to import, whatever is in it. An import that fails says why and leaves no run; one that
 * does not makes runs whose samples are those it reports, in a store in order, and they can be
 * exported.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "results/database.h"
#include "results/export.h"
#include "results/import/import.h"

enum { INPUTS_PER_STORE = 64 };

struct counts {
    size_t runs, samples;
};

static int count_run(void *arg, const struct fl_run_record *run)
{
    struct counts *counts = arg;

    counts->runs++;
    counts->samples += (size_t)run->samples;
    return 0;
}

static struct counts count(struct fl_store *store)
{
    struct counts counts = {0, 0};
    struct fl_err err;

    FL_FUZZ_HOLDS(fl_store_runs(store, count_run, &counts, &err) == 0);
    return counts;
}

/* A new store now and then: it is on disk, and grows. */
static struct fl_store *some_store(void)
{
    static struct fl_store *store;
    static unsigned inputs;
    char folder[] = "/tmp/faultline-fuzz-XXXXXX", path[64];
    struct fl_err err;

    if (inputs++ % INPUTS_PER_STORE)
        return store;
    fl_store_close(store);
    FL_FUZZ_HOLDS(mkdtemp(folder) != NULL);
    snprintf(path, sizeof(path), "%s/x.db", folder);
    FL_FUZZ_HOLDS(fl_store_open(path, FL_STORE_CREATE, &store, &err) == 0);
    for (const char *const *suffix = (const char *const[]){"", "-wal", "-shm", NULL}; *suffix;
         suffix++) {
        snprintf(path, sizeof(path), "%s/x.db%s", folder, *suffix);
        unlink(path);
    }
    rmdir(folder);
    return store;
}

/* Imports write with SQLite's own checks switched off: none of them may find anything. */
static void check_store(struct fl_store *store)
{
    static const char *const checks[] = {
        "SELECT count(*) FROM pragma_foreign_key_check",
        "SELECT count(*) FROM pragma_quick_check WHERE quick_check <> 'ok'",
    };
    struct fl_err err;
    int64_t found;

    for (size_t i = 0; i < 2; i++) {
        FL_FUZZ_HOLDS(fl_db_number(store, checks[i], &found, &err, "") == 0);
        FL_FUZZ_HOLDS(found == 0);
    }
}

static void export_it(struct fl_store *store, int64_t run)
{
    FILE *nowhere = fopen("/dev/null", "w");
    struct fl_err err;

    FL_FUZZ_HOLDS(nowhere != NULL);
    FL_FUZZ_HOLDS(fl_export_json(store, run, nowhere, &err) == 0);
    FL_FUZZ_HOLDS(fl_export_gbench(store, run, nowhere, &err) == 0);
    fclose(nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_store *store = some_store();
    const struct fl_import_input input = {"input", memfd_create("input", MFD_CLOEXEC)};
    const struct fl_import_options options = {.label = NULL};
    struct fl_import_report report;
    struct fl_err err = {.text = ""};
    struct counts before = count(store);

    FL_FUZZ_HOLDS(input.fd >= 0 && write(input.fd, data, size) == (ssize_t)size);
    FL_FUZZ_HOLDS(lseek(input.fd, 0, SEEK_SET) == 0);
    int rc = fl_import(store, &input, 1, &options, &report, &err);
    close(input.fd);
    struct counts after = count(store);
    if (rc) {
        FL_FUZZ_HOLDS(err.text[0] && after.runs == before.runs && after.samples == before.samples);
        return 0;
    }
    check_store(store);
    FL_FUZZ_HOLDS(report.runs > 0 && after.runs == before.runs + report.runs);
    FL_FUZZ_HOLDS(after.samples == before.samples + report.samples);
    export_it(store, report.run);
    return 0;
}
