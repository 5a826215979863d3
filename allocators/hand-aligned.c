/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers from malloc for one call, freed in reverse order. */
#include "hand-aligned.h"

#include <errno.h>
#include <stdlib.h>

int fl_hand_alloc(const struct fl_request *request, void **raw, void **pointer)
{
    size_t bytes;
    if (!fl_hand_bytes(request, &bytes))
        return -ENOMEM;
    *raw = malloc(bytes);
    if (!*raw)
        return -ENOMEM;
    *pointer = fl_hand_pointer(*raw, request->align);
    return 0;
}

int fl_hand_with(void *state, const struct fl_request *requests, size_t count, fl_body_fn body,
                 void *arg)
{
    (void)state;
    void *raw[FL_REQUESTS_MAX], *pointers[FL_REQUESTS_MAX] = {NULL};
    size_t taken = 0;
    while (taken < count && !fl_hand_alloc(&requests[taken], &raw[taken], &pointers[taken]))
        taken++;
    int result = taken == count ? body(arg, pointers) : -ENOMEM;
    while (taken > 0)
        free(raw[--taken]);
    return result;
}
