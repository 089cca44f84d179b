/* Change this process's environment. */
#ifndef MGC_TESTS_LIB_ENV_H
#define MGC_TESTS_LIB_ENV_H

#include <stdlib.h>

#include "tests/lib/check.h"

static inline void env_set(const char *name, const char *value)
{
#ifdef _WIN32
    assert_int_equal(_putenv_s(name, value), 0);
#else
    assert_int_equal(setenv(name, value, 1), 0);
#endif
}

static inline void env_unset(const char *name)
{
#ifdef _WIN32
    assert_int_equal(_putenv_s(name, ""), 0);
#else
    assert_int_equal(unsetenv(name), 0);
#endif
}

#endif
