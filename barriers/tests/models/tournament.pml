/* SPDX-License-Identifier: Apache-2.0 */
/* Barrier tournament. BROKEN: a winner without an opponent takes the round for its last one. */
#include "meeting.pml"

#if T <= 2
#define ROUNDS 1
#elif T <= 4
#define ROUNDS 2
#else
#define ROUNDS 3
#endif

byte beaten[T * ROUNDS], go[T];

inline arrive(t, p)
{
    byte r = 0, step = 1;
    do
    :: r == ROUNDS -> break
    :: r < ROUNDS && (t / step) % 2 == 1 ->
        beaten[(t - step) * ROUNDS + r] = p;
        wait_until_not(go[t], p - 1);
        break
    :: r < ROUNDS && (t / step) % 2 == 0 ->
        if
        :: t + step < T -> wait_until_not(beaten[t * ROUNDS + r], p - 1)
        :: else ->
#ifdef BROKEN
            break
#else
            skip
#endif
        fi;
        r++;
        step = step * 2
    od;
    do
    :: r == 0 -> break
    :: else ->
        r--;
        step = step / 2;
        if
        :: t + step < T -> go[t + step] = p
        :: else -> skip
        fi
    od
}

#include "team.pml"
