/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier `pthread`: pthread_barrier_wait() of the C library, which waits as it likes
 * (wait=runtime). Its read-modify-writes and system calls are not ours and cannot be counted here.
 */
#include <pthread.h>
#include <string.h>

#include "rmw.h"

static int pthread_open(void *state, const struct fl_barrier_team *team, const struct fl_wait *wait,
                        const char *options, struct fl_err *err)
{
    (void)wait, (void)options;
    int rc = pthread_barrier_init(state, NULL, team->threads);
    return rc ? fl_fail(err, -rc, "cannot make a pthread barrier of %u threads: %s", team->threads,
                        strerror(rc))
              : 0;
}

static void pthread_arrive(void *state, unsigned thread, struct fl_wait_stat *stat)
{
    (void)thread, (void)stat;
    pthread_barrier_wait(state);
}

static void pthread_close(void *state)
{
    pthread_barrier_destroy(state);
}

const struct fl_barrier_ops FL_BARRIER(pthread) = {
    .part = {.name = "pthread",
             .summary = "pthread_barrier_wait of the C library (wait=runtime)",
             .abi = FL_PART_ABI,
             .state_size = sizeof(pthread_barrier_t)},
    .own_wait = true,
    .open = pthread_open,
    .arrive = pthread_arrive,
    .close = pthread_close,
};
