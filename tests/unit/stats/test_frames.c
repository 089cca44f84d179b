#include "coordinator/stats/frames.h"

#include "tests/unit/stats/near.h"

/* Frames of 1, 2 ... 250 ms in a scrambled order, behind a load of two slow frames. Mean, ranks and
 * tail by hand: mean (1 + 250) / 2, rank 238 of 250, rank 248, slowest three 248 249 250. */
static void numbers_by_hand(void **state)
{
    double times[252] = {90000, 4000};
    struct mgc_frame_summary summary;
    for (int i = 0; i < 250; i++)
        times[2 + i] = 1 + i * 7 % 250; /* 7 and 250 share no divisor: each once */
    assert_true(mgc_frames_summarize(times, 252, 2, &summary));
    assert_int_equal(summary.total, 252);
    assert_int_equal(summary.skipped, 2);
    assert_int_equal(summary.n, 250);
    assert_near(summary.mean_ms, 125.5, 1e-9);
    assert_near(summary.median_ms, 125.5, 1e-9);
    assert_true(summary.p95_ms == 238 && summary.p99_ms == 248 && summary.max_ms == 250);
    assert_near(summary.low1_fps, 1000 / 249.0, 1e-9);
}

static void the_skip_window_is_what_it_says(void **state)
{
    static const double times[] = {100, 10, 20};
    struct mgc_frame_summary summary;
    assert_true(mgc_frames_summarize(times, 3, 0, &summary));
    assert_true(summary.max_ms == 100 && summary.n == 3);
    assert_true(mgc_frames_summarize(times, 3, 2, &summary));
    assert_true(summary.n == 1 && summary.mean_ms == 20 && summary.median_ms == 20);
    assert_true(summary.p95_ms == 20 && summary.low1_fps == 50);
}

static void nothing_left_is_no_summary(void **state)
{
    static const double times[] = {100, 10, NAN, 0, -1};
    struct mgc_frame_summary summary = {.n = 7};
    assert_false(mgc_frames_summarize(NULL, 0, 0, &summary));
    assert_false(mgc_frames_summarize(times, 2, 2, &summary));
    assert_false(mgc_frames_summarize(times, 2, (size_t)-1, &summary));
    assert_false(mgc_frames_summarize(times + 2, 3, 0, &summary));
    assert_int_equal(summary.n, 7);
}

static void what_is_no_time_is_left_out(void **state)
{
    static const double times[] = {5, NAN, 0, -1, INFINITY, 15};
    struct mgc_frame_summary summary;
    assert_true(mgc_frames_summarize(times, 6, 0, &summary));
    assert_int_equal(summary.total, 6);
    assert_int_equal(summary.n, 2);
    assert_near(summary.mean_ms, 10, 1e-12);
    assert_true(summary.max_ms == 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_by_hand),
        cmocka_unit_test(the_skip_window_is_what_it_says),
        cmocka_unit_test(nothing_left_is_no_summary),
        cmocka_unit_test(what_is_no_time_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
