/* SPDX-License-Identifier: Apache-2.0 */
/* faultline list: every kind of part, whether it can run here, and why not. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "faultline/library.h"
#include "faultline/registry.h"
#include "install-paths.h"
#include "runner/plugins.h"
#include "runner/scenario.h"

/* One line: name, availability, summary, and below it the reason where it cannot run. */
static void print_part(const char *name, int unavailable, const char *summary, const char *reason)
{
    fputs("  ", stdout);
    fl_print_safe(stdout, name);
    printf("%*s %-4s ", strlen(name) < 22 ? (int)(22 - strlen(name)) : 0, "",
           unavailable ? "no" : "yes");
    fl_print_safe(stdout, summary);
    if (unavailable) {
        printf("\n  %-22s      ", "");
        fl_print_safe(stdout, reason);
    }
    putchar('\n');
}

enum { SOME_KERNELS = 4, FACTOR_INDENT = 31, METRIC_INDENT = 66, LINE_WIDTH = 100 };

static void print_header(const char *kind)
{
    printf("%s\n  %-22s %-4s %s\n", kind, "name", "here", "what it is");
}

static void list_part(const struct fl_part *part)
{
    struct fl_err why = {.text = ""};
    int rc = fl_part_probe(part, &why);
    print_part(part->name, rc, part->summary, why.text);
}

static int list_kernels(void)
{
    print_header("kernels");
    for (const struct fl_kernel_ops *const *k = fl_registry_kernels(); *k; k++)
        if ((*k)->uses & FL_USES_LIBRARY)
            print_part("blas:SYMBOL", 0, (*k)->part.summary, "");
        else
            list_part(&(*k)->part);
    return 0;
}

static int list_workspaces(void)
{
    print_header("workspaces");
    for (const struct fl_workspace_ops *const *w = fl_registry_workspaces(); *w; w++)
        list_part(&(*w)->part);
    return 0;
}

static int list_barriers(void)
{
    print_header("barriers");
    for (const struct fl_barrier_ops *const *b = fl_registry_barriers(); *b; b++)
        list_part(&(*b)->part);
    return 0;
}

static int list_waits(void)
{
    print_header("waits");
    for (const struct fl_wait_ops *const *w = fl_registry_waits(); *w; w++)
        list_part(&(*w)->part);
    return 0;
}

static int list_teams(void)
{
    print_header("teams");
    for (const struct fl_team_ops *const *t = fl_registry_teams(); *t; t++)
        list_part(&(*t)->part);
    return 0;
}

static int list_mallocs(void)
{
    print_header("mallocs");
    for (const struct fl_malloc *row = fl_mallocs(); row->name; row++) {
        struct fl_err why = {.text = ""};
        int rc = fl_malloc_probe(row, &why);
        print_part(row->name, rc, row->summary, why.text);
    }
    return 0;
}

static int list_libraries(void)
{
    print_header("libraries");
    for (const struct fl_library *row = fl_libraries(); row->alias; row++) {
        struct fl_err why = {.text = ""};
        struct fl_library_place place;
        int rc = fl_library_find(row->alias, NULL, NULL, &place, &why);
        print_part(row->alias, rc, row->summary, why.text);
    }
    return 0;
}

static const char *kind_name(enum fl_metric_kind kind)
{
    static const char *const names[] = {
        [FL_METRIC_TIMED] = "timed", [FL_METRIC_EXACT] = "exact",
        [FL_METRIC_SET] = "set",     [FL_METRIC_NOISY_COUNT] = "noisy-count",
        [FL_METRIC_LEVEL] = "level",
    };
    return names[kind];
}

/* Words of a text behind an indented column, from line to line. */
static void print_wrapped(const char *text, int indent)
{
    int column = indent;
    for (const char *word = text; *word; word += strspn(word, " ")) {
        int length = (int)strcspn(word, " ");
        if (column > indent && column + 1 + length > LINE_WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        column += printf("%s%.*s", column > indent ? " " : "", length, word);
        word += length;
    }
    putchar('\n');
}

static void list_metric(const struct fl_metric *metric)
{
    printf("  %-29s %-10s %-12s %-9s ", metric->name, metric->unit, kind_name(metric->kind),
           metric->mode == FL_IN_EVERY_SAMPLE ? "every" : "counting");
    print_wrapped(metric->summary, METRIC_INDENT);
}

static int list_counters(void)
{
    print_header("counters");
    for (const struct fl_counter_ops *const *c = fl_registry_counters(); *c; c++)
        list_part(&(*c)->part);
    printf("\nmetrics, per call\n  %-29s %-10s %-12s %-9s %s\n", "name", "unit", "kind", "samples",
           "what it is");
    for (const struct fl_metric *m = fl_registry_derived_metrics(); m->name; m++)
        list_metric(m);
    for (const struct fl_counter_ops *const *c = fl_registry_counters(); *c; c++)
        for (size_t i = 0; i < (*c)->metric_count; i++)
            list_metric(&(*c)->metrics[i]);
    list_metric(&(struct fl_metric){.name = "perf:EVENT",
                                    .unit = "events",
                                    .kind = FL_METRIC_NOISY_COUNT,
                                    .mode = FL_IN_COUNTING_SAMPLES,
                                    .summary = "any event that libpfm4 knows, such as "
                                               "perf:instructions"});
    return 0;
}

/* ---- factors ---- */

/* The kernel's factor of that name; NULL: it has none. */
static const struct fl_factor *factor_of(const struct fl_kernel_ops *kernel, const char *name)
{
    for (const struct fl_factor *const *f = kernel->factors; f && *f; f++)
        if (!strcmp((*f)->name, name))
            return *f;
    return NULL;
}

static bool means(const struct fl_kernel_ops *kernel, const struct fl_factor *factor)
{
    const struct fl_factor *own = factor_of(kernel, factor->name);
    return own && !strcmp(own->summary, factor->summary);
}

/* The first few kernels for which the factor means this; nothing for factors of the harness. */
static void write_kernels(FILE *out, const struct fl_factor *factor)
{
    int count = 0;
    for (const struct fl_kernel_ops *const *k = fl_registry_kernels(); *k; k++)
        if (!((*k)->uses & FL_USES_LIBRARY) && means(*k, factor) && ++count <= SOME_KERNELS)
            fprintf(out, "%s%s", count == 1 ? " [" : ", ", (*k)->part.name);
    if (count > SOME_KERNELS)
        fprintf(out, " and %d more", count - SOME_KERNELS);
    if (count)
        fputc(']', out);
}

static void list_factor(const struct fl_factor *factor)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    fputs(factor->summary, out);
    for (const char *const *word = factor->words; word && *word; word++)
        fprintf(out, "%s%s", word == factor->words ? "; words: " : ", ", *word);
    write_kernels(out, factor);
    fclose(out);
    printf("  %-15s %-12s ", factor->name, factor->fallback ? factor->fallback : "(needed)");
    print_wrapped(text, FACTOR_INDENT);
    free(text);
}

