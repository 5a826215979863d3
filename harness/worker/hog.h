/* SPDX-License-Identifier: Apache-2.0 */
/* Hog: this program as a process that keeps a processor busy, see runner/hogs.h. */
#ifndef FL_HOG_H
#define FL_HOG_H

/*
 * `--hog --cpus=LIST --parent=PID`: says `.` on descriptor 3, waits for SIGUSR1, then computes
 * until it is killed. Returns the exit status only where that cannot be.
 */
int fl_hog_mode(int argc, char **argv);

#endif
