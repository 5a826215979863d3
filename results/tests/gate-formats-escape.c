/* SPDX-License-Identifier: Apache-2.0 */
/* Formats of the gate with names that try to be more than names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "gate-rig.h"
#include "results/gate-formats.h"

/* NOLINTBEGIN(misc-misleading-bidirectional): names that mislead are what is tried */
#define HOSTILE                                                                                    \
    "benchmark=\"<script>alert('1')</script> ]]> `id` **b** [l](http://x) | @user #1 :tada: "      \
    "www.example.com %0A::error::x \\ \n::set-output name=x::y\r\n\t\033[31m \xe2\x80\xae rtl "    \
    "\xff\xfe \xef\xbf\xbf &amp; \x01\""

static struct rig rig;

static char *text_of(fl_gate_format_fn print)
{
    char *text = NULL;
    size_t size = 0;
    struct fl_err err = {.text = ""};
    FILE *out = open_memstream(&text, &size);

    if (print(&rig.gate, out, &err))
        fail_msg("%s", err.text);
    fclose(out);
    return text;
}

static const char *hostile_command(void *arg, const struct fl_compare_row *row,
                                   struct fl_arena *arena)
{
    (void)arg;
    (void)row;
    (void)arena;
    return HOSTILE;
}

static struct fl_gate_place hostile_place(void *arg, const struct fl_compare_row *row)
{
    (void)arg;
    (void)row;
    return (struct fl_gate_place){"a,b:c::d\n%.ini", 3};
}

/* One of each severity, with hostile names everywhere. */
static int set_up(void **state)
{
    (void)state;
    rig_begin(&rig);
    rig.compare.title = HOSTILE;
    rig.compare.warning = HOSTILE;
    rig.policy.judges = NULL;
    rig.policy.command = hostile_command;
    rig.policy.place = hostile_place;
    rig_row(&rig, HOSTILE, "time", FL_VERDICT_REGRESSION);
    rig_row(&rig, HOSTILE, HOSTILE, FL_VERDICT_REGRESSION)->unit = HOSTILE;
    rig_row(&rig, HOSTILE "2", "time", FL_VERDICT_ERROR)->result.reason = HOSTILE;
    rig_row(&rig, HOSTILE "3", "time", FL_VERDICT_INCONCLUSIVE)->result.reason = HOSTILE;
    rig_row(&rig, HOSTILE "4", "time", FL_VERDICT_NEW);
    rig_row(&rig, HOSTILE "5", HOSTILE, FL_VERDICT_PASS);
    rig_judge(&rig);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rig_end(&rig);
    return 0;
}

/* No byte below a space but line ends, no escape, no mark that reorders. */
static void is_harmless(const char *text)
{
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' && *c != '\n')
            fail_msg("byte %d in: %s", *c, text);
    assert_null(strstr(text, "\xe2\x80\xae"));
    assert_null(strstr(text, "\xff"));
}

