/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A baseline. What is read is written as text that is read again, and written the same; a mistake
 * is one line.
 */
#include "fuzz.h"
#include "results/baseline.h"

static char *written(const struct fl_baseline *baseline, size_t *size)
{
    char *text = NULL;
    struct fl_err err = {""};
    FILE *out = open_memstream(&text, size);
    FL_FUZZ_HOLDS(out != NULL);
    int rc = fl_baseline_write(baseline, out, &err);
    fclose(out);
    if (!rc)
        return text;
    FL_FUZZ_HOLDS(err.text[0]); /* a name that no line can hold */
    free(text);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_baseline baseline, again;
    struct fl_err err = {""};
    if (fl_baseline_read("f.ini", (const char *)data, size, &baseline, &err)) {
        FL_FUZZ_HOLDS(err.text[0] && !strchr(err.text, '\n') && !baseline.count);
        return 0;
    }
    FL_FUZZ_HOLDS(baseline.machine_count > 0);
    for (size_t i = 0; i < baseline.count; i++)
        FL_FUZZ_HOLDS(baseline.counts[i].value_count > 0 && baseline.counts[i].metric[0]);
    size_t length;
    char *text = written(&baseline, &length);
    if (text) {
        FL_FUZZ_HOLDS(fl_baseline_read("g.ini", text, length, &again, &err) == 0);
        FL_FUZZ_HOLDS(again.count == baseline.count);
        size_t second;
        char *same = written(&again, &second);
        FL_FUZZ_HOLDS(same && second == length && memcmp(same, text, length) == 0);
        fl_baseline_release(&again);
        free(same);
        free(text);
    }
    fl_baseline_release(&baseline);
    return 0;
}
