/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread rule and a call: the first 8 bytes choose the call, the rest is the level. Whatever is
 * taken decides alike twice, never shares a call of one thread, and with more elements of a
 * contiguous vector never goes back from the team to one thread.
 */
#include <errno.h>
#include <math.h>

#include "fuzz.h"
#include "thread-rule.h"

static struct fl_thread_rule_call choose(const uint8_t *bytes)
{
    const double n = bytes[0] + 256.0 * bytes[1] + 65536.0 * bytes[2] + 16777216.0 * bytes[3];

    return (struct fl_thread_rule_call){
        .n = n, .bytes = n * (1 + bytes[4] % 48), .unit = bytes[5] & 1, .threads = 1 + bytes[6]};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_thread_rule rule;
    struct fl_err err = {""};
    if (size < 8)
        return 0;
    struct fl_thread_rule_call call = choose(data);
    char *level = fl_fuzz_text(data + 8, size - 8);
    int rc = fl_thread_rule_parse(level, &rule, &err);
    FL_FUZZ_HOLDS(rc == 0 || (rc == -EINVAL && err.text[0]));
    if (rc == 0) {
        FL_FUZZ_HOLDS(rule.limit >= 0 && !isnan(rule.limit));
        const bool shares = fl_thread_rule_shares(&rule, &call);
        FL_FUZZ_HOLDS(shares == fl_thread_rule_shares(&rule, &call));
        FL_FUZZ_HOLDS(call.threads > 1 || !shares);
        call.n *= 2;
        call.bytes *= 2;
        FL_FUZZ_HOLDS(!shares || fl_thread_rule_shares(&rule, &call));
    }
    free(level);
    return 0;
}
