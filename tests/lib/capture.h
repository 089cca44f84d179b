/* What is printed to a FILE, as text: open_memstream where there is none. */
#ifndef MGC_TESTS_LIB_CAPTURE_H
#define MGC_TESTS_LIB_CAPTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/check.h"
#include "tests/lib/temp.h"

struct capture {
    FILE *file; /* print here */
    char path[512];
};

static inline void capture_open(struct capture *capture)
{
    temp_name(capture->path, sizeof(capture->path), "capture");
    capture->file = fopen(capture->path, "w+b");
    assert_non_null(capture->file);
}

/* All that was printed, the caller's to free; the file is closed and removed. */
static inline char *capture_take(struct capture *capture)
{
    long size = ftell(capture->file);
    assert_true(size >= 0);
    char *text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    rewind(capture->file);
    assert_int_equal(fread(text, 1, (size_t)size, capture->file), size);
    fclose(capture->file);
    remove(capture->path);
    return text;
}

#endif
