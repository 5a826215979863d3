/* SPDX-License-Identifier: Apache-2.0 */
/* What the worker does to its own process before it measures. */
#ifndef FL_PROCESS_H
#define FL_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "faultline/error.h"

/* Dies with its parent: SIGKILL when the runner goes, and at once where it has gone already.
 * `parent` 0: no runner. */
int fl_process_follow(pid_t parent, struct fl_err *err) FL_MUST_CHECK;

/* Keeps the process on the processors of `list` (`0,2-3`). -EINVAL (list), -errno (refused). */
int fl_process_pin(const char *list, struct fl_err *err) FL_MUST_CHECK;

/*
 * Maps the pages of the program's and its libraries' files that are in memory (MADV_POPULATE_READ,
 * Linux 5.14): code that runs for the first time in the window would fault. Best effort.
 */
void fl_process_map_files(void);

/*
 * May memory come in huge pages that nobody asked for? Looks at the modes below `folder`
 * (/sys/kernel/mm/transparent_hugepage), those of the single sizes included, of which each may be
 * `always` while the first is not. True where there is nothing to read. Allocates nothing.
 */
bool fl_process_gets_huge_pages(const char *folder);

/*
 * Switches transparent huge pages off for this process, but where a part advises them
 * (PR_THP_DISABLE_EXCEPT_ADVISED, Linux 6.18). Older kernels know only off for all: used where
 * pages may come unasked; a part that advises huge pages allows them for as long as it takes
 * them.
 */
int fl_process_no_huge_pages(struct fl_err *err) FL_MUST_CHECK;

/*
 * Is the OpenMP runtime that the cell names the one in front? The dynamic linker only warns when it
 * cannot preload, and libgomp would quietly take libomp's place. NULL: the cell names none. 0, or
 * -ENOTSUP.
 */
int fl_process_verify_runtime(const char *runtime, struct fl_err *err) FL_MUST_CHECK;

#endif
