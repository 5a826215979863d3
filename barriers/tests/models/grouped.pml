/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier grouped, in groups of two; the last has one thread where T is odd. The first of a group
 * gathers it, the firsts meet by dissemination, and each releases its group.
 *
 * BROKEN: a first releases its group before the groups have met.
 */
#include "meeting.pml"

#define GROUPS ((T + 1) / 2)
#if T <= 2
#define ROUNDS 0
#elif T <= 4
#define ROUNDS 1
#else
#define ROUNDS 2
#endif

byte arrived[T], go[GROUPS], signal[GROUPS * 2];

inline meet_far(g, p)
{
    r = 0;
    step = 1;
    do
    :: r < ROUNDS ->
        signal[((g + step) % GROUPS) * 2 + r] = p;
        wait_until_not(signal[g * 2 + r], p - 1);
        r++;
        step = step * 2
    :: else -> break
    od
}

inline arrive(t, p)
{
    byte r, step;
    if
    :: t % 2 == 1 ->
        arrived[t] = p;
        wait_until_not(go[t / 2], p - 1)
    :: else ->
        if
        :: t + 1 < T -> wait_until_not(arrived[t + 1], p - 1)
        :: else -> skip
        fi;
#ifdef BROKEN
        go[t / 2] = p;
        meet_far(t / 2, p)
#else
        meet_far(t / 2, p);
        go[t / 2] = p
#endif
    fi
}

#include "team.pml"
