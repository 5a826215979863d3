/* SPDX-License-Identifier: Apache-2.0 */
/* Fixture: a store in a folder of its own, and short ways to fill it. */
#ifndef RESULTS_TESTS_STORE_FIXTURE_H
#define RESULTS_TESTS_STORE_FIXTURE_H

#include "results/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/types.h>

#include <cmocka.h>

struct fixture {
    char folder[128], path[160];
    struct fl_store *store; /* NULL: not open */
    struct fl_err err;
    int64_t run;
    int64_t faults, time, gflops; /* metric ids */
};

/* cmocka set-up and tear-down: an empty folder; tear-down closes the store and removes it all. */
int fixture_set_up(void **state);
int fixture_tear_down(void **state);

/* Fails the test, with the reason, unless status is 0. */
void fixture_ok(struct fixture *f, int status);

void fixture_open(struct fixture *f, enum fl_store_access access);
void fixture_close(struct fixture *f);

/* A run with every field filled, its three metrics planned. */
struct fl_run_info fixture_info(void);
void fixture_begin(struct fixture *f);

/* Plans `kernel=dgemm n=N workspace=W malloc=M`, isa implied. */
int64_t fixture_cell(struct fixture *f, const char *n, const char *workspace,
                     const char *malloc_name, const char *unavailable);

/* Samples that went well. */
void fixture_timed(struct fixture *f, int64_t cell, int round, int64_t calls, double ns);
void fixture_counted(struct fixture *f, int64_t cell, int round, int64_t calls, int64_t faults);
int fixture_add(struct fixture *f, const struct fl_sample *sample);

/* First number of an SQL query on a connection of its own. */
long long fixture_query(struct fixture *f, const char *sql);

#endif
