/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the compiler may no longer do behind FL_DO_NOT_OPTIMIZE and its kin; built with -O2 always.
 *
 * Each case has its control: the same code without the macro, where the compiler does use its
 * freedom. Without that the case would pass for any reason.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "faultline/gbench.h"

#ifdef FL_SANITIZED

int main(void)
{
    fprintf(stderr, "skipped: sanitizers keep code that is dead\n");
    return 77;
}

#else

/* Interposer of SIGSEGV: a handler has nowhere else to return to. */
static sigjmp_buf after_fault;

static void on_fault(int signal)
{
    (void)signal;
    siglongjmp(after_fault, 1);
}

static bool faults(void (*body)(const int *), const int *forbidden)
{
    struct sigaction action = {.sa_handler = on_fault}, before;
    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
    const bool faulted = sigsetjmp(after_fault, 1) != 0;
    if (!faulted)
        body(forbidden);
    assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
    return faulted;
}

static void dead_load(const int *from)
{
    const int value = *from;
    (void)value;
}

static void kept_load(const int *from)
{
    const int value = *from;
    FL_DO_NOT_OPTIMIZE(value);
}

static void a_value_handed_over_is_computed(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int *forbidden = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(forbidden != MAP_FAILED);
    assert_false(faults(dead_load, forbidden));
    assert_true(faults(kept_load, forbidden));
    munmap(forbidden, page);
}

static void a_hidden_value_is_unknown(void **state)
{
    (void)state;
    int known = 3, hidden = 3;
    FL_HIDE_VALUE(hidden);
    assert_true(__builtin_constant_p(known));
    assert_false(__builtin_constant_p(hidden));
    assert_int_equal(hidden, known);
}

/* Writes `value` to `to` without telling the compiler, as another agent would. */
static inline void write_unseen(int *to, int value)
{
#if defined(__x86_64__)
    __asm__ volatile("movl %1, (%0)" : : "r"(to), "r"(value));
#elif defined(__aarch64__)
    __asm__ volatile("str %w1, [%0]" : : "r"(to), "r"(value));
#else
#error "say how this machine stores a word"
#endif
}

static void clobbered_memory_is_read_again(void **state)
{
    (void)state;
    int word = 1;
    FL_CLOBBER_MEMORY();
    write_unseen(&word, 2);
    FL_CLOBBER_MEMORY();
    assert_int_equal(word, 2);
#ifndef __clang__ /* which takes any volatile assembly to write memory */
    int stale = 1;
    write_unseen(&stale, 2);
    assert_int_equal(stale, 1);
#endif
}

static void an_object_handed_over_by_address_is_in_memory_and_read_again(void **state)
{
    (void)state;
    int words[2] = {1, 7};
    FL_DO_NOT_OPTIMIZE(&words);
    write_unseen(words, 2);
    FL_DO_NOT_OPTIMIZE(&words);
    assert_int_equal(words[0], 2);
    assert_int_equal(words[1], 7);
}

static void values_of_every_kind_pass_unchanged(void **state)
{
    (void)state;
    char byte = 'c';
    short half = -2;
    uint64_t word = UINT64_MAX;
    bool flag = true;
    float single = 1.5F;
    double real = 2.5;
    void *pointer = &byte;
    FL_DO_NOT_OPTIMIZE(byte);
    FL_DO_NOT_OPTIMIZE(half);
    FL_DO_NOT_OPTIMIZE(word + 1);
    FL_DO_NOT_OPTIMIZE(flag);
    FL_DO_NOT_OPTIMIZE(single);
    FL_DO_NOT_OPTIMIZE(real + 1);
    FL_DO_NOT_OPTIMIZE(pointer);
    FL_HIDE_VALUE(byte);
    FL_HIDE_VALUE(half);
    FL_HIDE_VALUE(word);
    FL_HIDE_VALUE(flag);
    FL_HIDE_VALUE(single);
    FL_HIDE_VALUE(real);
    FL_HIDE_VALUE(pointer);
    assert_true(byte == 'c' && half == -2 && word == UINT64_MAX && flag);
    assert_true(single > 1.4F && single < 1.6F && real > 2.4 && real < 2.6);
    assert_ptr_equal(pointer, &byte);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_handed_over_is_computed),
        cmocka_unit_test(a_hidden_value_is_unknown),
        cmocka_unit_test(clobbered_memory_is_read_again),
        cmocka_unit_test(an_object_handed_over_by_address_is_in_memory_and_read_again),
        cmocka_unit_test(values_of_every_kind_pass_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
