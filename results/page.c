/* SPDX-License-Identifier: Apache-2.0 */
#include "page.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "results/export.h"
#include "results/text.h"

int fl_page_out_of_memory(struct fl_page *page)
{
    return fl_fail(page->err, -ENOMEM, "cannot show the run: out of memory");
}

const char *fl_page_safe(struct fl_page *page, const char *text)
{
    const char *made = fl_text_for_terminal(&page->arena, text);

    return made ? made : "?";
}

const char *fl_page_text(struct fl_page *page, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    const char *made = fl_text_format(&page->arena, format, values);
    va_end(values);
    return made ? made : "?";
}

const char *fl_page_number(struct fl_page *page, double value)
{
    double size = fabs(value);

    if (isinf(value))
        return "infinite";
    if (size >= 1e9 || (size > 0 && size < 1e-5))
        return fl_page_text(page, "%.3e", value);
    int decimals = size >= 1000 ? 0 : size > 0 ? 3 - (int)floor(log10(size)) : 0;
    return fl_page_text(page, "%.*f", decimals, value);
}

const char *fl_page_note(struct fl_page *page, const char *text)
{
    return fl_notes_mark(&page->notes, &page->arena, text);
}

void fl_page_begin(struct fl_page *page, const char *title, const char *shared)
{
    errno = 0;
    fprintf(page->out, "%s\n", fl_page_safe(page, title));
    if (*shared)
        fprintf(page->out, "everywhere: %s\n", fl_page_safe(page, shared));
}

int fl_page_table(struct fl_page *page, struct fl_table *table, const char *const *titles,
                  const char *const *heads)
{
    if (fl_table_init(table, &page->arena))
        return fl_page_out_of_memory(page);
    memcpy(table->titles, titles, table->title_lines * table->groups * sizeof(*titles));
    memcpy(table->heads, heads, (table->labels + table->groups * table->each) * sizeof(*heads));
    return 0;
}

int fl_page_print(struct fl_page *page, const struct fl_table *table)
{
    if (fl_table_print(table, &page->arena, page->width, page->bold, page->out))
        return fl_page_out_of_memory(page);
    return fl_export_check(page->out, page->err);
}

int fl_page_end(struct fl_page *page, int status)
{
    if (!status && page->notes.count)
        putc('\n', page->out);
    fl_notes_print(&page->notes, page->out);
    fl_arena_release(&page->arena);
    return status ? status : fl_export_flush(page->out, page->err);
}
