/* SPDX-License-Identifier: Apache-2.0 */
/* A file system without space: the sample is refused, all before it stay, and it goes on later. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store-fixture.h"

/* What is mounted from here on only this process sees, and it ends with it. */
static int mount_privately(void)
{
    if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return -errno;
    return 0;
}

/* Fills the store until it fails; the number of samples stored. */
static int fill(struct fixture *f, int64_t cell, int *failure)
{
    int round = 0;

    do {
        char text[512];
        memset(text, 'a' + round % 26, sizeof(text) - 1);
        snprintf(text + 480, 32, "%d", round);
        struct fl_sample sample = {.cell = cell,
                                   .round = round,
                                   .outcome = FL_OUTCOME_CRASHED,
                                   .reason = text,
                                   .calls = 1};
        *failure = fixture_add(f, &sample);
    } while (!*failure && ++round < 100000);
    return round;
}

static void fill_and_go_on(struct fixture *f)
{
    char ballast[200];
    int failure = 0;

    snprintf(ballast, sizeof(ballast), "%s/ballast", f->folder);
    FILE *file = fopen(ballast, "w");
    static char block[256 << 10];
    memset(block, 1, sizeof(block));
    assert_int_equal(fwrite(block, sizeof(block), 1, file), 1);
    assert_int_equal(fclose(file), 0);

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t cell = fixture_cell(f, "192", "malloc", "glibc", NULL);
    int stored = fill(f, cell, &failure);
    assert_int_equal(failure, -ENOSPC);
    assert_non_null(strstr(f->err.text, "no space left"));
    assert_non_null(strstr(f->err.text, f->path));
    assert_true(stored > 10);

    unlink(ballast);
    fixture_timed(f, cell, stored, 10, 5); /* the same store goes on */
    fixture_close(f);
    fixture_open(f, FL_STORE_READ);
    fixture_close(f);
    assert_int_equal(fixture_query(f, "SELECT count(*) FROM sample"), stored + 1);
    assert_int_equal(fixture_query(f, "SELECT max(round) FROM sample"), stored);
}

static void a_full_disk_loses_nothing(void **state)
{
    struct fixture *f = *state;

    fill_and_go_on(f);
    assert_int_equal(mount("faultline", f->folder, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    assert_int_equal(fl_store_open(f->path, FL_STORE_CREATE, &f->store, &f->err), -EROFS);
    assert_non_null(strstr(f->err.text, "Read-only"));
    fixture_open(f, FL_STORE_READ); /* a medium that cannot be written can be read */
    fixture_close(f);
    umount2(f->folder, MNT_DETACH);
}

/* Writes until nothing fits any more. */
static void fill_disk(const char *path)
{
    static char block[4096];
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    while (fwrite(block, sizeof(block), 1, file) == 1 && fflush(file) == 0) {
    }
    fclose(file);
}

static void a_store_that_cannot_be_made_says_why(void **state)
{
    struct fixture *f = *state;
    char ballast[200];

    snprintf(ballast, sizeof(ballast), "%s/ballast", f->folder);
    fill_disk(ballast);
    assert_int_equal(fl_store_open(f->path, FL_STORE_CREATE, &f->store, &f->err), -ENOSPC);
    assert_non_null(strstr(f->err.text, "space"));
    unlink(ballast);
    fixture_open(f, FL_STORE_CREATE); /* nothing half-made is in the way */
    fixture_begin(f);
    fixture_close(f);
    umount2(f->folder, MNT_DETACH);
}

static int set_up(void **state)
{
    int status = fixture_set_up(state);

    if (status)
        return status;
    struct fixture *f = *state;
    return mount("faultline", f->folder, "tmpfs", 0, "size=2m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_full_disk_loses_nothing, set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_store_that_cannot_be_made_says_why, set_up,
                                        fixture_tear_down),
    };

    if (mount_privately()) {
        fprintf(stderr, "skipped: cannot mount a small file system: %s\n", strerror(errno));
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
