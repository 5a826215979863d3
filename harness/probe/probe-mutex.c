/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutexes: every way to take a pthread mutex.
 *
 * Each first tries. That fails for a mutex that is held, which is what contended means here; then
 * the real call waits and its time is taken. For all kinds of mutexes a try that succeeds leaves
 * the same state as the call would; only a held one goes on to the real call, so that recursive,
 * error-checking and robust mutexes keep their results.
 */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "probe-count.h"
#include "probe-real.h"

/* EOWNERDEAD hands the mutex over, too. */
static int count_taken(int rc)
{
    if (rc == 0 || rc == EOWNERDEAD)
        fl_probe_add(fl_probe_record_mine(), FL_PROBE_LOCKS, 1);
    return rc;
}

/* A wait that was given up took time but no mutex. */
static int count_waited(int rc, uint64_t begin)
{
    struct fl_probe_record *mine = fl_probe_record_mine();
    fl_probe_add(mine, FL_PROBE_WAIT_NS, fl_probe_now() - begin);
    if (rc == 0 || rc == EOWNERDEAD)
        fl_probe_add(mine, FL_PROBE_CONTENDED, 1);
    return count_taken(rc);
}

FL_PROBE_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return count_taken(FL_REAL(pthread_mutex_trylock)(mutex));
}

FL_PROBE_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    int rc = FL_REAL(pthread_mutex_trylock)(mutex);
    if (__builtin_expect(rc != EBUSY, 1))
        return count_taken(rc);
    uint64_t begin = fl_probe_now();
    return count_waited(FL_REAL(pthread_mutex_lock)(mutex), begin);
}

FL_PROBE_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    int rc = FL_REAL(pthread_mutex_trylock)(mutex);
    if (rc != EBUSY)
        return count_taken(rc);
    uint64_t begin = fl_probe_now();
    return count_waited(FL_REAL(pthread_mutex_timedlock)(mutex, until), begin);
}

FL_PROBE_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                            const struct timespec *until)
{
    int rc = FL_REAL(pthread_mutex_trylock)(mutex);
    if (rc != EBUSY)
        return count_taken(rc);
    uint64_t begin = fl_probe_now();
    return count_waited(FL_REAL(pthread_mutex_clocklock)(mutex, clock, until), begin);
}
