/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every model of a barrier shares: T threads that meet PHASES times, and what must hold.
 *
 * A thread is in phase `here[t]` once it has begun to arrive for it. When it leaves phase p,
 * everybody must be in phase p at least, and, since nobody can go two phases ahead, in p + 1 at
 * most. A thread that is lost is an invalid end state, which the verifier reports by itself.
 *
 * Memory is sequentially consistent here: a model shows that the algorithm is right, the thread
 * sanitizer that the memory orders are.
 *
 * A model defines arrive(t, p): thread t meets phase p (1, 2, ...), words hold the phase last set,
 * and 0 at first. With BROKEN defined it has a fault of its own that the verifier must find.
 */
#ifndef PHASES
#define PHASES 3
#endif

byte here[T];

#define wait_until_not(word, old) (word != old)

inline check_left(p)
{
    byte other = 0;
    do
    :: other < T ->
        assert(here[other] == p || here[other] == p + 1);
        other++
    :: else -> break
    od
}
