/* Whole files in a test's directory. */
#ifndef MGC_TESTS_UNIT_TASK_FILES_H
#define MGC_TESTS_UNIT_TASK_FILES_H

#include "tests/lib/tmpdir.h"

static inline void put_file(const char *path, const void *data, size_t len)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, len, file) != len || fclose(file) != 0)
        abort();
}

/* Content, NUL-terminated and owned; NULL when there is no such file. */
static inline char *get_file(const char *path, size_t *ret_len)
{
    struct mgc_buf buf = {0};
    if (!mgc_file_read(path, (size_t)1 << 26, &buf, NULL))
        return NULL;
    *ret_len = buf.len;
    return buf.data ? mgc_buf_steal(&buf) : strdup("");
}

#endif
