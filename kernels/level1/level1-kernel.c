/* SPDX-License-Identifier: Apache-2.0 */
/* The slots that the level-1 kernels share. */
#include "level1-kernel.h"

#include <errno.h>
#include <math.h>

#include "../product-kernel.h"
#include "calibration-clock.h"
#include "thread-rule.h"

#define N_MAX      (1 << 30)
#define STRIDE_MAX 65536

static int check_rule(const char *level, struct fl_err *err)
{
    struct fl_thread_rule rule;

    return fl_thread_rule_parse(level, &rule, err);
}

static const char *const word_stride[] = {"stride", NULL};

static const struct fl_factor n = {
    .name = "n",
    .summary = "elements of the vectors",
    .type = FL_FACTOR_INT,
    .min = 0,
    .max = N_MAX,
};
static const struct fl_factor stride = {
    .name = "stride",
    .summary = "distance of the elements of x in elements; below 0 they count from the end, 0 "
               "repeats one",
    .type = FL_FACTOR_INT,
    .fallback = "1",
    .min = -STRIDE_MAX,
    .max = STRIDE_MAX,
};
static const struct fl_factor stride_y = {
    .name = "stride-y",
    .summary = "distance of the elements of y; stride: that of x",
    .type = FL_FACTOR_INT,
    .fallback = "stride",
    .min = -STRIDE_MAX,
    .max = STRIDE_MAX,
    .words = word_stride,
};
static const struct fl_factor rule_factor = {
    .name = "rule",
    .summary = "whether a call is shared out: one, all, n>10000, bytes-per-thread:384K, calibrated",
    .type = FL_FACTOR_TEXT,
    .fallback = "all",
    .check = check_rule,
};

const struct fl_factor *const fl_level1_factors_x[] = {&n, &stride, &fl_factor_isa, &rule_factor,
                                                       NULL};
const struct fl_factor *const fl_level1_factors_xy[] = {
    &n, &stride, &stride_y, &fl_factor_isa, &rule_factor, NULL};
const struct fl_factor *const fl_level1_factors_foreign_x[] = {&n, &stride, &fl_factor_isa, NULL};
const struct fl_factor *const fl_level1_factors_foreign_xy[] = {&n, &stride, &stride_y,
                                                                &fl_factor_isa, NULL};

int fl_level1_cost_of(const struct fl_level1_name *name, const struct fl_cell *cell,
                      struct fl_cost *cost, struct fl_err *err)
{
    struct fl_level1_operands operands;
    int rc = fl_level1_operands_read(name, cell, &operands, err);

    if (rc)
        return rc;
    cost->flops = name->routine->flops[operands.parts - 1] * (double)operands.n;
    cost->bytes = fl_level1_traffic(&operands);
    return 0;
}

static const struct fl_level1_name *name_of(const struct fl_cell *cell)
{
    return fl_level1_find(fl_cell_get(cell, "kernel"));
}

int fl_level1_cost(const struct fl_cell *cell, struct fl_cost *cost, struct fl_err *err)
{
    return fl_level1_cost_of(name_of(cell), cell, cost, err);
}

void fl_level1_join_sums(bool single, struct fl_level1_value *into,
                         const struct fl_level1_value *next)
{
    into->re += next->re;
    into->im += next->im;
    if (single) {
        into->re = (double)(float)into->re;
        into->im = (double)(float)into->im;
    }
}

static int record(const struct fl_calibration *c, struct fl_facts *facts)
{
    int rc = fl_facts_set(facts, "wake-ns", "%.0f", 1e9 * c->wake);

    if (!rc)
        rc = fl_facts_set(facts, "bandwidth-one", "%.4g", c->bandwidth);
    if (!rc)
        rc = fl_facts_set(facts, "team-speedup", "%.3f", c->speedup);
    if (rc)
        return rc;
    return isinf(c->crossover) ? fl_facts_set(facts, "crossover-bytes", "never")
                               : fl_facts_set(facts, "crossover-bytes", "%.0f", c->crossover);
}

static int decide(struct fl_level1_state *s, const struct fl_kernel_env *env, struct fl_err *err)
{
    const struct fl_level1_operands *o = &s->operands;
    const bool has_y = o->name->routine->has_y;
    const struct fl_thread_rule_call call = {
        .n = (double)o->n,
        .bytes = fl_level1_traffic(o),
        .unit = o->x.stride == 1 && (!has_y || o->y.stride == 1),
        .threads = env->team && fl_level1_call_can_share(&s->call) ? env->team->threads : 1,
    };
    struct fl_thread_rule rule;
    struct fl_calibration calibration;
    int rc = fl_thread_rule_parse(fl_cell_get(env->cell, "rule"), &rule, err);

    if (rc)
        return rc;
    s->shares = fl_thread_rule_shares(&rule, &call);
    if (rule.kind == FL_RULE_CALIBRATED && call.threads > 1) {
        rc = fl_level1_calibrate(&s->call, o, env->gap, env->arena, &calibration, err);
        if (!rc)
            rc = record(&calibration, env->facts);
        s->shares = calibration.shares;
    }
    return rc ? rc : fl_facts_set(env->facts, "threads-used", "%u", s->shares ? call.threads : 1);
}

int fl_level1_open(void *state, const struct fl_kernel_env *env, struct fl_err *err)
{
    struct fl_level1_state *s = state;
    enum fl_isa set;
    int rc = fl_isa_choose(fl_cell_get(env->cell, "isa"), &set, err);

    if (!rc)
        rc = fl_facts_set(env->facts, "isa", "%s", fl_isa_name(set));
    if (!rc)
        rc = fl_level1_operands_read(name_of(env->cell), env->cell, &s->operands, err);
    if (!rc)
        rc = fl_level1_operands_map(&s->operands, env->arena, env->seed, err);
    if (rc)
        return rc;
    fl_level1_operands_fill(&s->operands);
    rc =
        fl_level1_call_open(&s->call, &s->operands, fl_level1_set(set), env->team, env->arena, err);
    return rc ? rc : decide(s, env, err);
}

int fl_level1_run(void *state, const struct fl_workspace *workspace)
{
    struct fl_level1_state *s = state;

    (void)workspace;
    if (s->shares)
        return fl_level1_call_all(&s->call);
    fl_level1_call_one(&s->call);
    return 0;
}

int fl_level1_check(void *state, const struct fl_workspace *workspace, struct fl_err *err)
{
    struct fl_level1_state *s = state;
    int rc;

    fl_level1_operands_prepare(&s->operands);
    rc = fl_level1_run(state, workspace);
    if (rc)
        return fl_fail(err, rc, "cannot make the call that is checked: the team failed");
    return fl_level1_operands_check(&s->operands, &s->call.value, err);
}

/* The arena belongs to the harness. */
void fl_level1_close(void *state)
{
    (void)state;
}
