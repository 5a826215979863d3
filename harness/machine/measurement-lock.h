/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurement lock: one measurement at a time per machine, whoever runs it.
 *
 * flock() on a file that every user can open and nobody needs to write. The kernel drops the lock
 * when its holder dies, however it dies; who holds it is read from /proc/locks, not from the file,
 * so nothing in it has to be trusted. Hand the lock to no child: the descriptor is close-on-exec.
 *
 * Containers that do not share /run/lock with the host have a lock of their own.
 */
#ifndef FL_MACHINE_MEASUREMENT_LOCK_H
#define FL_MACHINE_MEASUREMENT_LOCK_H

#include <stdbool.h>

#include "faultline/error.h"

struct fl_measurement_lock {
    int fd; /* -1: not held */
};

/*
 * Called when somebody else holds the lock, first at once and then after every pause. `holder` is
 * a process number, 0 where it cannot be seen. Return true to go on waiting, false to give up.
 */
typedef bool (*fl_lock_waiting_fn)(void *arg, int holder, double waited_seconds);

/*
 * Takes the lock, waiting up to `timeout_seconds` (0: no wait; negative: for ever). `path` NULL:
 * the machine's place, /run/lock/faultline.lock, or /tmp where /run/lock is not open to every
 * user. `waiting` may be NULL. 0; -ETIMEDOUT: held, the reason names the holder; -EINTR: waiting()
 * gave up; -ELOOP, -EINVAL, -EACCES, ...: the file is not one that can be trusted or opened.
 */
int fl_measurement_lock_open(struct fl_measurement_lock *lock, const char *path,
                             double timeout_seconds, fl_lock_waiting_fn waiting, void *arg,
                             struct fl_err *err) FL_MUST_CHECK;

/* Gives it back; nothing happens where it is not held. The file stays, for the next one. */
void fl_measurement_lock_close(struct fl_measurement_lock *lock);

/* Who holds the lock on `path` (as above): the process number; 0: nobody, or it cannot be seen. */
int fl_measurement_lock_holder(const char *path);

#endif
