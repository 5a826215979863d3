/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ operators in a program without a C++ library, which dlopen may bring later: the probe stands
 * in for them, and keeps their promises.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "counter-rig.h"
#include "preload-rig.h"

#define HUGE ((size_t)1 << 62) /* more than any process can have */

struct operators {
    void *(*new_one)(size_t bytes);
    void *(*new_nothrow)(size_t bytes, const void *tag);
    void *(*new_aligned_nothrow)(size_t bytes, size_t align, const void *tag);
    void (*delete_one)(void *memory);
};

static void find(const char *name, void *function)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &address, sizeof(address)); /* POSIX lets dlsym return functions, C no cast */
}

static int find_operators(void **state)
{
    static struct operators found; /* cmocka wants a pointer that outlives the set-up */
    find("_Znwm", &found.new_one);
    find("_ZnwmRKSt9nothrow_t", &found.new_nothrow);
    find("_ZnwmSt11align_val_tRKSt9nothrow_t", &found.new_aligned_nothrow);
    find("_ZdlPv", &found.delete_one);
    *state = &found;
    return !found.new_one || !found.new_nothrow || !found.new_aligned_nothrow || !found.delete_one;
}

static void make_and_delete(void *arg)
{
    const struct operators *ops = arg;
    ops->delete_one(ops->new_one(100));
    ops->delete_one(ops->new_nothrow(200, NULL));
    ops->delete_one(ops->new_aligned_nothrow(300, 64, NULL));
}

static void operators_without_a_library_count_once(void **state)
{
    struct rig rig;
    rig_open(&rig, &fl_counter_probe, "malloc-calls free-calls malloc-bytes");
    rig_window(&rig, make_and_delete, *state);
    assert_int_equal(rig_total(&rig, "malloc-calls"), 3);
    assert_int_equal(rig_total(&rig, "free-calls"), 3);
    assert_int_equal(rig_total(&rig, "malloc-bytes"), 600);
    rig_close(&rig);
}

static void nothrow_operators_return_null(void **state)
{
    const struct operators *ops = *state;
    assert_null(ops->new_nothrow(HUGE, NULL));
    assert_null(ops->new_aligned_nothrow(HUGE, 64, NULL));
}

static void an_operator_that_cannot_throw_ends_the_process(void **state)
{
    const struct operators *ops = *state;
    int status = 0;
    pid_t child = fork();
    if (!child) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        _exit(ops->new_one(HUGE) ? 1 : 0);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

int main(int argc, char **argv)
{
    (void)argc;
    int rc = preload_probe(argv);
    if (rc)
        return rc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_without_a_library_count_once),
        cmocka_unit_test(nothrow_operators_return_null),
        cmocka_unit_test(an_operator_that_cannot_throw_ends_the_process),
    };
    return cmocka_run_group_tests(tests, find_operators, NULL);
}
