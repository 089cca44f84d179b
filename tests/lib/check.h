/* cmocka with the headers it forgets to include, in the order it wants. */
#ifndef MGC_TESTS_LIB_CHECK_H
#define MGC_TESTS_LIB_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
