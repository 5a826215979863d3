/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier combining-tree with arity 2 and up to two levels: T of 3 or 4. Nodes 0 and 1 are leaves,
 * node 2 the root. BROKEN: a winner releases its leaf before it goes on to the root.
 */
#include "meeting.pml"

byte arrived[3], word[3];

inline arrive(t, p)
{
    byte count, leaf = t / 2, size;
    size = (leaf == 1 && T == 3 -> 1 : 2);
    d_step { count = arrived[leaf]; arrived[leaf] = arrived[leaf] + 1 };
    if
    :: count == size - 1 ->
        arrived[leaf] = 0;
#ifdef BROKEN
        word[leaf] = p;
#endif
        d_step { count = arrived[2]; arrived[2] = arrived[2] + 1 };
        if
        :: count == 1 ->
            arrived[2] = 0;
            word[2] = p
        :: else -> wait_until_not(word[2], p - 1)
        fi;
        word[leaf] = p
    :: else -> wait_until_not(word[leaf], p - 1)
    fi
}

#include "team.pml"
