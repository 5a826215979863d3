/* SPDX-License-Identifier: Apache-2.0 */
/* The shim is compiled against the headers it is given, and what is missing is named. */
#include "runner/eigen-build.h"

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A folder with headers that say they are Eigen: compiling the real ones takes minutes. */
static void make_headers(const char *folder, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/Eigen", folder);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/Eigen/Core", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void write_source(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#include <Eigen/Core>\n"
          "extern \"C\" __attribute__((visibility(\"default\"))) const char *which()\n"
          "{ return FL_SHIM_ISA \" \" STAND_IN; }\n",
          file);
    assert_int_equal(fclose(file), 0);
}

struct place {
    char folder[64], source[96], output[96];
};

static int set_up(void **state)
{
    static struct place place;
    strcpy(place.folder, "/tmp/faultline-eigen-XXXXXX");
    assert_non_null(mkdtemp(place.folder));
    snprintf(place.source, sizeof place.source, "%s/shim.cc", place.folder);
    snprintf(place.output, sizeof place.output, "%s/shim.so", place.folder);
    write_source(place.source);
    *state = &place;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const files[] = {"Eigen/Core", "Eigen", "shim.cc", "shim.so", ""};
    const struct place *place = *state;
    char path[256];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", place->folder, files[i]);
        remove(path);
    }
    return 0;
}

static void the_given_headers_are_compiled(void **state)
{
    const struct place *place = *state;
    const struct fl_eigen_build build = {place->folder, place->source, place->output, NULL};
    struct fl_err err = {.text = ""};
    make_headers(place->folder, "#define STAND_IN \"these\"\n");
    if (fl_eigen_build(&build, &err))
        fail_msg("%s", err.text);
    void *library = dlopen(place->output, RTLD_NOW);
    assert_non_null(library);
    const char *(*which)(void);
    *(void **)&which = dlsym(library, "which");
    assert_non_null(which);
    assert_non_null(strstr(which(), "these"));
    assert_true(strspn(which(), "abcdefghijklmnopqrstuvwxyz0123456789") > 3);
    dlclose(library);
}

static void what_is_missing_is_named(void **state)
{
    const struct place *place = *state;
    struct fl_eigen_build build = {"/no/such", place->source, place->output, NULL};
    struct fl_err err;
    assert_int_equal(fl_eigen_build(&build, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/no/such"));
    make_headers(place->folder, "#error of our own making\n");
    build.headers = place->folder;
    assert_int_equal(fl_eigen_build(&build, &err), -EIO);
    assert_non_null(strstr(err.text, place->folder));
    build.source = "/no/shim";
    assert_int_equal(fl_eigen_build(&build, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/no/shim"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_given_headers_are_compiled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_missing_is_named, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
