/* SPDX-License-Identifier: Apache-2.0 */
/* Emulation: is it this process that the kernel counts, or an emulator that runs it? */
#ifndef FL_EMULATED_H
#define FL_EMULATED_H

/*
 * The reason why the kernel's counts are not this process's own, or NULL where they are. Under
 * qemu-user the kernel counts the emulator. Two system calls; allocates nothing.
 */
const char *fl_emulated(void);

#endif
