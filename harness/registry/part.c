/* SPDX-License-Identifier: Apache-2.0 */
/* What every kind of part has in common: whether it can run, and whether its table is sound. */
#include "faultline/part.h"

#include <errno.h>

int fl_part_probe(const struct fl_part *part, struct fl_err *why)
{
    return part->probe ? part->probe(why) : 0;
}

int fl_part_check(const struct fl_part *part, struct fl_err *why)
{
    if (!part->name || !part->name[0])
        return fl_fail(why, -EINVAL, "a part has no name");
    if (part->abi != FL_PART_ABI)
        return fl_fail(why, -EINVAL, "part '%s' was built for ABI %u, this faultline has %u",
                       part->name, part->abi, FL_PART_ABI);
    if (!part->summary || !part->summary[0])
        return fl_fail(why, -EINVAL, "part '%s' has no summary", part->name);
    return 0;
}
