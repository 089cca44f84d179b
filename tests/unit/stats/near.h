/* Compare floating-point numbers; says both and where. */
#ifndef MGC_TESTS_STATS_NEAR_H
#define MGC_TESTS_STATS_NEAR_H

#include <math.h>

#include "tests/lib/check.h"

/* Within `tolerance` of expected; a NaN is near nothing. */
#define assert_near(value, expected, tolerance)                                                    \
    check_near((value), (expected), (tolerance), #value, __FILE__, __LINE__)

static inline void check_near(
    double value, double expected, double tolerance, const char *what, const char *file, int line)
{
    if (fabs(value - expected) <= tolerance)
        return;
    print_error("%s is %.17g, expected %.17g within %g\n", what, value, expected, tolerance);
    _fail(file, line);
}

#endif
