/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader sees in good files, and that damaged ones are refused or cut, never followed. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../elf-file.h"

static const char *const wanted[] = {"dgemm_64_", "tiny_answer", "dgemm_", "memcpy", NULL};

/* The tiny library's bytes, to be damaged. */
struct image {
    unsigned char *bytes;
    size_t size;
    int fd; /* a memory file that holds the damaged copy */
    char path[64];
};

static int open_image(void **state)
{
    static struct image image; /* cmocka wants a pointer that outlives the set-up */
    FILE *file = fopen(FL_TINY_LIBRARY, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    image.size = (size_t)ftell(file);
    rewind(file);
    image.bytes = malloc(image.size);
    assert_non_null(image.bytes);
    assert_int_equal(fread(image.bytes, 1, image.size, file), image.size);
    fclose(file);
    image.fd = memfd_create("damaged", 0);
    assert_true(image.fd >= 0);
    snprintf(image.path, sizeof image.path, "/proc/self/fd/%d", image.fd);
    *state = &image;
    return 0;
}

static int close_image(void **state)
{
    struct image *image = *state;
    free(image->bytes);
    close(image->fd);
    return 0;
}

static void write_image(const struct image *image, const void *bytes, size_t size)
{
    assert_int_equal(ftruncate(image->fd, 0), 0);
    assert_int_equal(pwrite(image->fd, bytes, size, 0), size);
}

static void symbols_soname_and_build_id_are_read(void **state)
{
    (void)state;
    struct fl_elf_file file;
    bool found[4];
    assert_int_equal(fl_elf_read(FL_TINY_LIBRARY, wanted, found, &file, NULL), 0);
    assert_string_equal(file.soname, "libtiny-ilp64.so.1");
    assert_string_equal(file.build_id, "0123456789abcdef");
    assert_true(found[0] && found[1]);
    assert_false(found[2] || found[3]);
    bool linked = false; /* a sanitizer's library may come first */
    for (size_t i = 0; i < file.needed_count; i++)
        linked |= !strcmp(file.needed[i], "libm.so.6");
    assert_true(linked);
}

static void refused(const char *path, int code, const char *reason)
{
    struct fl_elf_file file;
    struct fl_err why = {0};
    bool found[4];
    assert_int_equal(fl_elf_read(path, wanted, found, &file, &why), code);
    assert_non_null(strstr(why.text, reason));
}

static void files_that_cannot_be_loaded_are_refused_with_the_reason(void **state)
{
    struct image *image = *state;
    refused("/nowhere/libx.so", -ENOENT, "No such file");
    refused("/tmp", -ENOEXEC, "not a regular file");
    refused("/dev/zero", -ENOEXEC, "not a regular file");
    write_image(image, "!<arch>\n", 8);
    refused(image->path, -ENOEXEC, "too short");
    char text[256] = "/* GNU ld script */ INPUT(libx.so)";
    write_image(image, text, sizeof text);
    refused(image->path, -ENOEXEC, "not an ELF file");
    write_image(image, image->bytes, image->size);
    unsigned char machine[2] = {243, 0}; /* RISC-V */
    assert_int_equal(pwrite(image->fd, machine, 2, 18), 2);
    refused(image->path, -ENOEXEC, "another processor");
}

static void every_truncation_is_survived(void **state)
{
    struct image *image = *state;
    struct fl_elf_file file;
    bool found[4];
    size_t good = 0;
    for (size_t size = 0; size < image->size; size += size < 1024 ? 1 : 97) {
        write_image(image, image->bytes, size);
        good += !fl_elf_read(image->path, wanted, found, &file, NULL);
    }
    assert_true(good > 0); /* the last cuts only lose section headers */
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Damage where offsets and sizes live: the headers, and then anywhere. */
static void damaged_files_are_survived(void **state)
{
    struct image *image = *state;
    unsigned char *copy = malloc(image->size);
    uint64_t seed = 20251130;
    size_t refusals = 0;
    assert_non_null(copy);
    for (int round = 0; round < 6000; round++) {
        memcpy(copy, image->bytes, image->size);
        size_t reach = round % 2 ? image->size : 1024;
        for (int hit = 0; hit < 1 + round % 7; hit++)
            copy[16 + next_random(&seed) % (reach - 16)] = (unsigned char)next_random(&seed);
        write_image(image, copy, image->size);
        struct fl_elf_file file;
        bool found[4];
        refusals += fl_elf_read(image->path, wanted, found, &file, NULL) != 0;
        assert_non_null(memchr(file.soname, 0, sizeof file.soname));
    }
    free(copy);
    assert_true(refusals > 0 && refusals < 6000);
}

static Elf64_Phdr *segment_of(const struct image *image, unsigned char *bytes, uint32_t type)
{
    Elf64_Ehdr header;
    memcpy(&header, bytes, sizeof header);
    Elf64_Phdr *segments = (void *)(bytes + header.e_phoff);
    for (unsigned i = 0; i < header.e_phnum; i++)
        if (segments[i].p_type == type)
            return &segments[i];
    fail_msg("no segment of type %u in %zu bytes", type, image->size);
    return NULL;
}

/* Thousands of them, each a table of megabytes, would take hours. */
static void only_the_first_dynamic_section_is_read(void **state)
{
    struct image *image = *state;
    struct fl_elf_file once, twice;
    bool found[4];
    unsigned char *bytes = malloc(image->size);
    assert_non_null(bytes);
    memcpy(bytes, image->bytes, image->size);
    write_image(image, bytes, image->size);
    assert_int_equal(fl_elf_read(image->path, wanted, found, &once, NULL), 0);
    *segment_of(image, bytes, PT_GNU_STACK) = *segment_of(image, bytes, PT_DYNAMIC);
    write_image(image, bytes, image->size);
    assert_int_equal(fl_elf_read(image->path, wanted, found, &twice, NULL), 0);
    assert_true(once.needed_count > 0);
    assert_int_equal(twice.needed_count, once.needed_count);
    free(bytes);
}

static void a_note_that_claims_too_much_is_ignored(void **state)
{
    (void)state;
    char id[FL_BUILD_ID_MAX];
    const uint32_t claims[] = {4, 0xffffffffu, 3, 0x00554e47u, 1};
    fl_build_id_read(claims, sizeof claims, id);
    assert_string_equal(id, "");
    const uint32_t good[] = {4, 4, 3, 0x00554e47u, 0xefbeaddeu};
    fl_build_id_read(good, sizeof good, id);
    assert_string_equal(id, "deadbeef");
    fl_build_id_read(good, 7, id);
    assert_string_equal(id, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_soname_and_build_id_are_read),
        cmocka_unit_test(files_that_cannot_be_loaded_are_refused_with_the_reason),
        cmocka_unit_test(every_truncation_is_survived),
        cmocka_unit_test(damaged_files_are_survived),
        cmocka_unit_test(only_the_first_dynamic_section_is_read),
        cmocka_unit_test(a_note_that_claims_too_much_is_ignored),
    };
    return cmocka_run_group_tests(tests, open_image, close_image);
}
