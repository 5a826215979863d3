/* SPDX-License-Identifier: Apache-2.0 */
/* Barrier central. BROKEN: the word is set before the counter is cleared. */
#include "meeting.pml"

byte arrived, word;

inline arrive(t, p)
{
    byte count;
    d_step { count = arrived; arrived++ };
    if
    :: count == T - 1 ->
#ifdef BROKEN
        word = p;
        arrived = 0
#else
        arrived = 0;
        word = p
#endif
    :: else -> wait_until_not(word, p - 1)
    fi
}

#include "team.pml"
