/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call through each workspace costs, in multiples of one indirect call.
 *
 * Each round times the bare indirect call and every workspace, one after the other, so that what
 * disturbs the machine disturbs all of them; the ratio is taken within a round, and the median over
 * rounds is printed. The body does nothing: no buffer is touched.
 *
 *   bench-workspaces [--check]   with --check, 1 where `null` exceeds 3 indirect calls
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "faultline/arena.h"
#include "faultline/reals.h"
#include "faultline/registry.h"

enum { ROUNDS = 31, WORKSPACES_MAX = 32, CALLS_PER_SLICE = 64, NULL_RATIO_MAX = 3 };

static const double slice_ns = 200e3;

/* Hides a value from the optimizer. */
#define OPAQUE(value) __asm__ volatile("" : "+r"(value)::"memory")

static int body(void *arg, void *const *pointers)
{
    OPAQUE(pointers);
    return *(int *)arg;
}

struct size {
    const char *name;
    struct fl_request requests[2];
};

static const struct size sizes[] = {
    {"2 x 1 KiB", {{1024, 32}, {1024, 32}}},
    {"2 x 288 KiB", {{294912, 32}, {294912, 32}}},
};

struct subject {
    const char *name;
    struct fl_workspace ws; /* ops NULL: the bare indirect call */
    const struct fl_request *requests;
    double ns[ROUNDS], ratio[ROUNDS];
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int call_bare(const struct subject *subject, int *arg)
{
    static void *const pointers[2] = {NULL, NULL};
    fl_body_fn fn = body;
    int sum = 0;
    (void)subject;
    for (int i = 0; i < CALLS_PER_SLICE; i++) {
        OPAQUE(fn);
        sum += fn(arg, pointers);
    }
    return sum;
}

static int call_workspace(const struct subject *subject, int *arg)
{
    const struct fl_workspace *ws = &subject->ws;
    int sum = 0;
    for (int i = 0; i < CALLS_PER_SLICE; i++) {
        OPAQUE(ws);
        sum += fl_workspace_with(ws, subject->requests, 2, body, arg);
    }
    return sum;
}

/* ns per call, from as many calls as fill a slice of time. */
static double measure(const struct subject *subject)
{
    int arg = 0, sum = 0;
    double start = now_ns(), end = start;
    long calls = 0;
    while (end - start < slice_ns) {
        sum += subject->ws.ops ? call_workspace(subject, &arg) : call_bare(subject, &arg);
        calls += CALLS_PER_SLICE;
        end = now_ns();
    }
    if (sum)
        exit(2);
    return (end - start) / (double)calls;
}

static size_t open_all(const struct size *size, struct fl_arena *arena,
                       struct subject subjects[WORKSPACES_MAX])
{
    size_t count = 1;
    struct fl_err err = {""};
    subjects[0] = (struct subject){.name = "(indirect call)"};
    for (const struct fl_workspace_ops *const *w = fl_registry_workspaces(); *w; w++) {
        void *state = fl_arena_alloc(arena, (*w)->part.state_size + 64, 64);
        if (fl_part_probe(&(*w)->part, &err) || (*w)->open(state, size->requests, 2, 1, "", &err)) {
            fprintf(stderr, "%s left out: %s\n", (*w)->part.name, err.text);
            continue;
        }
        subjects[count++] = (struct subject){
            .name = (*w)->part.name, .ws = {*w, state}, .requests = size->requests};
    }
    return count;
}

/* Prints one size; returns the ratio of `null`. */
static double run(const struct size *size)
{
    static struct subject subjects[WORKSPACES_MAX];
    struct fl_arena arena = {0};
    double null_ratio = 0;
    size_t count = open_all(size, &arena, subjects);
    for (int round = -1; round < ROUNDS; round++)
        for (size_t i = 0; i < count; i++) {
            int at = round < 0 ? 0 : round; /* the first round warms up and is written over */
            subjects[i].ns[at] = measure(&subjects[i]);
            subjects[i].ratio[at] = subjects[i].ns[at] / subjects[0].ns[at];
        }
    for (size_t i = 0; i < count; i++) {
        double ratio = fl_reals_median(subjects[i].ratio, ROUNDS);
        printf("%-12s %-16s %10.2f ns %9.2f\n", size->name, subjects[i].name,
               fl_reals_median(subjects[i].ns, ROUNDS), ratio);
        if (!strcmp(subjects[i].name, "null"))
            null_ratio = ratio;
        if (subjects[i].ws.ops)
            subjects[i].ws.ops->close(subjects[i].ws.state);
    }
    fl_arena_release(&arena);
    return null_ratio;
}

int main(int argc, char **argv)
{
    double worst = 0;
    printf("%-12s %-16s %13s %9s\n", "requests", "workspace", "per call", "ratio");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double ratio = run(&sizes[i]);
        worst = ratio > worst ? ratio : worst;
    }
    if (argc > 1 && !strcmp(argv[1], "--check") && worst > NULL_RATIO_MAX) {
        printf("null costs %.2f indirect calls, more than %d\n", worst, NULL_RATIO_MAX);
        return 1;
    }
    return 0;
}
