/* SPDX-License-Identifier: Apache-2.0 */
/* The threads; comes after arrive(). */
proctype thread(byte t)
{
    byte phase = 1;
    do
    :: phase <= PHASES ->
        here[t] = phase;
        arrive(t, phase);
        skip; /* no loop of arrive() may end in the middle of a step */
        d_step { check_left(phase) };
        phase++
    :: else -> break
    od
}

init {
    byte i = 0;
    atomic {
        do
        :: i < T -> run thread(i); i++
        :: else -> break
        od
    }
}
