#include "tests/lib/check.h"

#include <math.h>

#include "bench/lib/stats.h"

static void fill(struct mgc_bench_samples *samples, int count)
{
    for (int i = count; i >= 1; i--)
        assert_true(mgc_bench_add(samples, i));
}

static void test_nearest_rank(void **state)
{
    struct mgc_bench_samples samples = {0};
    fill(&samples, 1000);
    assert_float_equal(mgc_bench_percentile(&samples, 50), 500, 0);
    assert_float_equal(mgc_bench_percentile(&samples, 99), 990, 0);
    assert_float_equal(mgc_bench_percentile(&samples, 99.95), 1000, 0);
    assert_float_equal(mgc_bench_percentile(&samples, 100), 1000, 0);
    assert_float_equal(mgc_bench_percentile(&samples, 0), 1, 0);
    mgc_bench_samples_destroy(&samples);
}

/* Few samples: p99 is the largest, never something between two. */
static void test_few(void **state)
{
    struct mgc_bench_samples samples = {0};
    fill(&samples, 3);
    assert_float_equal(mgc_bench_percentile(&samples, 50), 2, 0);
    assert_float_equal(mgc_bench_percentile(&samples, 99), 3, 0);
    assert_float_equal(mgc_bench_percentile(&samples, 33), 1, 0);
    mgc_bench_samples_destroy(&samples);
}

static void test_none(void **state)
{
    struct mgc_bench_samples samples = {0};
    assert_true(isnan(mgc_bench_percentile(&samples, 50)));
    mgc_bench_samples_destroy(&samples);
    mgc_bench_samples_destroy(NULL);
}

static void test_adding_after_sorting(void **state)
{
    struct mgc_bench_samples samples = {0};
    fill(&samples, 10);
    assert_float_equal(mgc_bench_percentile(&samples, 100), 10, 0);
    assert_true(mgc_bench_add(&samples, -5));
    assert_float_equal(mgc_bench_percentile(&samples, 0), -5, 0);
    assert_int_equal(samples.count, 11);
    mgc_bench_samples_destroy(&samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest_rank),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_adding_after_sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
