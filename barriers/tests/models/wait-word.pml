/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handshake of sleeping and waking on a wait word: T - 1 threads wait for a value that one sets.
 * A wake-up that is lost leaves a thread asleep for ever: an invalid end state.
 *
 * The kernel compares the value and queues the thread in one step (FUTEX_WAIT); a wake empties the
 * queue. The waker makes no call where it sees no sleeper. BROKEN: the waker looks for sleepers
 * before it sets the value, which is what a processor may do with a store and a load that are not
 * both seq_cst.
 */
byte value, sleepers;
bool queued[T];

proctype waiter(byte t)
{
    sleepers++;
    do
    :: value == 0 ->
        atomic {
            if
            :: value == 0 -> queued[t] = true
            :: else -> skip
            fi
        };
        !queued[t]
    :: else -> break
    od;
    sleepers--
}

proctype waker()
{
    byte i = 0, seen;
#ifdef BROKEN
    seen = sleepers;
    value = 1;
#else
    value = 1;
    seen = sleepers;
#endif
    if
    :: seen > 0 ->
        atomic {
            do
            :: i < T - 1 -> queued[i] = false; i++
            :: else -> break
            od
        }
    :: else -> skip
    fi
}

init {
    byte i = 0;
    atomic {
        do
        :: i < T - 1 -> run waiter(i); i++
        :: else -> break
        od;
        run waker()
    }
}
