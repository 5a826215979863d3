/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurement lock: one holder, named while it holds, released when it dies; files not to trust.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture-tree.h"
#include "machine/measurement-lock.h"

struct place {
    char *root;
    char path[128];
};

static int make_place(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    place->root = fixture_tree_make((const struct fixture_file[]){{NULL, NULL}});
    snprintf(place->path, sizeof place->path, "%s/measure.lock", place->root);
    *state = place;
    return 0;
}

static int remove_place(void **state)
{
    struct place *place = *state;
    fixture_tree_remove(place->root);
    free(place);
    return 0;
}

/* A child that holds the lock until it is killed. */
static pid_t start_holder(const char *path)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct fl_measurement_lock lock;
        if (fl_measurement_lock_open(&lock, path, 0, NULL, NULL, NULL) != 0)
            _exit(1);
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        pause();
        _exit(0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void end_holder(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void a_second_measurement_is_refused_and_the_holder_named(void **state)
{
    struct place *place = *state;
    struct fl_measurement_lock lock;
    struct fl_err err = {{0}};
    char name[32];
    pid_t child = start_holder(place->path);
    assert_int_equal(fl_measurement_lock_holder(place->path), child);
    assert_int_equal(fl_measurement_lock_open(&lock, place->path, 0, NULL, NULL, &err), -ETIMEDOUT);
    assert_int_equal(lock.fd, -1);
    snprintf(name, sizeof name, "process %d ", (int)child);
    assert_non_null(strstr(err.text, name));
    end_holder(child);
}

static void a_killed_holder_frees_the_lock(void **state)
{
    struct place *place = *state;
    struct fl_measurement_lock lock;
    struct fl_err err = {{0}};
    end_holder(start_holder(place->path));
    assert_int_equal(fl_measurement_lock_open(&lock, place->path, 0, NULL, NULL, &err), 0);
    fl_measurement_lock_close(&lock);
    assert_int_equal(fl_measurement_lock_holder(place->path), 0);
}

static bool kill_the_holder(void *arg, int holder, double waited)
{
    pid_t *child = arg;
    (void)waited;
    assert_int_equal(holder, *child);
    end_holder(*child);
    return true;
}

static void waiting_ends_when_the_holder_does(void **state)
{
    struct place *place = *state;
    struct fl_measurement_lock lock;
    struct fl_err err = {{0}};
    pid_t child = start_holder(place->path);
    assert_int_equal(
        fl_measurement_lock_open(&lock, place->path, -1, kill_the_holder, &child, &err), 0);
    fl_measurement_lock_close(&lock);
}

static bool give_up(void *arg, int holder, double waited)
{
    (void)arg;
    (void)holder;
    (void)waited;
    return false;
}

static void waiting_can_be_given_up(void **state)
{
    struct place *place = *state;
    struct fl_measurement_lock lock;
    struct fl_err err = {{0}};
    pid_t child = start_holder(place->path);
    assert_int_equal(fl_measurement_lock_open(&lock, place->path, -1, give_up, NULL, &err), -EINTR);
    end_holder(child);
}

static void links_are_not_followed(void **state)
{
    struct place *place = *state;
    struct fl_measurement_lock lock;
    struct fl_err err = {{0}};
    char target[160];
    snprintf(target, sizeof target, "%s.target", place->path);
    assert_int_equal(symlink(target, place->path), 0);
    assert_int_equal(fl_measurement_lock_open(&lock, place->path, 0, NULL, NULL, &err), -ELOOP);
    assert_int_equal(access(target, F_OK), -1);
    assert_int_equal(unlink(place->path), 0);
    close(open(target, O_CREAT | O_RDWR, 0600));
    assert_int_equal(link(target, place->path), 0);
    assert_int_equal(fl_measurement_lock_open(&lock, place->path, 0, NULL, NULL, &err), -EINVAL);
}

static void the_file_is_readable_for_all_and_written_by_nobody(void **state)
{
    struct place *place = *state;
    struct fl_measurement_lock lock;
    struct stat info;
    mode_t old = umask(077);
    assert_int_equal(fl_measurement_lock_open(&lock, place->path, 0, NULL, NULL, NULL), 0);
    umask(old);
    assert_int_equal(stat(place->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0444);
    assert_int_equal(info.st_size, 0);
    assert_int_equal(fcntl(lock.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    fl_measurement_lock_close(&lock);
}

/* Opens the lock as user 65534; the exit status is the negated result. */
static int open_as_nobody(const char *path)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct fl_measurement_lock lock;
        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(255);
        _exit(-fl_measurement_lock_open(&lock, path, 0, NULL, NULL, NULL));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void root_and_users_share_the_lock_in_a_sticky_folder(void **state)
{
    struct place *place = *state;
    struct fl_measurement_lock lock;
    if (geteuid() != 0)
        skip();
    assert_int_equal(chmod(place->root, 01777), 0);
    /* First the user makes the file, then root uses it, then the user meets root's lock. */
    assert_int_equal(open_as_nobody(place->path), 0);
    assert_int_equal(fl_measurement_lock_open(&lock, place->path, 0, NULL, NULL, NULL), 0);
    assert_int_equal(open_as_nobody(place->path), ETIMEDOUT);
    fl_measurement_lock_close(&lock);
    assert_int_equal(open_as_nobody(place->path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_second_measurement_is_refused_and_the_holder_named,
                                        make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_killed_holder_frees_the_lock, make_place, remove_place),
        cmocka_unit_test_setup_teardown(waiting_ends_when_the_holder_does, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(waiting_can_be_given_up, make_place, remove_place),
        cmocka_unit_test_setup_teardown(links_are_not_followed, make_place, remove_place),
        cmocka_unit_test_setup_teardown(root_and_users_share_the_lock_in_a_sticky_folder,
                                        make_place, remove_place),
        cmocka_unit_test_setup_teardown(the_file_is_readable_for_all_and_written_by_nobody,
                                        make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