static size_t lines_that_start_with(const char *text, const char *start)
{
    size_t count = 0;

    for (const char *line = text; line && *line;) {
        count += !strncmp(line, start, strlen(start));
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return count;
}

static void terminals_get_no_control_characters(void **state)
{
    char *text = text_of(fl_gate_print_terminal);

    (void)state;
    is_harmless(text);
    assert_int_equal(lines_that_start_with(text, "::"), 0);
    assert_int_equal(lines_that_start_with(text, "error: "), 3);
    assert_int_equal(lines_that_start_with(text, "  again: "), 3);
    assert_int_equal(lines_that_start_with(text, "gate: regression: 6 judged"), 1);
    free(text);
}

static void markdown_gets_no_markup(void **state)
{
    char *text = text_of(fl_gate_print_markdown);
    char *rest = text;

    (void)state;
    is_harmless(text);
    assert_null(strstr(text, "<script"));
    assert_null(strpbrk(text, "`[|@\\"));
    assert_null(strstr(text, "**b**"));
    assert_null(strstr(text, "http:"));
    assert_null(strstr(text, "www."));
    /* All tags are ours. */
    while ((rest = strchr(rest, '<'))) {
        assert_true(!strncmp(rest, "<code>", 6) || !strncmp(rest, "</code>", 7) ||
                    !strncmp(rest, "<br>", 4));
        rest++;
    }
    assert_int_equal(lines_that_start_with(text, "### faultline gate: regression"), 1);
    free(text);
}

static void github_gets_one_command_a_finding(void **state)
{
    char *text = text_of(fl_gate_print_github);
    size_t errors =
        lines_that_start_with(text, "::error file=a%2Cb%3Ac%3A%3Ad\\x0a%25.ini,line=3,title=");

    (void)state;
    is_harmless(text);
    assert_int_equal(errors, 3);
    assert_int_equal(lines_that_start_with(text, "::warning file="), 1);
    assert_int_equal(lines_that_start_with(text, "::notice file="), 1);
    assert_int_equal(lines_that_start_with(text, ""), 5);
    /* The only line end in a message is ours; the name's %0A is literal. */
    assert_null(strstr(text, " %0A::error"));
    assert_non_null(strstr(text, " %250A::error"));
    free(text);
}

static void github_gets_at_most_ten(void **state)
{
    static char cells[RIG_ROWS][16];
    (void)state;
    rig_end(&rig);
    rig_begin(&rig);
    for (int i = 0; i < 40; i++) {
        snprintf(cells[i], sizeof(cells[i]), "n=%d", i);
        rig_row(&rig, cells[i], "time", FL_VERDICT_REGRESSION);
    }
    rig_judge(&rig);
    char *text = text_of(fl_gate_print_github);
    assert_int_equal(lines_that_start_with(text, "::error file="), 9);
    assert_int_equal(lines_that_start_with(text, "::error title=and 31 more::"), 1);
    free(text);
}

static struct json_object *parse(const char *text)
{
    enum json_tokener_error error;
    struct json_object *object = json_tokener_parse_verbose(text, &error);

    if (error != json_tokener_success)
        fail_msg("%s: %s", json_tokener_error_desc(error), text);
    return object;
}

static struct json_object *of(struct json_object *object, const char *name)
{
    struct json_object *value = NULL;

    if (!json_object_object_get_ex(object, name, &value))
        fail_msg("no '%s'", name);
    return value;
}

static void json_keeps_names(void **state)
{
    char *text = text_of(fl_gate_print_json);
    struct json_object *all = parse(text), *judged = of(all, "judged");

    (void)state;
    assert_int_equal(json_object_get_int(of(all, "exit")), 1);
    assert_string_equal(json_object_get_string(of(all, "outcome")), "regression");
    assert_int_equal(json_object_array_length(judged), 6);
    const char *cell = json_object_get_string(of(json_object_array_get_idx(judged, 0), "cell"));
    assert_non_null(strstr(cell, "<script>alert('1')</script>"));
    assert_non_null(strstr(cell, "\xef\xbf\xbd\xef\xbf\xbd")); /* for \xff\xfe */
    struct json_object *finding = json_object_array_get_idx(of(all, "findings"), 0);
    assert_string_equal(json_object_get_string(of(finding, "severity")), "error");
    assert_int_equal(json_object_get_int(of(finding, "line")), 3);
    assert_null(strchr(strchr(text, '\n') + 1, '\n'));
    json_object_put(all);
    free(text);
}

static void gitlab_gets_issues_with_places(void **state)
{
    char *text = text_of(fl_gate_print_gitlab);
    struct json_object *all = parse(text);
    size_t count = json_object_array_length(all);

    (void)state;
    is_harmless(text);
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++) {
        struct json_object *issue = json_object_array_get_idx(all, i);
        is_harmless(json_object_get_string(of(issue, "description")));
        assert_int_equal(strlen(json_object_get_string(of(issue, "fingerprint"))), 16);
        assert_int_equal(json_object_get_int(of(of(of(issue, "location"), "lines"), "begin")), 3);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(
                json_object_get_string(of(issue, "fingerprint")),
                json_object_get_string(of(json_object_array_get_idx(all, k), "fingerprint")));
    }
    json_object_put(all);
    free(text);
}

static void junit_holds_its_schema(void **state)
{
    char path[] = "/tmp/faultline-junit-XXXXXX", command[512];
    char *text = text_of(fl_gate_print_junit);
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    is_harmless(text);
    assert_non_null(strstr(text, "tests=\"6\" failures=\"2\" errors=\"1\" skipped=\"2\""));
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    free(text);
    snprintf(command, sizeof(command), "xmllint --noout --schema %s %s 2>&1", FL_JUNIT_SCHEMA,
             path);
    int rc = system(command);
    unlink(path);
    if (WIFEXITED(rc) && WEXITSTATUS(rc) == 127) {
        print_message("xmllint is not installed\n");
        skip();
    }
    assert_int_equal(rc, 0);
}

static void full_disks_are_told(void **state)
{
    static const fl_gate_format_fn formats[] = {fl_gate_print_terminal, fl_gate_print_markdown,
                                                fl_gate_print_junit,    fl_gate_print_github,
                                                fl_gate_print_gitlab,   fl_gate_print_json};
    (void)state;
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        struct fl_err err = {.text = ""};
        FILE *full = fopen("/dev/full", "we");
        assert_non_null(full);
        assert_true(formats[i](&rig.gate, full, &err) < 0);
        assert_true(err.text[0]);
        fclose(full);
    }
}

#define HELD(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HELD(terminals_get_no_control_characters),
        HELD(markdown_gets_no_markup),
        HELD(github_gets_one_command_a_finding),
        HELD(github_gets_at_most_ten),
        HELD(json_keeps_names),
        HELD(gitlab_gets_issues_with_places),
        HELD(junit_holds_its_schema),
        HELD(full_disks_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
/* NOLINTEND(misc-misleading-bidirectional) */
