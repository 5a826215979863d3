/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-import [ENTRIES]: how fast a Google Benchmark file goes into a store, and in how much
 * memory; beside it, interleaved, how fast its JSON alone is read. Then the same with ten times as
 * much. Everything is in a folder of its own below the one it is started in. Exit status 1 where an
 * import had more than 32 MB.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "results/import/import.h"
#include "results/import/json-reader.h"

enum { ENTRIES = 100000, PASSES = 3, RESIDENT_MB = 32 };

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Names in an order that is not that of the index. */
static void write_file(const char *path, long entries, long repetitions)
{
    FILE *out = fopen(path, "w");

    if (!out)
        abort();
    fputs("{\n  \"context\": {\n    \"host_name\": \"box\",\n    \"num_cpus\": 2\n  },\n"
          "  \"benchmarks\": [\n",
          out);
    for (long i = 0; i < entries; i++) {
        long cell = i / repetitions;
        char name[64];
        snprintf(name, sizeof(name), "BM_Something<double>/%ld/%ld", cell % 977, cell);
        fprintf(out,
                "%s    {\n      \"name\": \"%s\",\n      \"family_index\": %ld,\n"
                "      \"per_family_instance_index\": 0,\n      \"run_name\": \"%s\",\n"
                "      \"run_type\": \"iteration\",\n      \"repetitions\": %ld,\n"
                "      \"repetition_index\": %ld,\n      \"threads\": 1,\n"
                "      \"iterations\": %ld,\n      \"real_time\": %.16e,\n"
                "      \"cpu_time\": %.16e,\n      \"time_unit\": \"ns\"\n    }",
                i ? ",\n" : "", name, cell, name, repetitions, i % repetitions, 1000 + cell,
                100.0 + 1.37 * (double)i, 99.0 + 1.21 * (double)i);
    }
    fputs("\n  ]\n}\n", out);
    if (fclose(out))
        abort();
}

static void import_file(const char *path)
{
    const struct fl_import_input input = {path, open(path, O_RDONLY | O_CLOEXEC)};
    const struct fl_import_options options = {.label = NULL};
    struct fl_import_report report;
    struct fl_store *store;
    struct fl_err err = {.text = ""};
    int rc = fl_store_open("x.db", FL_STORE_CREATE, &store, &err);

    if (!rc)
        rc = fl_import(store, &input, 1, &options, &report, &err);
    if (rc) {
        fprintf(stderr, "%s\n", err.text);
        _exit(1);
    }
    fl_store_close(store);
    close(input.fd);
}

static ssize_t read_file(void *arg, char *buffer, size_t size)
{
    return read(*(int *)arg, buffer, size);
}

static void read_json(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    const struct fl_json_source source = {read_file, &fd};
    struct fl_json_reader *reader;
    struct fl_err err;

    if (fl_json_open(&source, &reader, &err))
        _exit(1);
    while (fl_json_next(reader) != FL_JSON_END)
        continue;
    fl_json_close(reader);
    close(fd);
}

struct cost {
    double seconds, processor_seconds;
    long resident_kib;
};

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* In a child, whose memory is its own. */
static struct cost cost_of(void (*work)(const char *path), const char *path)
{
    struct rusage usage;
    int status;
    double start = now();
    pid_t child = fork();

    if (child == 0) {
        work(path);
        _exit(0);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status)
        exit(1);
    return (struct cost){now() - start, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
                         usage.ru_maxrss};
}

static void remove_store(void)
{
    unlink("x.db");
    unlink("x.db-wal");
    unlink("x.db-shm");
}

/* Returns the most memory that an import had. */
static double measure(long entries, long repetitions, int passes)
{
    struct stat info;
    double most = 0;

    write_file("x.json", entries, repetitions);
    if (stat("x.json", &info))
        exit(1);
    double megabytes = (double)info.st_size / 1e6;
    for (int i = 0; i < passes; i++) {
        struct cost json = cost_of(read_json, "x.json");
        struct cost import = cost_of(import_file, "x.json");
        printf("%8ld entries, %2ld repetitions, %6.1f MB: import %6.1f MB/s, %6.1f a second of "
               "processor time, %5.1f MB resident; JSON alone takes 1/%.1f of that time\n",
               entries, repetitions, megabytes, megabytes / import.seconds,
               megabytes / import.processor_seconds, (double)import.resident_kib * 1024 / 1e6,
               import.processor_seconds / json.processor_seconds);
        fflush(stdout);
        remove_store();
        double resident = (double)import.resident_kib * 1024 / 1e6;
        most = resident > most ? resident : most;
    }
    unlink("x.json");
    return most;
}

int main(int argc, char **argv)
{
    long entries = argc > 1 ? strtol(argv[1], NULL, 10) : ENTRIES;
    char folder[] = "bench-import-XXXXXX";

    if (entries < 10 || !mkdtemp(folder) || chdir(folder))
        return 1;
    double most = measure(entries, 1, PASSES);
    double ten = measure(entries, 10, PASSES), more = measure(10 * entries, 1, 1);
    if (chdir("..") || rmdir(folder))
        return 1;
    if (ten > most)
        most = ten;
    if (more > most)
        most = more;
    if (most > RESIDENT_MB)
        printf("more than %d MB resident\n", RESIDENT_MB);
    return most > RESIDENT_MB;
}
