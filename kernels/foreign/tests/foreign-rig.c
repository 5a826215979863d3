/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, calling and checking a foreign kernel in a test. */
#include "foreign-rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../foreign.h"
#include "faultline/registry.h"

int rig_open(struct fl_foreign_rig *rig, const char *text, const char *path)
{
    return rig_open_on(rig, text, path, NULL);
}

int rig_open_on(struct fl_foreign_rig *rig, const char *text, const char *path,
                const struct fl_team *team)
{
    memset(rig, 0, sizeof *rig);
    int rc = fl_cell_parse(&rig->cell, text, &rig->err);
    if (rc)
        return rc;
    rig->kernel =
        fl_registry_kernel(fl_cell_get(&rig->cell, "kernel"), fl_cell_get(&rig->cell, "library"));
    rig->state = fl_arena_alloc(&rig->arena, rig->kernel->part.state_size, 64);
    const struct fl_kernel_env env = {.cell = &rig->cell,
                                      .arena = &rig->arena,
                                      .facts = &rig->facts,
                                      .seed = 42,
                                      .library = path,
                                      .team = team};
    return rig->kernel->open(rig->state, &env, &rig->err);
}

void rig_close(struct fl_foreign_rig *rig)
{
    if (rig->kernel)
        rig->kernel->close(rig->state);
    fl_arena_release(&rig->arena);
}

bool rig_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return false;
}

static double at(const struct fl_foreign_state *s, const void *matrix, size_t index)
{
    return s->scalar->bytes == sizeof(float) ? (double)((const float *)matrix)[index]
                                             : ((const double *)matrix)[index];
}

static double naive(const struct fl_foreign_state *s, size_t row, size_t col, double before)
{
    const struct fl_product *p = &s->product;
    double sum = 0;
    for (size_t k = 0; k < p->k; k++)
        sum += at(s, p->a, p->trans_a ? k + row * p->lda : row + k * p->lda) *
               at(s, p->b, p->trans_b ? col + k * p->ldb : k + col * p->ldb);
    return p->alpha * sum + (p->beta != 0 ? p->beta * before : 0);
}

static bool is_result(const struct fl_product *p, size_t row, size_t col)
{
    return row < p->m && (!p->syrk || (p->lower ? row >= col : row <= col));
}

static bool compare(const struct fl_foreign_state *s, const void *before)
{
    const struct fl_product *p = &s->product;
    double allowed = (s->scalar->bytes == sizeof(float) ? 1e-5 : 1e-14) * (double)(p->k + 4);
    for (size_t col = 0; col < p->n; col++)
        for (size_t row = 0; row < p->ldc; row++) {
            double then = at(s, before, row + col * p->ldc), now = at(s, p->c, row + col * p->ldc);
            double want = is_result(p, row, col) ? naive(s, row, col, then) : then;
            if (!(fabs(now - want) <= (is_result(p, row, col) ? allowed : 0)))
                return rig_complain("(%zu, %zu) is %.17g, want %.17g", row, col, now, want);
        }
    return true;
}

bool rig_agrees(struct fl_foreign_rig *rig)
{
    struct fl_foreign_state *s = rig->state;
    size_t bytes = s->product.ldc * s->product.n * s->scalar->bytes;
    void *before = malloc(bytes);
    if (!before)
        return rig_complain("out of memory");
    memcpy(before, s->product.c, bytes);
    bool good = !rig->kernel->run(rig->state, NULL) && compare(s, before);
    free(before);
    if (good && rig->kernel->check(rig->state, NULL, &rig->err))
        return rig_complain("its own check: %s", rig->err.text);
    return good;
}

static bool set_environment(const char *path, const char *isa)
{
    struct fl_library_place place;
    struct fl_library_environment environment;
    if (fl_library_find("given", path, isa, &place, NULL) ||
        fl_library_environment(&place, isa, &environment, NULL))
        return rig_complain("no environment for '%s' with isa=%s", path, isa ? isa : "auto");
    for (const char *const *v = environment.variables; *v; v++)
        putenv((char *)(uintptr_t)*v);
    return true;
}

void rig_in_child(const char *path, const char *isa, bool (*body)(const void *arg), const void *arg)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child)
        _exit(set_environment(path, isa) && body(arg) ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}
