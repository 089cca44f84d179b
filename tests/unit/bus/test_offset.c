#include "tests/lib/check.h"

#include <stdlib.h>

#include "common/bus/offset.h"

static const int64_t US = 1000, MS = 1000000, S = 1000000000;

/* A peer whose clock is planted: there = here * (1 + drift) + offset. */
struct planted {
    int64_t offset_ns;
    int64_t drift_ppb;
    unsigned seed;
};

static int64_t there(const struct planted *p, int64_t here_ns)
{
    return here_ns + here_ns / 1000000 * p->drift_ppb / 1000 + p->offset_ns;
}

static int64_t roll(struct planted *p, int64_t max)
{
    p->seed = p->seed * 1103515245u + 12345u;
    return (int64_t)(p->seed >> 8) % max;
}

/* One ping with these one-way delays. */
static bool ping(struct mgc_offset_filter *filter, const struct planted *p, int64_t at_ns,
    int64_t out_ns, int64_t back_ns)
{
    int64_t t2 = there(p, at_ns + out_ns), t3 = there(p, at_ns + out_ns + 50 * US);
    return mgc_offset_add(filter, at_ns, t2, t3, at_ns + out_ns + 50 * US + back_ns);
}

static void check_truth(
    const struct mgc_offset_filter *filter, const struct planted *p, int64_t now_ns)
{
    struct mgc_clock_offset o = mgc_offset_estimate(filter, now_ns);
    assert_true(o.known);
    int64_t truth = there(p, now_ns) - now_ns;
    if (llabs(o.offset_ns - truth) > o.uncertainty_ns)
        fail_msg("estimate %lld +- %lld, truth %lld", (long long)o.offset_ns,
            (long long)o.uncertainty_ns, (long long)truth);
}

static void test_a_step_is_seen_with_its_size(void **state)
{
    struct mgc_offset_filter filter = {0};
    struct planted p = {.offset_ns = 250 * MS};
    for (int i = 0; i < 5; i++)
        assert_true(ping(&filter, &p, (100 + i) * S, 1 * MS, 1 * MS));
    assert_int_equal(mgc_offset_estimate(&filter, 105 * S).stepped_ns, 0);
    p.offset_ns -= 2 * S;
    assert_true(ping(&filter, &p, 105 * S, 1 * MS, 1 * MS));
    assert_true(ping(&filter, &p, 106 * S, 1 * MS, 1 * MS));
    assert_int_equal(mgc_offset_estimate(&filter, 107 * S).stepped_ns, 2 * S);
    check_truth(&filter, &p, 107 * S);
}

static void test_drift_within_the_bound_is_no_step(void **state)
{
    struct mgc_offset_filter filter = {0};
    struct planted p = {.offset_ns = 250 * MS, .drift_ppb = 50000, .seed = 3};
    for (int i = 0; i < 120; i++) {
        assert_true(ping(&filter, &p, (100 + i) * S, 100 * US + roll(&p, 5 * MS), 1 * MS));
        check_truth(&filter, &p, (100 + i) * S + 500 * MS);
    }
    assert_int_equal(mgc_offset_estimate(&filter, 221 * S).stepped_ns, 0);
}

static void test_nothing_known(void **state)
{
    struct mgc_offset_filter filter = {0};
    assert_false(mgc_offset_estimate(&filter, 5 * S).known);
}

static void test_symmetric_path_is_exact(void **state)
{
    struct mgc_offset_filter filter = {0};
    struct planted p = {.offset_ns = -7 * S};
    assert_true(ping(&filter, &p, 100 * S, 2 * MS, 2 * MS));
    struct mgc_clock_offset o = mgc_offset_estimate(&filter, 100 * S + 4 * MS + 50 * US);
    assert_int_equal(o.offset_ns, -7 * S);
    assert_int_equal(o.round_trip_ns, 4 * MS);
    assert_int_equal(o.uncertainty_ns, 2 * MS);
}

/* Noise and asymmetry as bad as they get: the truth must lie within what is claimed, always. */
static void run_planted(int64_t offset_ns, int64_t drift_ppb, unsigned seed)
{
    struct mgc_offset_filter filter = {0};
    struct planted p = {offset_ns, drift_ppb, seed};
    for (int64_t at = 10 * S; at < 310 * S; at += 2 * S) {
        int64_t out = 100 * US + roll(&p, 1 + roll(&p, 40 * MS));
        int64_t back = 100 * US + roll(&p, 1 + roll(&p, 40 * MS));
        assert_true(ping(&filter, &p, at, out, back));
        check_truth(&filter, &p, at + out + 50 * US + back);
        check_truth(&filter, &p, at + 2 * S - 1);
    }
}

