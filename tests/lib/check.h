/* cmocka with the headers it forgets to include, in the order it wants. */
#ifndef MGC_TESTS_LIB_CHECK_H
#define MGC_TESTS_LIB_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef _WIN32
/* cmocka declares its printing functions with the formats of Microsoft's runtime, but is built to
 * print those of the C standard (deps/build-mingw). Other systems check the same lines. */
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
#endif

#endif
