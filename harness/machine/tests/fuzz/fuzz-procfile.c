/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of /proc and /sys: every parser must end its output and stay inside its input. */
#include "fuzz.h"
#include "machine/cgroup.h"
#include "machine/cpu-time.h"
#include "machine/procfile.h"

static void check_fields(const char *text)
{
    char small[8], large[256];
    unsigned long long bytes;
    bool in_small = fl_proc_field(text, "Key", small, sizeof small);
    bool in_large = fl_proc_field(text, "Key", large, sizeof large);
    FL_FUZZ_HOLDS(!in_small || (in_large && !strcmp(small, large)));
    FL_FUZZ_HOLDS(in_small || !small[0]);
    FL_FUZZ_HOLDS(!fl_proc_bytes(text, "Key", &bytes) || in_large);
    if (fl_proc_assignment(text, "ID", small, sizeof small))
        FL_FUZZ_HOLDS(!strchr(small, '\n'));
}

static void check_words(const char *text)
{
    char out[32];
    if (fl_proc_choice(text, out, sizeof out))
        FL_FUZZ_HOLDS(!strchr(out, ']') && strstr(text, out));
    FL_FUZZ_HOLDS(!fl_proc_has_word(text, "avx2") || strstr(text, "avx2"));
    fl_proc_isa_level("x86_64", text, out, sizeof out);
    FL_FUZZ_HOLDS(!strncmp(out, "x86-64-v", 8) && out[8] >= '1' && out[8] <= '4' && !out[9]);
    fl_proc_isa_level("aarch64", text, out, sizeof out);
}

static void check_time(const char *text, int cpu)
{
    struct fl_cpu_time time;
    if (fl_cpu_time_parse(text, cpu, &time))
        return;
    double share = fl_cpu_time_steal_share(&time);
    FL_FUZZ_HOLDS(share >= 0 && share <= 1);
    time = fl_cpu_time_since(&time, &time);
    FL_FUZZ_HOLDS(time.busy == 0 && time.idle == 0 && time.steal == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fl_fuzz_text(data, size);
    check_fields(text);
    check_words(text);
    double cpus = fl_cgroup_parse_cpu_max(text);
    FL_FUZZ_HOLDS(cpus >= 0 && cpus < 1e6);
    check_time(text, -1);
    check_time(text, 3);
    free(text);
    return 0;
}
