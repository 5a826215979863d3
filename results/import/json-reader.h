/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON reader: pulls one event after the other out of JSON that other programs wrote.
 *
 * It is our own because well-kept libraries refuse what has to be read: files with bare NaN, with a
 * comma missing, with digits grouped by the writer's locale, ended by an abort, with text of other
 * programs around the JSON, or with several documents. What can only be meant one way is mended and
 * counted, never silently; what cannot be read is one FL_JSON_BROKEN value and the rest goes on.
 *
 * Memory does not grow with the input: text beyond FL_JSON_TEXT_MAX bytes is cut, containers deeper
 * than FL_JSON_DEPTH are skipped. A document is an object whose brace is the first character of a
 * line; everything else outside documents is text around them. Not thread-safe for one reader.
 */
#ifndef RESULTS_IMPORT_JSON_READER_H
#define RESULTS_IMPORT_JSON_READER_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "faultline/error.h"

#define FL_JSON_TEXT_MAX 65535
#define FL_JSON_DEPTH    32
#define FL_JSON_BUFFER   65536

enum fl_json_event {
    FL_JSON_END, /* of the input; again at each further call */
    FL_JSON_OBJECT,
    FL_JSON_OBJECT_END,
    FL_JSON_ARRAY,
    FL_JSON_ARRAY_END,
    FL_JSON_KEY,    /* `text`; one value follows, or the END */
    FL_JSON_STRING, /* `text` */
    FL_JSON_NUMBER, /* `number`, as written in `text` */
    FL_JSON_TRUE,
    FL_JSON_FALSE,
    FL_JSON_NULL,
    FL_JSON_BROKEN, /* a value that cannot be read, or too deep */
};

/* What had to be mended, in the order in which a reader should be told. */
enum fl_json_mend {
    FL_JSON_TRUNCATED,     /* the input ended inside a document */
    FL_JSON_UNREADABLE,    /* something that is no value where one should be, or no key */
    FL_JSON_TOO_DEEP,      /* containers skipped */
    FL_JSON_TOO_LONG,      /* text cut */
    FL_JSON_BRACKETS,      /* of the wrong kind, or none */
    FL_JSON_NO_COMMA,      /* between two members */
    FL_JSON_DIGIT_GROUPS,  /* 1,234,567, or a decimal comma */
    FL_JSON_NOT_JSON_REAL, /* NaN, Infinity */
    FL_JSON_CONTROL,       /* control characters in text, kept */
    FL_JSON_QUOTES,        /* a quote or a backslash in text that was not escaped, kept */
    FL_JSON_NOT_UTF8,      /* bytes and surrogates without a partner, now U+FFFD */
    FL_JSON_TEXT_AROUND,   /* lines outside documents */
    FL_JSON_MENDS,         /* how many kinds there are */
};

struct fl_json_source {
    ssize_t (*read)(void *arg, char *buffer, size_t size); /* 0: the end; -errno */
    void *arg;
};

struct fl_json_number {
    bool is_integer;
    int64_t integer; /* where it is one */
    double real;     /* always */
};

struct fl_json_reader {
    char text[FL_JSON_TEXT_MAX + 1]; /* of a key, a string or a number; NUL-terminated, no other */
    size_t length;
    bool cut; /* there was more of it */
    struct fl_json_number number;
    size_t depth;                /* open containers */
    size_t documents;            /* begun */
    size_t mends[FL_JSON_MENDS]; /* how often */
    int failure;                 /* -errno of a read that failed, which ends the input */
    /* private */
    struct fl_json_source source;
    locale_t locale;
    char open[FL_JSON_DEPTH];
    int expected;
    bool ended, line_start;
    size_t at, filled;
    char buffer[FL_JSON_BUFFER];
};

/* -ENOMEM. */
int fl_json_open(const struct fl_json_source *source, struct fl_json_reader **out,
                 struct fl_err *err) FL_MUST_CHECK;
/* NULL is allowed. */
void fl_json_close(struct fl_json_reader *reader);

enum fl_json_event fl_json_next(struct fl_json_reader *reader);

/* Goes behind the value that `event` began: to the end of a container, nowhere for others. */
void fl_json_skip(struct fl_json_reader *reader, enum fl_json_event event);

/* What a mend is called in a sentence: `3 commas were missing`; "" for a value out of range. */
const char *fl_json_mend_text(enum fl_json_mend mend);

#endif
