/* What the method promises, held against invented nights with known truth. Seeds are fixed: a
 * result is the same on every machine, and the allowance for chance was used up once, here. */
#include "tests/unit/stats/night.h"
#include "tests/unit/stats/near.h"

static const char *const noise_names[] = {"log-normal", "heavy tails", "spikes"};

static const struct mgc_compare_options options = {
    .better = MGC_LOWER_IS_BETTER, .alpha = 0.05, .resamples = 999, .seed = 1};

struct tally {
    size_t nights;
    size_t wrong;     /* nights in which an arm was called faster or slower */
    size_t wrong_raw; /* the same, had the p values not been adjusted */
};

static struct tally equal_arms(enum night_noise noise, size_t arms, size_t rounds, size_t nights)
{
    struct mgc_comparison results[NIGHT_ARMS_MAX];
    struct tally tally = {.nights = nights};
    struct mgc_random random;
    struct night night;
    mgc_random_seed(&random, 20261130 + rounds * 100 + arms);
    for (size_t i = 0; i < nights; i++) {
        bool wrong = false, wrong_raw = false;
        night_make(&night, &random, noise, 1, arms, rounds, NULL);
        assert_true(mgc_compare_arms(&options, night.arms, arms, results));
        for (size_t arm = 0; arm < arms; arm++) {
            wrong = wrong || results[arm].conclusion != MGC_CONCLUSION_NONE;
            wrong_raw = wrong_raw || results[arm].interval.p <= options.alpha;
        }
        tally.wrong += wrong;
        tally.wrong_raw += wrong_raw;
    }
    return tally;
}

/* The stated level, and three standard errors of a count for chance. */
static double allowed(const struct tally *tally)
{
    double nights = (double)tally->nights, alpha = options.alpha;
    return nights * alpha + 3 * sqrt(nights * alpha * (1 - alpha));
}

static void check_equal_arms(size_t rounds, size_t nights)
{
    for (size_t arms = 1; arms <= 4; arms += 3) {
        for (int noise = 0; noise < NIGHT_NOISE_COUNT; noise++) {
            struct tally tally = equal_arms((enum night_noise)noise, arms, rounds, nights);
            if ((double)tally.wrong > allowed(&tally))
                fail_msg("%s, %zu arms, %zu rounds: %zu of %zu nights were wrong, allowed %.0f",
                    noise_names[noise], arms, rounds, tally.wrong, nights, allowed(&tally));
            if (noise == NIGHT_LOG_NORMAL && rounds < MGC_BOOTSTRAP_FROM && tally.wrong == 0)
                fail_msg("%zu arms, %zu rounds: not one wrong night: is anything concluded?", arms,
                    rounds);
        }
    }
}

static void equal_arms_in_3_rounds(void **state)
{
    check_equal_arms(3, 1000);
}

static void equal_arms_in_5_rounds(void **state)
{
    check_equal_arms(5, 1000);
}

static void equal_arms_in_10_rounds(void **state)
{
    check_equal_arms(10, 600);
}

/* The allowance is not so wide that anything would pass. */
static void without_holm_the_level_is_broken(void **state)
{
    struct tally tally = equal_arms(NIGHT_LOG_NORMAL, 5, 5, 1000);
    assert_true((double)tally.wrong_raw > allowed(&tally));
}

/* ---- real differences ---- */

/* In how many of `nights` was arm 0, which takes 20 % less time, called faster; the others are
 * equal to the reference. */
static size_t found(enum night_noise noise, double scale, size_t rounds, size_t nights)
{
    static const double effects[] = {0.8, 1, 1};
    struct mgc_comparison results[3];
    struct mgc_random random;
    struct night night;
    size_t count = 0;
    mgc_random_seed(&random, 7);
    for (size_t i = 0; i < nights; i++) {
        night_make(&night, &random, noise, scale, 3, rounds, effects);
        assert_true(mgc_compare_arms(&options, night.arms, 3, results));
        assert_int_not_equal(results[0].conclusion, MGC_CONCLUSION_SLOWER);
        count += results[0].conclusion == MGC_CONCLUSION_FASTER;
    }
    return count;
}

static void a_fifth_less_time_is_found(void **state)
{
    assert_true(found(NIGHT_LOG_NORMAL, 0.4, 5, 100) >= 95); /* runs differ by 2 % */
    assert_true(found(NIGHT_LOG_NORMAL, 1, 10, 100) >= 95);  /* by 5 % */
    assert_true(found(NIGHT_HEAVY, 0.4, 10, 100) >= 90);
    assert_true(found(NIGHT_LOG_NORMAL, 0.2, 3, 100) >= 95); /* by 1 % */
}

/* mgc_rounds_needed() says four of five; three standard errors of a count for chance. */
static void the_rounds_that_were_asked_for_are_enough(void **state)
{
    double effect = log(1.25), sd = 0.05 * sqrt(2) * 1.6;
    size_t rounds = mgc_rounds_needed(effect, sd, 0.05 / 3), nights = 200;
    assert_int_equal(rounds, 6);
    size_t count = found(NIGHT_LOG_NORMAL, 1.6, rounds, nights);
    if (count < 143 || count > 177)
        fail_msg("%zu rounds: found in %zu of %zu nights", rounds, count, nights);
}

static void intervals_hold_the_truth(void **state)
{
    static const double effects[] = {1.1};
    static const size_t rounds[] = {3, 5, 10};
    struct mgc_comparison result;
    struct mgc_random random;
    struct night night;
    mgc_random_seed(&random, 11);
    for (size_t i = 0; i < 3; i++) {
        size_t held = 0;
        for (int k = 0; k < 400; k++) {
            night_make(&night, &random, NIGHT_LOG_NORMAL, 1, 1, rounds[i], effects);
            assert_true(mgc_compare_arms(&options, night.arms, 1, &result));
            held += result.ratio_low <= 1.1 && 1.1 <= result.ratio_high;
        }
        if (held < 367) /* 380, less three standard errors */
            fail_msg("%zu rounds: the truth was inside %zu of 400 times", rounds[i], held);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_arms_in_3_rounds),
        cmocka_unit_test(equal_arms_in_5_rounds),
        cmocka_unit_test(equal_arms_in_10_rounds),
        cmocka_unit_test(without_holm_the_level_is_broken),
        cmocka_unit_test(a_fifth_less_time_is_found),
        cmocka_unit_test(the_rounds_that_were_asked_for_are_enough),
        cmocka_unit_test(intervals_hold_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
