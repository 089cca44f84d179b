/* Names for temporary files and directories that no other test uses. */
#ifndef MGC_TESTS_LIB_TEMP_H
#define MGC_TESTS_LIB_TEMP_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* TMPDIR, on Windows TEMP, else /tmp. */
static inline const char *temp_base(void)
{
    const char *base = getenv("TMPDIR");
#ifdef _WIN32
    base = getenv("TEMP");
#endif
    return base ? base : "/tmp";
}

/* "<base>/mgc-test-<what>-...": nothing of that name exists. */
static inline void temp_name(char *ret_path, size_t size, const char *what)
{
    static unsigned turn;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(ret_path, size, "%s/mgc-test-%s-%ld-%lx%lx-%u", temp_base(), what, (long)getpid(),
        (long)now.tv_sec, (long)now.tv_nsec, turn++);
}

#endif
