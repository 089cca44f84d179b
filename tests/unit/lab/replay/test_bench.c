#include "tests/lib/check.h"

#include "lab/replay/bench.h"

static void test_figures(void **state)
{
    double values[100];
    for (int i = 0; i < 100; i++)
        values[i] = 100 - i;
    struct mgr_figures figures = mgr_bench_figures(values, 100, 100);
    assert_true(figures.mean == 50.5 && figures.median == 50.5);
    assert_true(figures.p95 == 95);              /* nearest rank */
    figures = mgr_bench_figures(values, 100, 3); /* 3, 2, 1 */
    assert_true(figures.mean == 2 && figures.median == 2 && figures.p95 == 3);
    figures = mgr_bench_figures(values, 2, 200);
    assert_true(figures.mean == 99.5 && figures.median == 99.5 && figures.p95 == 100);
    figures = mgr_bench_figures(values, 1, 1);
    assert_true(figures.mean == 100 && figures.median == 100 && figures.p95 == 100);
}

static void test_no_values_are_absent(void **state)
{
    struct mgr_figures figures = mgr_bench_figures(NULL, 0, 200);
    assert_true(figures.mean == -1 && figures.median == -1 && figures.p95 == -1);
}

static void test_growth(void **state)
{
    struct mgr_bench bench = {0};
    for (int i = 0; i < 1000; i++)
        assert_true(mgr_bench_add(&bench, i * 1000000, i * 500000));
    assert_int_equal(bench.count, 1000);
    assert_true(bench.frame_ms[999] == 999 && bench.cpu_ms[999] == 499.5);
    mgr_bench_destroy(&bench);
    mgr_bench_destroy(&bench);
    mgr_bench_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_no_values_are_absent),
        cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
