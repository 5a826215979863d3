/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier hyper with branching factor 2, so that three threads have two levels already. BROKEN: a
 * thread raises its flag before it has gathered.
 */
#include "meeting.pml"

byte arrived[T], go[T];

inline arrive(t, p)
{
    byte step = 1;
#ifdef BROKEN
    arrived[t] = p;
#endif
    do
    :: step < T && (t / step) % 2 == 0 ->
        if
        :: t + step < T -> wait_until_not(arrived[t + step], p - 1)
        :: else -> skip
        fi;
        step = step * 2
    :: else -> break
    od;
    arrived[t] = p;
    if
    :: t > 0 -> wait_until_not(go[t], p - 1)
    :: else -> skip
    fi;
    do
    :: step > 1 ->
        step = step / 2;
        if
        :: t + step < T -> go[t + step] = p
        :: else -> skip
        fi
    :: else -> break
    od
}

#include "team.pml"
