/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barrier mcs-tree, four in and two out. From T of 6 the way in has two levels, from T of 4 the way
 * out. BROKEN: a thread tells its parent before it has heard of its children.
 */
#include "meeting.pml"

#define IN 4
#define OUT 2

byte child[T * IN], go[T];

inline hear_children(t, p)
{
    i = 0;
    do
    :: i < IN && IN * t + i + 1 < T ->
        wait_until_not(child[t * IN + i], p - 1);
        i++
    :: else -> break
    od
}

inline tell_parent(t, p)
{
    if
    :: t > 0 -> child[((t - 1) / IN) * IN + (t - 1) % IN] = p
    :: else -> skip
    fi
}

inline arrive(t, p)
{
    byte i;
#ifdef BROKEN
    tell_parent(t, p);
    hear_children(t, p);
#else
    hear_children(t, p);
    tell_parent(t, p);
#endif
    if
    :: t > 0 -> wait_until_not(go[t], p - 1)
    :: else -> skip
    fi;
    i = OUT * t + 1;
    do
    :: i <= OUT * t + OUT && i < T -> go[i] = p; i++
    :: else -> break
    od
}

#include "team.pml"
