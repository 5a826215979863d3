/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of the kernel's table whose slots with a state come by here. */
#include "injector.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "faultline/injection.h"

struct fl_injector {
    struct fl_kernel_ops ops; /* the kernel's own but for run, check and close */
    const struct fl_kernel_ops *kernel;
    void *kernel_state;
    struct fl_injection what;
    uint64_t at; /* calls since the last injection */
    uint64_t injected;
    pthread_mutex_t mutex;
};

static int touch_fresh_page(void)
{
    volatile char *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return -errno;
    *page = 1;
    return munmap((void *)page, 1) ? -errno : 0;
}

static int lock_once(pthread_mutex_t *mutex)
{
    int error = pthread_mutex_lock(mutex);
    return -(error ? error : pthread_mutex_unlock(mutex));
}

static int inject(struct fl_injector *injector, const struct fl_workspace *workspace)
{
    injector->at = 0;
    injector->injected++;
    switch (injector->what.kind) {
    case FL_INJECT_FAULTS:
        return touch_fresh_page();
    case FL_INJECT_LOCKS:
        return lock_once(&injector->mutex);
    default:
        return injector->kernel->run(injector->kernel_state, workspace);
    }
}

static int run(void *state, const struct fl_workspace *workspace)
{
    struct fl_injector *injector = state;
    int rc = injector->kernel->run(injector->kernel_state, workspace);
    return ++injector->at < injector->what.every ? rc : rc | inject(injector, workspace);
}

static int check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    struct fl_injector *injector = state;
    return injector->kernel->check(injector->kernel_state, workspace, err);
}

static void close(void *state)
{
    struct fl_injector *injector = state;
    injector->kernel->close(injector->kernel_state);
}

int fl_injector_open(struct fl_sample *sample, struct fl_err *err)
{
    struct fl_injection what;
    int rc = fl_injection_parse(fl_cell_get(&sample->cell, "inject"), &what, err);
    if (rc || !what.every)
        return rc;
    struct fl_injector *injector = fl_arena_alloc(&sample->arena, sizeof *injector, 64);
    if (!injector)
        return fl_fail(err, -ENOMEM, "cannot map memory: out of memory");
    *injector = (struct fl_injector){
        .ops = *sample->kernel,
        .kernel = sample->kernel,
        .kernel_state = sample->kernel_state,
        .what = what,
        .mutex = PTHREAD_MUTEX_INITIALIZER,
    };
    injector->ops.run = run;
    injector->ops.check = check;
    injector->ops.close = close;
    sample->injector = injector;
    sample->kernel = &injector->ops;
    sample->kernel_state = injector;
    return 0;
}

void fl_injector_restart(struct fl_sample *sample)
{
    struct fl_injector *injector = sample->injector;
    if (!injector)
        return;
    injector->injected = 0;
    injector->at = sample->request.counting ? 0 : sample->request.seed % injector->what.every;
}

int fl_injector_check_calls(const struct fl_sample *sample, struct fl_err *err)
{
    const struct fl_injector *injector = sample->injector;
    if (!injector || sample->request.counting || sample->calls >= injector->what.every)
        return 0;
    return fl_fail(err, -EINVAL,
                   "inject=%s needs windows of %llu calls, this one has %llu: lengthen the window, "
                   "or inject more often",
                   fl_cell_get(&sample->cell, "inject"), (unsigned long long)injector->what.every,
                   (unsigned long long)sample->calls);
}

int fl_injector_facts(struct fl_sample *sample)
{
    const struct fl_injector *injector = sample->injector;
    if (!injector || !sample->request.counting)
        return 0;
    return fl_facts_set(&sample->facts, "injected", "%llu of %llu",
                        (unsigned long long)injector->injected, (unsigned long long)sample->calls);
}
