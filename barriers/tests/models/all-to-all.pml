/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier all-to-all, and grouped where it exchanges flags. BROKEN: the thread before one's own is
 * not looked at.
 */
#include "meeting.pml"

#ifdef BROKEN
#define OTHERS (T - 2)
#else
#define OTHERS (T - 1)
#endif

byte flag[T];

inline arrive(t, p)
{
    byte i = 1;
    flag[t] = p;
    do
    :: i <= OTHERS ->
        wait_until_not(flag[(t + i) % T], p - 1);
        i++
    :: else -> break
    od
}

#include "team.pml"
