/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks: the threads of a process, read without malloc (opendir takes 32 KiB from it). */
#ifndef FL_TASKS_H
#define FL_TASKS_H

#include <sys/types.h>

/* Called for each thread; a result other than 0 ends the walk and is its result. */
typedef int (*fl_task_fn)(pid_t tid, void *arg);

/* Walks the calling process's threads in the order of the kernel's list. fn's result, or -errno. */
int fl_each_task(fl_task_fn fn, void *arg);

#endif
