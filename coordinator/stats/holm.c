#include "coordinator/stats/holm.h"

#include <math.h>

/* How many of the family come before this one by p; of equal ones, those that stand before it. */
static size_t rank_of(const struct mgc_holm *family, size_t count, size_t at)
{
    size_t before = 0;
    for (size_t i = 0; i < count; i++)
        before += family[i].p < family[at].p || (family[i].p == family[at].p && i < at);
    return before;
}

static size_t count_tests(const struct mgc_holm *family, size_t count)
{
    size_t tests = 0;
    for (size_t i = 0; i < count; i++)
        tests += !isnan(family[i].p);
    return tests;
}

/* The p of rank i (from 0) of m is multiplied by m - i, and none may undercut one before it. */
void mgc_holm_adjust(struct mgc_holm *family, size_t count)
{
    size_t tests = count_tests(family, count);
    for (size_t i = 0; i < count; i++) {
        family[i].divisor = isnan(family[i].p) ? 0 : tests - rank_of(family, count, i);
        family[i].adjusted = NAN;
    }
    double highest = 0;
    for (size_t divisor = tests; divisor > 0; divisor--) {
        for (size_t i = 0; i < count; i++) {
            if (family[i].divisor != divisor)
                continue;
            highest = fmax(highest, (double)divisor * family[i].p);
            family[i].adjusted = fmin(highest, 1);
        }
    }
}