/* Does some kernel in front of `end`, or the first factor of that name, give it this meaning? */
static bool listed(const struct fl_factor *factor, const struct fl_kernel_ops *const *end)
{
    bool found = !strcmp(fl_registry_factor(factor->name)->summary, factor->summary);
    for (const struct fl_kernel_ops *const *k = fl_registry_kernels(); k != end && !found; k++)
        found = means(*k, factor);
    return found;
}

/* A name may mean something else to another kernel: one line for each meaning. */
static int list_factors(void)
{
    printf("factors\n  %-15s %-12s %s\n", "name", "default", "what it is [kernels that have it]");
    for (const struct fl_factor *const *f = fl_registry_factors(); *f; f++) {
        list_factor(*f);
        for (const struct fl_kernel_ops *const *k = fl_registry_kernels(); *k; k++) {
            const struct fl_factor *own = factor_of(*k, (*f)->name);
            if (own && !listed(own, k))
                list_factor(own);
        }
    }
    return 0;
}

static int is_scenario(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && !strcmp(end, ".ini");
}

static void list_scenario(const char *folder, char *file)
{
    char path[PATH_MAX];
    struct fl_scenario scenario;
    struct fl_err err = {.text = ""};
    snprintf(path, sizeof path, "%s/%s", folder, file);
    *strrchr(file, '.') = 0;
    if (fl_scenario_load(path, false, &scenario, &err)) {
        print_part(file, 1, "", err.text);
        return;
    }
    print_part(file, 0, scenario.title, "");
    fl_scenario_release(&scenario);
}

static int list_scenarios(void)
{
    struct fl_install_paths paths;
    struct fl_err err = {.text = ""};
    struct dirent **entries = NULL;
    if (fl_install_paths_find(&paths, &err))
        return fl_complain(&err);
    print_header("scenarios");
    int count = scandir(paths.scenarios, &entries, is_scenario, alphasort);
    for (int i = 0; i < count; i++) {
        list_scenario(paths.scenarios, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return 0;
}

static const struct {
    const char *name;
    int (*list)(void);
} kinds[] = {{"scenarios", list_scenarios},   {"kernels", list_kernels},
             {"workspaces", list_workspaces}, {"mallocs", list_mallocs},
             {"barriers", list_barriers},     {"waits", list_waits},
             {"teams", list_teams},           {"libraries", list_libraries},
             {"counters", list_counters},     {"factors", list_factors}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static int unknown_kind(const char *name)
{
    fputs("faultline: cannot list '", stderr);
    fl_print_safe(stderr, name);
    fputs("': known kinds:", stderr);
    for (size_t i = 0; i < KINDS; i++)
        fprintf(stderr, " %s", kinds[i].name);
    fputc('\n', stderr);
    return FL_EXIT_FAILURE;
}

static int list_kind(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (!strcmp(kinds[i].name, name))
            return kinds[i].list();
    return unknown_kind(name);
}

static int run(const struct fl_command *command, int argc, char **argv)
{
    struct fl_texts plugins = {.count = 0};
    struct fl_err err;
    const struct fl_option table[] = {
        {"plugin", "FILE", "shared library with kernels of yours; may be repeated", FL_OPTION_TEXTS,
         &plugins},
        {.name = NULL},
    };
    int first, rc = fl_options_parse(command, table, argc, argv, &first);
    if (rc)
        return rc < 0 ? FL_EXIT_FAILURE : fl_finish_stdout();
    if (fl_plugins_use(plugins.items, plugins.count, &err))
        return fl_complain(&err);
    for (size_t i = 0; i < KINDS && first == argc && !rc; i++) {
        if (i)
            putchar('\n');
        rc = kinds[i].list();
    }
    for (int i = first; i < argc && !rc; i++)
        rc = list_kind(argv[i]);
    return rc ? rc : fl_finish_stdout();
}

const struct fl_command fl_command_list = {
    .name = "list",
    .summary = "list parts, metrics, factors and scenarios, and what cannot run here",
    .arguments = "[KIND...]",
    .details =
        "kinds: scenarios kernels workspaces mallocs barriers waits teams libraries counters "
        "factors\n",
    .run = run,
};
