/* SPDX-License-Identifier: Apache-2.0 */
/* A list of processors: what is read is written, and read back to the same set. */
#include "fuzz.h"
#include "machine/cpulist.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char out[FL_CPU_MAX * 5];
    struct fl_cpulist list, again;
    char *text = fl_fuzz_text(data, size);
    if (!fl_cpulist_parse(text, &list)) {
        FL_FUZZ_HOLDS(fl_cpulist_format(&list, out, sizeof out) == 0);
        FL_FUZZ_HOLDS(fl_cpulist_parse(out, &again) == 0);
        FL_FUZZ_HOLDS(!memcmp(&list, &again, sizeof list));
        FL_FUZZ_HOLDS((fl_cpulist_count(&list) == 0) == (size == 0 || !text[0]));
    }
    free(text);
    return 0;
}
