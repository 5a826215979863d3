/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Condition waits and C11 mutexes. A wait takes its mutex again before it returns, inside libc
 * where the probe sees no try: counted as a lock, never as contended. libc's C11 functions do not
 * come through pthread_mutex_lock and are counted here.
 */
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "probe-count.h"
#include "probe-real.h"

static void count_lock(void)
{
    fl_probe_add(fl_probe_record_mine(), FL_PROBE_LOCKS, 1);
}

/* Other errors are found before the mutex is let go. */
static void count_relock(const int *rc)
{
    if (*rc == 0 || *rc == ETIMEDOUT || *rc == EOWNERDEAD)
        count_lock();
}

/* Counted at the end of the frame, through which a cancelled wait passes with its mutex taken. */
#define RELOCK __attribute__((cleanup(count_relock))) int

FL_PROBE_EXPORT int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    RELOCK rc = 0;
    rc = FL_REAL(pthread_cond_wait)(cond, mutex);
    return rc;
}

FL_PROBE_EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                           const struct timespec *until)
{
    RELOCK rc = 0;
    rc = FL_REAL(pthread_cond_timedwait)(cond, mutex, until);
    return rc;
}

FL_PROBE_EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                           clockid_t clock, const struct timespec *until)
{
    RELOCK rc = 0;
    rc = FL_REAL(pthread_cond_clockwait)(cond, mutex, clock, until);
    return rc;
}

static int count_success(int rc)
{
    if (rc == thrd_success)
        count_lock();
    return rc;
}

static int count_waited(int rc, uint64_t begin)
{
    struct fl_probe_record *mine = fl_probe_record_mine();
    fl_probe_add(mine, FL_PROBE_WAIT_NS, fl_probe_now() - begin);
    if (rc == thrd_success)
        fl_probe_add(mine, FL_PROBE_CONTENDED, 1);
    return count_success(rc);
}

FL_PROBE_EXPORT int mtx_trylock(mtx_t *mutex)
{
    return count_success(FL_REAL(mtx_trylock)(mutex));
}

FL_PROBE_EXPORT int mtx_lock(mtx_t *mutex)
{
    int rc = FL_REAL(mtx_trylock)(mutex);
    if (rc != thrd_busy)
        return count_success(rc);
    uint64_t begin = fl_probe_now();
    return count_waited(FL_REAL(mtx_lock)(mutex), begin);
}

FL_PROBE_EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
    int rc = FL_REAL(mtx_trylock)(mutex);
    if (rc != thrd_busy)
        return count_success(rc);
    uint64_t begin = fl_probe_now();
    return count_waited(FL_REAL(mtx_timedlock)(mutex, until), begin);
}

FL_PROBE_EXPORT int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    return count_success(FL_REAL(cnd_wait)(cond, mutex));
}

FL_PROBE_EXPORT int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
                                  const struct timespec *restrict until)
{
    int rc = FL_REAL(cnd_timedwait)(cond, mutex, until);
    if (rc == thrd_timedout)
        count_lock();
    return count_success(rc);
}
