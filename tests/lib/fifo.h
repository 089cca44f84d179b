/* A named pipe in a directory; Windows has none of that kind, so a test of one is skipped there. */
#ifndef MGC_TESTS_LIB_FIFO_H
#define MGC_TESTS_LIB_FIFO_H

#include <sys/stat.h>

#include "tests/lib/check.h"

static inline void fifo_make(const char *path)
{
#ifdef _WIN32
    (void)path;
    skip();
#else
    assert_int_equal(mkfifo(path, 0666), 0);
#endif
}

#endif
