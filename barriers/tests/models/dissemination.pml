/* SPDX-License-Identifier: Apache-2.0 */
/* Barrier dissemination. BROKEN: one round too few. */
#include "meeting.pml"

#if T <= 2
#define NEEDED 1
#elif T <= 4
#define NEEDED 2
#else
#define NEEDED 3
#endif

#ifdef BROKEN
#define ROUNDS (NEEDED - 1)
#else
#define ROUNDS NEEDED
#endif

byte signal[T * NEEDED];

inline arrive(t, p)
{
    byte r = 0, step = 1;
    do
    :: r < ROUNDS ->
        signal[((t + step) % T) * NEEDED + r] = p;
        wait_until_not(signal[t * NEEDED + r], p - 1);
        r++;
        step = step * 2
    :: else -> break
    od
}

#include "team.pml"
