/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds every file of a corpus, and an empty input, to a fuzz target. Status 1: no file is there.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "fuzz.h"

enum { INPUT_MAX = 1 << 20 };

static int replay(const char *path)
{
    struct stat status;
    uint8_t *bytes;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &status)) {
        fprintf(stderr, "cannot open '%s': %s\n", path, strerror(errno));
        exit(1);
    }
    if (!S_ISREG(status.st_mode)) {
        fclose(file);
        return 0;
    }
    size_t size = status.st_size < INPUT_MAX ? (size_t)status.st_size : INPUT_MAX;
    bytes = malloc(size + !size); /* exactly: a sanitizer then sees a read behind the end */
    if (!bytes || fread(bytes, 1, size, file) != size) {
        fprintf(stderr, "cannot read '%s'\n", path);
        exit(1);
    }
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last one printed is the one that fails */
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return 1;
}

int main(int argc, char **argv)
{
    int files = 0;
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 1;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        files += replay(path);
    }
    closedir(folder);
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    printf("%d files\n", files);
    return files == 0;
}
