/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Free memory: what a process may take before the kernel's out-of-memory killer comes.
 *
 * The kernel hands out more than it has, and then kills whoever touches it; so a size is judged
 * before it is asked for.
 */
#ifndef FL_MACHINE_FREE_MEMORY_H
#define FL_MACHINE_FREE_MEMORY_H

/*
 * Bytes that are available without swapping, within the control group's limit; root NULL: the live
 * machine. 0 where that cannot be seen. No allocation; thread-safe.
 */
unsigned long long fl_free_memory(const char *root);

#endif
