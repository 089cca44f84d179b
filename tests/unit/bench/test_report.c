#include "tests/lib/check.h"

#include <math.h>

#include "bench/lib/report.h"

static int within(enum mgc_bench_budget budget, double limit, double ours, double control)
{
    struct mgc_bench_row row = {.what = "x",
        .unit = "ms",
        .ours = ours,
        .control = control,
        .budget = budget,
        .limit = limit};
    return mgc_bench_within(&row);
}

static void test_ratios(void **state)
{
    assert_int_equal(within(MGC_BENCH_RATIO_AT_MOST, 1.5, 30, 20), 1);
    assert_int_equal(within(MGC_BENCH_RATIO_AT_MOST, 1.5, 31, 20), 0);
    assert_int_equal(within(MGC_BENCH_RATIO_AT_LEAST, 1, 20, 20), 1);
    assert_int_equal(within(MGC_BENCH_RATIO_AT_LEAST, 1, 19, 20), 0);
}

/* A budget for our side alone does not look at the control. */
static void test_ours(void **state)
{
    assert_int_equal(within(MGC_BENCH_OURS_AT_MOST, 5, 5, NAN), 1);
    assert_int_equal(within(MGC_BENCH_OURS_AT_MOST, 5, 5.1, 100), 0);
    assert_int_equal(within(MGC_BENCH_OURS_AT_LEAST, 90, 90, NAN), 1);
    assert_int_equal(within(MGC_BENCH_OURS_AT_LEAST, 90, 89.9, 1), 0);
}

static void test_nothing_to_compare(void **state)
{
    assert_int_equal(within(MGC_BENCH_NO_BUDGET, 0, 1, 1), -1);
    assert_int_equal(within(MGC_BENCH_RATIO_AT_LEAST, 1, 20, NAN), -1);
    assert_int_equal(within(MGC_BENCH_RATIO_AT_MOST, 1, 20, 0), -1);
    assert_int_equal(within(MGC_BENCH_OURS_AT_MOST, 5, NAN, 1), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratios),
        cmocka_unit_test(test_ours),
        cmocka_unit_test(test_nothing_to_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
