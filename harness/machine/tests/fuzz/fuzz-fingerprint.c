/* SPDX-License-Identifier: Apache-2.0 */
/* Text of a fingerprint: its canonical text reads back to an equal one and no other text. */
#include "fuzz.h"
#include "machine/fingerprint.h"

static void check(const struct fl_fingerprint *fingerprint)
{
    struct fl_fingerprint again = {.fields = {.count = 0}};
    struct fl_err err = {""};
    char text[FL_FINGERPRINT_TEXT_MAX], second[FL_FINGERPRINT_TEXT_MAX];
    if (fl_fingerprint_text(fingerprint, text, sizeof text))
        return; /* quoting may make it too long */
    FL_FUZZ_HOLDS(fl_fingerprint_parse(text, &again, &err) == 0);
    FL_FUZZ_HOLDS(fl_fingerprint_differs(fingerprint, &again) == NULL);
    FL_FUZZ_HOLDS(fl_fingerprint_text(&again, second, sizeof second) == 0);
    FL_FUZZ_HOLDS(!strcmp(text, second) && !strchr(text, '\n'));
    FL_FUZZ_HOLDS(fl_fingerprint_hash(fingerprint) == fl_fingerprint_hash(&again));
    fl_fingerprint_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_fingerprint fingerprint = {.fields = {.count = 0}};
    struct fl_err err = {""};
    char *text = fl_fuzz_text(data, size);
    if (fl_fingerprint_parse(text, &fingerprint, &err))
        FL_FUZZ_HOLDS(err.text[0]);
    else
        check(&fingerprint);
    fl_fingerprint_release(&fingerprint);
    free(text);
    return 0;
}
