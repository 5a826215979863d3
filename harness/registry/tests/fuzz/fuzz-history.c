/* SPDX-License-Identifier: Apache-2.0 */
/* The level of the factor `history`: each step is a kernel's call at some n, or one malloc. */
#include "faultline/history.h"
#include "fuzz.h"

static void check_step(const struct fl_history_step *step)
{
    if (step->kernel[0])
        FL_FUZZ_HOLDS(step->n >= 1 && step->n <= 65536 &&
                      memchr(step->kernel, 0, sizeof step->kernel));
    else
        FL_FUZZ_HOLDS(step->bytes >= 1 && step->bytes <= 4294967296.0 && !step->malloc_operands);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_history history;
    struct fl_err err = {""};
    char *text = fl_fuzz_text(data, size);
    if (fl_history_parse(text, &history, &err)) {
        FL_FUZZ_HOLDS(err.text[0]);
    } else {
        FL_FUZZ_HOLDS(history.count <= FL_HISTORY_STEPS);
        FL_FUZZ_HOLDS(history.count || !strcmp(text, "fresh"));
        for (size_t i = 0; i < history.count; i++)
            check_step(&history.steps[i]);
    }
    free(text);
    return 0;
}
