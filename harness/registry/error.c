/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as one line of text in the caller's buffer. */
#include "faultline/error.h"

#include <stdio.h>
#include <string.h>

int(fl_fail)(struct fl_err *err, int code, const char *format, ...)
{
    if (!err)
        return code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    return code;
}

int(fl_fail_within)(struct fl_err *err, int code, const char *format, ...)
{
    if (!err)
        return code;
    struct fl_err inner = *err;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    size_t used = length < 0 ? 0 : (size_t)length;
    if (used < sizeof err->text)
        snprintf(err->text + used, sizeof err->text - used, ": %s", inner.text);
    return code;
}