static void test_planted_clocks(void **state)
{
    for (unsigned seed = 1; seed <= 20; seed++) {
        run_planted(0, 0, seed);
        run_planted(3600 * S, 50000, seed);
        run_planted(-250 * MS, -99000, seed);
    }
}

static void test_sharpest_sample_wins(void **state)
{
    struct mgc_offset_filter filter = {0};
    struct planted p = {.offset_ns = 5 * S};
    ping(&filter, &p, 10 * S, 30 * MS, 10 * MS);
    ping(&filter, &p, 11 * S, 100 * US, 100 * US);
    ping(&filter, &p, 12 * S, 10 * MS, 50 * MS);
    struct mgc_clock_offset o = mgc_offset_estimate(&filter, 12 * S + 100 * MS);
    assert_int_equal(o.round_trip_ns, 200 * US);
    assert_int_equal(o.offset_ns, 5 * S);
    /* Age makes it vaguer: 1 s at 100 ppm is 0.1 ms. */
    struct mgc_clock_offset later = mgc_offset_estimate(&filter, 13 * S + 100 * MS);
    assert_int_equal(later.uncertainty_ns - o.uncertainty_ns, 100 * US);
    /* Past 60 s it no longer counts. */
    assert_false(mgc_offset_estimate(&filter, 80 * S).known);
}

static void test_step_is_followed(void **state)
{
    struct mgc_offset_filter filter = {0};
    struct planted p = {.offset_ns = 5 * S};
    for (int64_t at = 10 * S; at < 20 * S; at += S)
        ping(&filter, &p, at, 50 * US, 50 * US);
    p.offset_ns += 2 * S; /* stepped, and from now on the path is slow */
    assert_true(ping(&filter, &p, 20 * S, 20 * MS, 5 * MS));
    check_truth(&filter, &p, 20 * S + 26 * MS);
}

static void test_impossible_instants(void **state)
{
    struct mgc_offset_filter filter = {0};
    assert_false(mgc_offset_add(&filter, 100, 0, 0, 50));      /* answered before asked */
    assert_false(mgc_offset_add(&filter, 100, 500, 400, 300)); /* there it ran backwards */
    assert_false(mgc_offset_add(&filter, 100, 0, 1000, 300));  /* longer there than in all */
    assert_false(mgc_offset_add(&filter, -S, 0, 0, 60 * S));   /* an echo of long ago */
    assert_false(mgc_offset_add(&filter, INT64_MIN, 0, 0, 5)); /* overflows */
    assert_false(mgc_offset_add(&filter, 0, INT64_MAX, INT64_MAX, 5));
    assert_false(mgc_offset_add(&filter, 0, INT64_MIN, INT64_MAX, 5));
    assert_false(mgc_offset_estimate(&filter, 300).known);
    /* Far apart, but possible: and then contradicted. */
    assert_true(mgc_offset_add(&filter, 0, INT64_MAX / 2, INT64_MAX / 2, 10));
    assert_true(mgc_offset_add(&filter, 20, INT64_MIN / 2 + 50, INT64_MIN / 2 + 50, 30));
    assert_int_equal(mgc_offset_estimate(&filter, 40).offset_ns, INT64_MIN / 2 + 25);
}

static void test_sleep(void **state)
{
    struct mgc_offset_filter filter = {0};
    mgc_offset_note_boot(&filter, 7 * S);
    assert_int_equal(mgc_offset_estimate(&filter, 0).slept_ns, 0);
    mgc_offset_note_boot(&filter, 37 * S);
    assert_int_equal(mgc_offset_estimate(&filter, 0).slept_ns, 30 * S);
    mgc_offset_note_boot(&filter, INT64_MIN); /* nonsense is passed over */
    assert_int_equal(mgc_offset_estimate(&filter, 0).slept_ns, 30 * S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_step_is_seen_with_its_size),
        cmocka_unit_test(test_drift_within_the_bound_is_no_step),
        cmocka_unit_test(test_nothing_known),
        cmocka_unit_test(test_symmetric_path_is_exact),
        cmocka_unit_test(test_planted_clocks),
        cmocka_unit_test(test_sharpest_sample_wins),
        cmocka_unit_test(test_step_is_followed),
        cmocka_unit_test(test_impossible_instants),
        cmocka_unit_test(test_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
