/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader of ELF shared libraries: program headers lead to the dynamic section and the notes,
 * section headers to the symbols.
 *
 * Tables are copied out with pread() rather than mapped: a file that shrinks meanwhile is then a
 * short read and no SIGBUS. The copies lie in anonymous mappings, since a malloc of this size, once
 * freed, would raise glibc's thresholds.
 */
#include "elf-file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { OWN_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#endif

enum {
    TABLE_MAX = 64 << 20, /* bytes of one table; the largest known, MKL's strings, has 3 MiB */
    NOTES_MAX = 1 << 20,  /* of one note segment, of which a file may have many; usual: 100 */
    HEADERS_MAX = 1024,   /* entries of a header table */
};

/* A piece of the file in memory, NUL behind its end. */
struct table {
    char *bytes;
    size_t size;
};

struct source {
    int fd;
    uint64_t size;
    Elf64_Ehdr header;
    struct table segment_table;
    const Elf64_Phdr *segments; /* header.e_phnum of them, in the table */
};

static void unload(const struct table *table)
{
    munmap(table->bytes, table->size + 1);
}

static bool fill(const struct source *source, uint64_t offset, const struct table *table)
{
    size_t got = 0;
    while (got < table->size) {
        ssize_t n = pread(source->fd, table->bytes + got, table->size - got, (off_t)(offset + got));
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

static int load(const struct source *source, uint64_t offset, uint64_t size, struct table *out)
{
    if (offset > source->size || size > source->size - offset || size > TABLE_MAX)
        return -ENOEXEC;
    out->size = size;
    out->bytes = mmap(NULL, size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (out->bytes == MAP_FAILED)
        return -ENOMEM;
    if (fill(source, offset, out))
        return 0;
    unload(out);
    return -ENOEXEC;
}

static void copy_text(const struct table *strings, uint64_t at, char out[FL_ELF_TEXT])
{
    if (at < strings->size)
        snprintf(out, FL_ELF_TEXT, "%s", strings->bytes + at);
}

static int check_header(const Elf64_Ehdr *header, struct fl_err *why)
{
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return fl_fail(why, -ENOEXEC, "not an ELF file");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
        return fl_fail(why, -ENOEXEC, "not a 64-bit little-endian ELF file");
    if (header->e_machine != OWN_MACHINE)
        return fl_fail(why, -ENOEXEC, "built for another processor (ELF machine %u, not %u)",
                       header->e_machine, OWN_MACHINE);
    if (header->e_type != ET_DYN)
        return fl_fail(why, -ENOEXEC, "an ELF file, but not a shared library");
    return 0;
}

static int open_source(const char *path, struct source *source, struct fl_err *why)
{
    struct stat status;
    source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (source->fd < 0)
        return fl_fail(why, -errno, "%s", strerror(errno));
    if (fstat(source->fd, &status))
        return fl_fail(why, -errno, "%s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return fl_fail(why, -ENOEXEC, "not a regular file");
    source->size = (uint64_t)status.st_size;
    if (pread(source->fd, &source->header, sizeof source->header, 0) != sizeof source->header)
        return fl_fail(why, -ENOEXEC, "too short for an ELF file");
    return check_header(&source->header, why);
}

static int load_segments(struct source *source, struct fl_err *why)
{
    const Elf64_Ehdr *header = &source->header;
    struct table *table = &source->segment_table;
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum > HEADERS_MAX)
        return fl_fail(why, -ENOEXEC, "its program headers are damaged");
    int rc = load(source, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr), table);
    if (rc)
        return fl_fail(why, rc, "its program headers are cut off");
    source->segments = (const Elf64_Phdr *)(const void *)table->bytes;
    return 0;
}

/* The bytes of the file behind an address of the loaded image: up to the end of the segment. */
static bool file_range(const struct source *source, uint64_t address, uint64_t *offset,
                       uint64_t *size)
{
    for (unsigned i = 0; i < source->header.e_phnum; i++) {
        const Elf64_Phdr *s = &source->segments[i];
        if (s->p_type != PT_LOAD || address < s->p_vaddr || address - s->p_vaddr >= s->p_filesz)
            continue;
        uint64_t inside = address - s->p_vaddr;
        *offset = s->p_offset + inside;
        *size = s->p_filesz - inside;
        return *offset >= s->p_offset;
    }
    return false;
}

static uint64_t dynamic_value(const struct table *dynamic, int64_t tag)
{
    Elf64_Dyn entry;
    for (size_t at = 0; at + sizeof entry <= dynamic->size; at += sizeof entry) {
        memcpy(&entry, dynamic->bytes + at, sizeof entry);
        if (entry.d_tag == tag)
            return entry.d_un.d_val;
        if (entry.d_tag == DT_NULL)
            break;
    }
    return 0;
}

static void read_names(const struct table *dynamic, const struct table *strings,
                       struct fl_elf_file *out)
{
    Elf64_Dyn entry;
    for (size_t at = 0; at + sizeof entry <= dynamic->size; at += sizeof entry) {
        memcpy(&entry, dynamic->bytes + at, sizeof entry);
        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_SONAME)
            copy_text(strings, entry.d_un.d_val, out->soname);
        if (entry.d_tag == DT_NEEDED && out->needed_count < FL_ELF_NEEDED)
            copy_text(strings, entry.d_un.d_val, out->needed[out->needed_count++]);
    }
}

static void read_dynamic(const struct source *source, const Elf64_Phdr *segment,
                         struct fl_elf_file *out)
{
    struct table dynamic, strings;
    uint64_t offset = 0, rest = 0;
    if (load(source, segment->p_offset, segment->p_filesz, &dynamic))
        return;
    uint64_t size = dynamic_value(&dynamic, DT_STRSZ);
    if (file_range(source, dynamic_value(&dynamic, DT_STRTAB), &offset, &rest) && size <= rest &&
        !load(source, offset, size, &strings)) {
        read_names(&dynamic, &strings, out);
        unload(&strings);
    }
    unload(&dynamic);
}

static void read_notes(const struct source *source, const Elf64_Phdr *segment,
                       struct fl_elf_file *out)
{
    struct table notes;
    if (out->build_id[0] || segment->p_filesz > NOTES_MAX ||
        load(source, segment->p_offset, segment->p_filesz, &notes))
        return;
    fl_build_id_read(notes.bytes, notes.size, out->build_id);
    unload(&notes);
}

static void match(const Elf64_Sym *symbol, const struct table *strings, const char *const *wanted,
                  bool *found)
{
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= strings->size)
        return;
    for (size_t i = 0; wanted[i]; i++)
        if (!strcmp(strings->bytes + symbol->st_name, wanted[i]))
            found[i] = true;
}

