/* SPDX-License-Identifier: Apache-2.0 */
/* Interruption: SIGINT, SIGTERM and SIGHUP ask a measurement to stop between two samples. */
#ifndef FL_INTERRUPTION_H
#define FL_INTERRUPTION_H

#include <signal.h>

/* From now on they set what is returned, which lasts as long as the process. SIGPIPE is ignored. */
const volatile sig_atomic_t *fl_interruption_catch(void);

#endif
