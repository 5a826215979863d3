/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A blocking and a product to cut: the first 8 bytes choose the product, the rest is the level.
 * What follows the grammar is refused only for want of a cache; whatever is taken gives blocks that
 * are not empty, no larger than the product needs, and aligned.
 */
#include <errno.h>

#include "blocking.h"
#include "fuzz.h"

enum { DIMENSION_MAX = 65536, TILE = 64 };

static size_t dimension(const uint8_t *bytes)
{
    return (size_t)bytes[0] * 256 + bytes[1] + 1;
}

static struct fl_blocking_input choose(const uint8_t *bytes)
{
    return (struct fl_blocking_input){
        .m = bytes[6] & 1 ? dimension(bytes) : dimension(bytes + 2),
        .n = dimension(bytes),
        .k = dimension(bytes + 4),
        .syrk = bytes[6] & 1,
        .scalar = bytes[6] & 2 ? 4 : 8,
        .l1 = bytes[6] & 4 ? 0 : (size_t)bytes[7] << 10,
        .l2 = bytes[6] & 8 ? 0 : (size_t)bytes[7] << 14,
        .lanes = 1u << (bytes[6] >> 4 & 3),
        .mr = (size_t)1 + bytes[7] % TILE,
        .nr = (size_t)1 + bytes[6] % TILE,
    };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_blocking blocking;
    struct fl_err err = {""};
    if (size < 8)
        return 0;
    const struct fl_blocking_input input = choose(data);
    char *level = fl_fuzz_text(data + 8, size - 8);
    int rc = fl_blocking_resolve(level, &input, &blocking, &err);
    FL_FUZZ_HOLDS((fl_blocking_check(level, &err) != 0) == (rc == -EINVAL));
    if (rc == 0) {
        FL_FUZZ_HOLDS(blocking.kc >= 1 && blocking.kc <= input.k);
        FL_FUZZ_HOLDS(blocking.mc >= 1 && blocking.mc <= input.m);
        FL_FUZZ_HOLDS(blocking.nc >= 1 && blocking.nc <= input.n);
        FL_FUZZ_HOLDS(blocking.align >= 4 && !(blocking.align & (blocking.align - 1)));
    }
    free(level);
    return 0;
}