static void read_symbols(const struct source *source, const Elf64_Shdr *symbols,
                         const Elf64_Shdr *names, const char *const *wanted, bool *found)
{
    struct table entries, strings;
    Elf64_Sym symbol;
    if (load(source, symbols->sh_offset, symbols->sh_size, &entries))
        return;
    if (!load(source, names->sh_offset, names->sh_size, &strings)) {
        for (size_t at = 0; at + sizeof symbol <= entries.size; at += sizeof symbol) {
            memcpy(&symbol, entries.bytes + at, sizeof symbol);
            match(&symbol, &strings, wanted, found);
        }
        unload(&strings);
    }
    unload(&entries);
}

static void read_sections(const struct source *source, const char *const *wanted, bool *found)
{
    const Elf64_Ehdr *header = &source->header;
    struct table table;
    uint64_t size = (uint64_t)header->e_shnum * sizeof(Elf64_Shdr);
    if (header->e_shentsize != sizeof(Elf64_Shdr) || load(source, header->e_shoff, size, &table))
        return;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(const void *)table.bytes;
    unsigned i = 0;
    while (i < header->e_shnum && sections[i].sh_type != SHT_DYNSYM)
        i++;
    if (i < header->e_shnum && sections[i].sh_link < header->e_shnum)
        read_symbols(source, &sections[i], &sections[sections[i].sh_link], wanted, found);
    unload(&table);
}

/* The first of each kind: a file that claims thousands would keep us busy for hours. */
static int read_all(struct source *source, const char *path, const char *const *wanted, bool *found,
                    struct fl_elf_file *out, struct fl_err *why)
{
    int rc = open_source(path, source, why);
    if (!rc)
        rc = load_segments(source, why);
    if (rc)
        return rc;
    bool dynamic = false;
    for (unsigned i = 0; i < source->header.e_phnum; i++) {
        if (source->segments[i].p_type == PT_DYNAMIC && !dynamic)
            read_dynamic(source, &source->segments[i], out);
        dynamic |= source->segments[i].p_type == PT_DYNAMIC;
        if (source->segments[i].p_type == PT_NOTE)
            read_notes(source, &source->segments[i], out);
    }
    read_sections(source, wanted, found);
    return 0;
}

int fl_elf_read(const char *path, const char *const *wanted, bool *found, struct fl_elf_file *out,
                struct fl_err *why)
{
    struct source source = {.fd = -1};
    memset(out, 0, sizeof *out);
    for (size_t i = 0; wanted[i]; i++)
        found[i] = false;
    int rc = read_all(&source, path, wanted, found, out, why);
    if (source.segments)
        unload(&source.segment_table);
    if (source.fd >= 0)
        close(source.fd);
    return rc;
}

static size_t padded(uint32_t size)
{
    return ((size_t)size + 3) & ~(size_t)3;
}

void fl_build_id_read(const void *notes, size_t size, char out[FL_BUILD_ID_MAX])
{
    const unsigned char *at = notes, *end = at + size;
    Elf64_Nhdr note;
    out[0] = 0;
    while ((size_t)(end - at) >= sizeof note) {
        memcpy(&note, at, sizeof note);
        at += sizeof note;
        size_t name = padded(note.n_namesz), body = padded(note.n_descsz);
        if (name > (size_t)(end - at) || body > (size_t)(end - at) - name)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(at, "GNU", 4)) {
            size_t bytes =
                note.n_descsz < FL_BUILD_ID_MAX / 2 ? note.n_descsz : FL_BUILD_ID_MAX / 2;
            for (size_t i = 0; i < bytes; i++)
                snprintf(out + 2 * i, 3, "%02x", at[name + i]);
            return;
        }
        at += name + body;
    }
}
