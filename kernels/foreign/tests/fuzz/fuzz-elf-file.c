/* SPDX-License-Identifier: Apache-2.0 */
/* A file that may be a shared library, and the same bytes as ELF notes. */
#include "../../elf-file.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

static void check(const struct fl_elf_file *file)
{
    FL_FUZZ_HOLDS(memchr(file->soname, 0, sizeof file->soname));
    FL_FUZZ_HOLDS(strspn(file->build_id, "0123456789abcdef") == strlen(file->build_id));
    FL_FUZZ_HOLDS(strlen(file->build_id) % 2 == 0);
    FL_FUZZ_HOLDS(file->needed_count <= FL_ELF_NEEDED);
    for (size_t i = 0; i < file->needed_count; i++)
        FL_FUZZ_HOLDS(memchr(file->needed[i], 0, FL_ELF_TEXT));
}

static void read_file(const uint8_t *data, size_t size)
{
    static const char *const wanted[] = {"dgemm_", "dgemm_64_", NULL};
    bool found[2];
    struct fl_elf_file file;
    struct fl_err why = {""};
    char path[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    FL_FUZZ_HOLDS(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fl_elf_read(path, wanted, found, &file, &why))
        FL_FUZZ_HOLDS(why.text[0]);
    else
        check(&file);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char id[FL_BUILD_ID_MAX];
    uint8_t *notes = (uint8_t *)fl_fuzz_text(data, size); /* an address of its own, aligned */
    read_file(data, size);
    fl_build_id_read(notes, size, id);
    FL_FUZZ_HOLDS(strspn(id, "0123456789abcdef") == strlen(id));
    free(notes);
    return 0;
}
