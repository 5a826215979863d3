/* SPDX-License-Identifier: Apache-2.0 */
/* faultline baseline: counts as a file that stands in a repository. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gating.h"
#include "results/baseline.h"

/* A file that takes the place of another when it is whole. */
struct replacement {
    const char *path;
    char target[PATH_MAX]; /* behind links; "": written in place, or stdout */
    char made[PATH_MAX];
    FILE *out;
};

static int cannot_write(const struct replacement *r, struct fl_err *err)
{
    return fl_fail(err, -errno, "cannot write '%s': %s", r->path, strerror(errno));
}

static int open_beside(struct replacement *r, mode_t mode, struct fl_err *err)
{
    if ((!realpath(r->path, r->target) &&
         snprintf(r->target, sizeof r->target, "%s", r->path) >= (int)sizeof r->target) ||
        snprintf(r->made, sizeof r->made, "%s.XXXXXX", r->target) >= (int)sizeof r->made)
        return fl_fail(err, -ENAMETOOLONG, "cannot write '%.200s': its name is too long", r->path);
    int fd = mkostemp(r->made, O_CLOEXEC);
    r->out = fd < 0 ? NULL : fdopen(fd, "w");
    return !r->out || fchmod(fd, mode) ? cannot_write(r, err) : 0;
}

/* Devices and pipes are written to: in their place, a file would be somebody else's loss. */
static int open_replacement(struct replacement *r, struct fl_err *err)
{
    struct stat old;
    bool there = !stat(r->path, &old);
    if (!strcmp(r->path, "-")) {
        r->out = stdout;
        return 0;
    }
    if (there && !S_ISREG(old.st_mode)) {
        r->out = fopen(r->path, "we");
        return r->out ? 0 : cannot_write(r, err);
    }
    mode_t mask = umask(0);
    umask(mask);
    return open_beside(r, there ? old.st_mode & 0777 : 0666 & ~mask, err);
}

/* `rc` says whether what was written is whole. */
static int close_replacement(struct replacement *r, int rc, struct fl_err *err)
{
    if (r->out == stdout)
        return rc;
    if (r->out && fclose(r->out) && !rc)
        rc = cannot_write(r, err);
    if (!rc && *r->made && rename(r->made, r->target))
        rc = fl_fail(err, -errno, "cannot replace '%s': %s", r->path, strerror(errno));
    if (rc && *r->made)
        unlink(r->made);
    return rc;
}

static int write_file(const struct fl_baseline *baseline, const char *path, struct fl_err *err)
{
    struct replacement replacement = {.path = path};
    int rc = open_replacement(&replacement, err);
    if (!rc)
        rc = fl_baseline_write(baseline, replacement.out, err);
    return close_replacement(&replacement, rc, err);
}

static int write_baseline(const struct fl_gating *gating, const char *path, struct fl_err *err)
{
    struct fl_store *store;
    struct fl_baseline baseline;
    int64_t run;
    int rc =
        fl_store_open(gating->store ? gating->store : FL_STORE_DEFAULT, FL_STORE_READ, &store, err);
    if (rc)
        return rc;
    rc = fl_store_find_run(store, gating->run ? gating->run : "latest", &run, err);
    if (!rc)
        rc = fl_baseline_of_run(store, run, &baseline, err);
    fl_store_close(store);
    if (rc)
        return rc;
    rc = write_file(&baseline, path, err);
    if (!rc && baseline.left_out)
        fprintf(stderr,
                "faultline: %zu cells or counts of run %lld are left out: they failed, or have no "
                "few values\n",
                baseline.left_out, (long long)run);
    if (!rc && baseline.samples < 10)
        fprintf(stderr,
                "faultline: fewer than 10 counting samples: counts with several legal values will "
                "stay inconclusive; measure with counting-rounds = 10\n");
    fl_baseline_release(&baseline);
    return rc;
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct fl_gating gating = {.store = NULL};
    struct fl_option table[FL_GATING_OPTIONS + 1] = {{.name = NULL}};
    struct fl_err err = {.text = ""};
    int first;
    fl_gating_options(&gating, table);
    int rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    bool two = argc - first == 2, writes = two && !strcmp(argv[first], "write");
    if (!writes && (!two || strcmp(argv[first], "check") != 0))
        fl_fail(&err, -EINVAL,
                "baseline needs what to do and a file: write FILE.ini or check "
                "FILE.ini");
    else if (!writes) {
        gating.baseline = argv[first + 1];
        size_t length = strlen(gating.baseline);
        if (length > 4 && !strcmp(gating.baseline + length - 4, ".ini"))
            return fl_gating_run(&gating);
        fl_fail(&err, -EINVAL, "the file of a baseline ends in .ini, not '%.80s'", gating.baseline);
    } else if (!write_baseline(&gating, argv[first + 1], &err)) {
        return fl_finish_stdout();
    }
    return fl_complain(&err);
}

const struct fl_command fl_command_baseline = {
    .name = "baseline",
    .summary = "write the counts of a run to a file, or check a run against them",
    .arguments = "write|check FILE.ini",
    .details =
        "check judges and reports as `faultline gate` does; write takes --store and --run.\n",
    .run = run,
};
