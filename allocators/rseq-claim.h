/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claiming a word that only the threads of one processor claim, without an atomic operation: a
 * restartable sequence (rseq) looks at the word and sets it, and the kernel sends whoever is
 * preempted or moved in between back to try again. So nobody on this processor has come between
 * look and store. glibc registers each thread for it from 2.35 on.
 */
#ifndef FL_RSEQ_CLAIM_H
#define FL_RSEQ_CLAIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) && __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define FL_HAS_RSEQ_CLAIM 1
#else
#define FL_HAS_RSEQ_CLAIM 0
#endif

enum fl_rseq_result { FL_RSEQ_CLAIMED, FL_RSEQ_BUSY, FL_RSEQ_MOVED };

#if FL_HAS_RSEQ_CLAIM

/* Whether glibc has registered the threads of this process. */
static inline bool fl_rseq_works(void)
{
    return __rseq_size > 0;
}

static inline struct rseq *fl_rseq_area(void)
{
    return (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

/* The processor the thread runs on at this moment; negative where the thread is not registered. */
static inline int fl_rseq_cpu(void)
{
    return (int)*(volatile uint32_t *)&fl_rseq_area()->cpu_id;
}

/*
 * Sets `word` from 0 to 1 if it is 0 and the thread still runs on `cpu`. From label 1 to 2 is the
 * sequence; the store in front of 2 commits it. The descriptor 3 names these labels and 4, where
 * the kernel sends a thread that it has interrupted in between; in front of 4 stands the signature
 * that the kernel asks for. x86's loads acquire by themselves.
 */
static inline enum fl_rseq_result fl_rseq_claim(int cpu, atomic_uint *word)
{
    struct rseq *area = fl_rseq_area();
    enum fl_rseq_result result;
    void *descriptor;
    __asm__ volatile(
        ".pushsection __rseq_cs, \"aw\"\n\t"
        ".balign 32\n"
        "3:\n\t"
        ".long 0, 0\n\t"
        ".quad 1f, 2f - 1f, 4f\n\t"
        ".popsection\n\t"
        "leaq 3b(%%rip), %[descriptor]\n\t"
        "movq %[descriptor], %[sequence]\n"
        "1:\n\t"
        "movl %[moved], %[result]\n\t"
        "cmpl %[cpu], %[now]\n\t"
        "jne 5f\n\t"
        "movl %[busy], %[result]\n\t"
        "cmpl $0, %[word]\n\t"
        "jne 5f\n\t"
        "movl %[claimed], %[result]\n\t"
        "movl $1, %[word]\n"
        "2:\n"
        "5:\n\t"
        ".pushsection __rseq_failure, \"ax\"\n\t"
        ".byte 0x0f, 0xb9, 0x3d\n\t"
        ".long %c[signature]\n"
        "4:\n\t"
        "movl %[moved], %[result]\n\t"
        "jmp 5b\n\t"
        ".popsection"
        : [result] "=&r"(result), [descriptor] "=&r"(descriptor), [sequence] "=m"(area->rseq_cs),
          [word] "+m"(*word)
        : [cpu] "r"(cpu), [now] "m"(area->cpu_id), [claimed] "i"(FL_RSEQ_CLAIMED),
          [busy] "i"(FL_RSEQ_BUSY), [moved] "i"(FL_RSEQ_MOVED), [signature] "i"(RSEQ_SIG)
        : "memory", "cc");
    return result;
}

#else

static inline bool fl_rseq_works(void)
{
    return false;
}

static inline int fl_rseq_cpu(void)
{
    return -1;
}

static inline enum fl_rseq_result fl_rseq_claim(int cpu, atomic_uint *word)
{
    (void)cpu, (void)word;
    return FL_RSEQ_MOVED;
}

#endif
#endif
