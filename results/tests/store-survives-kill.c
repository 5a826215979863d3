/* SPDX-License-Identifier: Apache-2.0 */
/* A writer killed at any moment: every sample that it was told is stored, is stored. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store-fixture.h"

enum { KILLS = 20, READERS = 2, SAMPLES = 300 };

/* Writes samples from `round` on for ever; says each over the pipe after it was stored. */
static void write_samples(struct fixture *f, int64_t cell, int round, int pipe_end)
{
    int status = fl_store_open(f->path, FL_STORE_WRITE, &f->store, &f->err);

    for (; !status; round++) {
        const struct fl_value value = {.metric = f->faults, .total = 112};
        struct fl_sample sample = {
            .cell = cell, .round = round, .calls = 1, .values = &value, .value_count = 1};
        status = fixture_add(f, &sample);
        if (!status && write(pipe_end, &round, sizeof(round)) != (ssize_t)sizeof(round))
            break;
    }
    fprintf(stderr, "%s\n", f->err.text);
    _exit(1);
}

/* Starts a writer, kills it after `microseconds`; the last round it said, or -1. */
static int killed_writer(struct fixture *f, int64_t cell, int round, unsigned microseconds)
{
    int ends[2], said = -1, status, got;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        write_samples(f, cell, round, ends[1]);
    }
    close(ends[1]);
    usleep(microseconds);
    kill(child, SIGKILL);
    while (read(ends[0], &got, sizeof(got)) == (ssize_t)sizeof(got))
        said = got;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    return said;
}

static int next_round(void *arg, const struct fl_stored_sample *sample)
{
    int *next = arg;

    assert_int_equal(sample->sample.round, *next); /* no hole */
    ++*next;
    return 0;
}

static void no_stored_sample_is_lost(void **state)
{
    struct fixture *f = *state;
    int64_t unfinished = 0;
    int round = 0;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t cell = fixture_cell(f, "192", "malloc", "glibc", NULL);
    fixture_close(f);
    for (int i = 0; i < KILLS; i++) {
        int said = killed_writer(f, cell, round, 3000u + (unsigned)i * 7919u % 40000u), stored = 0;
        fixture_open(f, FL_STORE_READ);
        fixture_ok(f, fl_store_find_unfinished(f->store, "packing-faults", &unfinished, &f->err));
        assert_int_equal(unfinished, f->run);
        fixture_ok(f, fl_store_samples(f->store, unfinished, next_round, &stored, &f->err));
        fixture_close(f);
        assert_true(stored > said);
        assert_true(stored <= (said < 0 ? round : said + 1) + 1); /* one may be untold */
        round = stored;
    }
    assert_true(round > KILLS); /* the writers did write */
    assert_int_equal(fixture_query(f, "SELECT count(*) FROM value"), round);
    assert_int_equal(fixture_query(f, "SELECT count(*) FROM pragma_integrity_check "
                                      "WHERE integrity_check = 'ok'"),
                     1);
}

static int count_samples(void *arg, const struct fl_stored_sample *sample)
{
    (void)sample;
    ++*(int *)arg;
    return 0;
}

/* Reads until all samples are there; exits with 0. */
static void read_all(struct fixture *f)
{
    int last = 0, seen = 0;
    int status = fl_store_open(f->path, FL_STORE_READ, &f->store, &f->err);

    while (!status && seen < SAMPLES) {
        last = seen;
        seen = 0;
        status = fl_store_samples(f->store, f->run, count_samples, &seen, &f->err);
        if (seen < last)
            _exit(2);
    }
    if (status)
        fprintf(stderr, "%s\n", f->err.text);
    _exit(status ? 1 : 0);
}

static void two_read_while_one_writes(void **state)
{
    struct fixture *f = *state;
    int status;

    fixture_open(f, FL_STORE_CREATE);
    fixture_begin(f);
    int64_t cell = fixture_cell(f, "192", "malloc", "glibc", NULL);
    fixture_close(f);
    for (int i = 0; i < READERS; i++)
        if (fork() == 0)
            read_all(f);
    fixture_open(f, FL_STORE_WRITE);
    for (int round = 0; round < SAMPLES; round++)
        fixture_timed(f, cell, round, 100, 5);
    for (int i = 0; i < READERS; i++) {
        wait(&status);
        assert_int_equal(status, 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_stored_sample_is_lost),
        TEST(two_read_while_one_writes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
