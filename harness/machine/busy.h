/* SPDX-License-Identifier: Apache-2.0 */
/* Busy: how much of the machine others use at this moment. */
#ifndef FL_MACHINE_BUSY_H
#define FL_MACHINE_BUSY_H

/*
 * Processors' worth of work, the hypervisor's takings included, during the next `seconds`, through
 * which the caller sleeps; 0 where /proc/stat cannot be read. The load average would not do: it
 * still counts the run before. Resolution: 10 ms over `seconds`.
 */
double fl_busy_processors(double seconds);

#endif
