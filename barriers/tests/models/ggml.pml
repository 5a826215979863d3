/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ggml's barrier. ALL_ADD: ggml-packed and ggml-split; else ggml-single-release and ggml-fixed. Where
 * the counters stand makes no difference to the algorithm.
 *
 * BROKEN: the last thread clears `arrived` after it has released the others.
 */
#include "meeting.pml"

byte arrived, passed;

inline arrive(t, p)
{
    byte before = passed, count;
    d_step { count = arrived; arrived++ };
    if
    :: count == T - 1 ->
#ifdef BROKEN
        d_step { passed++ };
        arrived = 0
#else
        arrived = 0;
        d_step { passed++ }
#endif
    :: else ->
        wait_until_not(passed, before);
#ifdef ALL_ADD
        d_step { passed = passed + 0 }
#endif
    fi
}

#include "team.pml"
