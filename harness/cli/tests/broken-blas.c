/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library with a dgemm_ that does what BROKEN names: crash, exit, hang, or compute wrongly.
 * ABSENT has no dgemm_ at all; STATS says what malloc did before the first call, and crashes.
 */
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

enum behaviour { ABSENT, CRASH, EXIT, HANG, LEAVE, WRONG, STATS };

#if BROKEN != 0
void dgemm_(void);

void dgemm_(void)
{
    switch ((enum behaviour)BROKEN) {
    case CRASH:
        abort();
    case EXIT:
        exit(3);
    case LEAVE:
        if (fork() == 0)
            for (;;)
                pause();
        abort();
    case STATS:
        malloc_stats();
        abort();
    case HANG:
        for (;;)
            pause();
    default:
        return; /* C stays as it was */
    }
}
#else
int fl_test_nothing(void);

int fl_test_nothing(void)
{
    return 0;
}
#endif
