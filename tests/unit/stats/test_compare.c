#include "coordinator/stats/compare.h"

#include <string.h>

#include "coordinator/stats/wording.h"
#include "tests/unit/stats/night.h"
#include "tests/unit/stats/near.h"

static struct mgc_comparison compare(const struct mgc_pair *pairs, size_t count)
{
    struct mgc_compare_arm arm = {.pairs = pairs, .pair_count = count};
    struct mgc_comparison result;
    assert_true(mgc_compare_arms(&mgc_compare_default, &arm, 1, &result));
    return result;
}

static void check_text(
    const struct mgc_comparison *result, const char *conclusion, const char *numbers)
{
    char text[160];
    mgc_comparison_conclusion(result, text, sizeof(text));
    assert_string_equal(text, conclusion);
    mgc_comparison_numbers(result, text, sizeof(text));
    assert_string_equal(text, numbers);
}

/* The worked example of docs/statistics.md: log ratios log 0.90, log 0.88, log 0.92, log 0.89, log
 * 0.91; mean -0.105484 and sd 0.017571 by Python's statistics module; t(0.975, 4) = 2.776445. */
static void worked_example(void **state)
{
    static const struct mgc_pair pairs[] = {
        {9.0, 10.0}, {8.8, 10.0}, {11.04, 12.0}, {8.9, 10.0}, {10.01, 11.0}};
    struct mgc_comparison result = compare(pairs, 5);
    assert_near(result.interval.mean, -0.105484, 2e-6);
    assert_near(result.interval.sd, 0.017571, 2e-6);
    assert_near(result.ratio, exp(-0.105484), 2e-6);
    assert_near(result.interval.high, -0.105484 + 2.776445 * 0.017571 / sqrt(5), 5e-6);
    assert_int_equal(result.conclusion, MGC_CONCLUSION_FASTER);
    assert_int_equal(result.open, MGC_OPEN_NOT);
    assert_true(result.adjusted_p == result.interval.p);
    check_text(&result, "faster", "-10.0 % (-12.0 to -8.0), t, n = 5, p < 0.001");
}

/* The second example there; for the sides of the formula at n = 4 and 5 see the page. */
static void worked_example_of_more_rounds(void **state)
{
    static const struct mgc_pair pairs[] = {{9.0, 10.0}, {9.7, 10.0}, {9.2, 10.0}};
    struct mgc_comparison result = compare(pairs, 3);
    check_text(&result, "no conclusion (about 2 more rounds needed)",
        "-7.0 % (-15.5 to +2.3), t, n = 3, p = 0.081");
}

static void rates_turn_the_word(void **state)
{
    static const struct mgc_pair pairs[] = {{90, 100}, {88, 100}, {92, 100}, {89, 100}, {91, 100}};
    struct mgc_compare_options options = mgc_compare_default;
    struct mgc_compare_arm arm = {.pairs = pairs, .pair_count = 5};
    struct mgc_comparison result;
    options.better = MGC_HIGHER_IS_BETTER;
    assert_true(mgc_compare_arms(&options, &arm, 1, &result));
    assert_int_equal(result.conclusion, MGC_CONCLUSION_SLOWER);
}

/* ---- little, or nothing ---- */

static void no_pair(void **state)
{
    static const struct mgc_pair broken[] = {
        {NAN, 10}, {10, NAN}, {0, 10}, {10, 0}, {-1, 10}, {INFINITY, 10}, {10, -INFINITY}};
    struct mgc_comparison result = compare(NULL, 0);
    assert_int_equal(result.open, MGC_OPEN_TOO_FEW);
    assert_true(isnan(result.ratio) && !result.tested && isnan(result.adjusted_p));
    assert_true(result.ratio_low == 0 && isinf(result.ratio_high));
    check_text(&result, "no conclusion (0 pairs, at least 2 needed)", "-");
    result = compare(broken, 7);
    assert_int_equal(result.open, MGC_OPEN_TOO_FEW);
    assert_true(result.n == 0 && result.left_out == 7 && isnan(result.ratio));
}

static void one_pair(void **state)
{
    static const struct mgc_pair pairs[] = {{NAN, 10}, {12, 10}};
    struct mgc_comparison result = compare(pairs, 2);
    assert_int_equal(result.open, MGC_OPEN_TOO_FEW);
    assert_true(result.n == 1 && result.left_out == 1 && !result.tested);
    assert_near(result.ratio, 1.2, 1e-12);
    assert_int_equal(result.more, MGC_MORE_NOT_SAID);
    check_text(&result, "no conclusion (1 pair, at least 2 needed)", "+20.0 %, n = 1");
}

/* log 1.2 and log 1.3 by t with one degree of freedom: 12.7 standard errors wide. */
static void two_pairs(void **state)
{
    static const struct mgc_pair pairs[] = {{12, 10}, {13, 10}};
    struct mgc_comparison result = compare(pairs, 2);
    double mean = (log(1.2) + log(1.3)) / 2, error = (log(1.3) - log(1.2)) / 2;
    assert_int_equal(result.interval.method, MGC_INTERVAL_T);
    assert_near(result.interval.low, mean - 12.7062047 * error, 1e-7);
    assert_int_equal(result.open, MGC_OPEN_NOISE);
    assert_int_equal(result.more, MGC_MORE_SOME);
    assert_int_equal(result.more_rounds, 0);
    check_text(&result, "no conclusion (more rounds needed)",
        "+24.9 % (-24.9 to +107.7), t, n = 2, p = 0.113");
}

static void equal_ratios_show_no_noise(void **state)
{
    static const struct mgc_pair same[] = {{10, 10}, {20, 20}, {0.3, 0.3}};
    static const struct mgc_pair tenth[] = {{11, 10}, {22, 20}, {0.33, 0.3}};
    struct mgc_comparison result = compare(same, 3);
    assert_int_equal(result.open, MGC_OPEN_NO_VARIANCE);
    assert_true(!result.tested && result.ratio == 1 && isnan(result.adjusted_p));
    result = compare(tenth, 3);
    assert_int_equal(result.open, MGC_OPEN_NO_VARIANCE);
    check_text(&result, "no conclusion (all 3 pairs have the same ratio: noise not seen)",
        "+10.0 %, n = 3");
}

/* ---- floors ---- */

static struct mgc_comparison above_floors(
    const struct mgc_pair *pairs, const struct mgc_floor *floors, size_t count)
{
    struct mgc_compare_arm arm = {
        .pairs = pairs, .pair_count = 5, .floors = floors, .floor_count = count};
    struct mgc_comparison result;
    assert_true(mgc_compare_arms(&mgc_compare_default, &arm, 1, &result));
    return result;
}

static void a_floor_takes_a_small_conclusion(void **state)
{
    static const struct mgc_pair pairs[] = {
        {9.0, 10.0}, {8.8, 10.0}, {11.04, 12.0}, {8.9, 10.0}, {10.01, 11.0}};
    static const struct mgc_floor low[] = {{"this device's noise", 0.02}, {"the link", 0.05}};
    static const struct mgc_floor high[] = {
        {"this device's noise", 0.02}, {"the link's own movement", 0.15}};
    static const struct mgc_floor unknown[] = {{"the link's own movement", NAN}, {"noise", 0.02}};
    struct mgc_comparison result = above_floors(pairs, low, 2);
    assert_int_equal(result.conclusion, MGC_CONCLUSION_FASTER);
    result = above_floors(pairs, high, 2);
    assert_int_equal(result.conclusion, MGC_CONCLUSION_NONE);
    assert_int_equal(result.open, MGC_OPEN_BELOW_FLOOR);
    assert_ptr_equal(result.floor, &high[1]);
    check_text(&result, "no conclusion (11.1 % is not above the link's own movement, 15.0 %)",
        "-10.0 % (-12.0 to -8.0), t, n = 5, p < 0.001");
    result = above_floors(pairs, unknown, 2);
    assert_int_equal(result.open, MGC_OPEN_FLOOR_UNKNOWN);
    check_text(&result, "no conclusion (the link's own movement is not known)",
        "-10.0 % (-12.0 to -8.0), t, n = 5, p < 0.001");
}

/* With a floor, rounds are counted for a difference as large as it; when there were enough, more
 * do not help. */
static void noise_below_a_floor(void **state)
{
    static const struct mgc_pair quiet[] = {
        {10.01, 10.0}, {10.0, 10.02}, {10.02, 10.0}, {10.0, 10.01}, {10.0, 10.0}};
    static const struct mgc_pair loud[] = {{11, 10}, {10, 11}, {12, 10}, {10, 11}, {10, 10.5}};
    static const struct mgc_floor floor[] = {{"noise", 0.05}};
    struct mgc_comparison result = above_floors(quiet, floor, 1);
    assert_int_equal(result.open, MGC_OPEN_BELOW_FLOOR);
    assert_int_equal(result.more, MGC_MORE_NOT_SAID);
    result = above_floors(loud, floor, 1);
    assert_int_equal(result.open, MGC_OPEN_NOISE);
    assert_int_equal(result.more, MGC_MORE_ABOUT);
    assert_int_equal(
        result.more_rounds, mgc_rounds_needed(log1p(0.05), result.interval.sd, 0.05) - 5);
    result = above_floors(loud, NULL, 0);
    assert_int_equal(result.open, MGC_OPEN_NOISE);
    assert_true(result.more == MGC_MORE_OVER_LIMIT || result.more_rounds > 20);
}

/* ---- rounds ---- */

/* By hand from the tables: effect one sd: sqrt(9) = 3 < 2.306 + 0.889, sqrt(10) = 3.162 > 2.262 +
 * 0.883. */
static void rounds_by_hand(void **state)
{
    assert_int_equal(mgc_rounds_needed(0.05, 0.05, 0.05), 10);
    assert_int_equal(mgc_rounds_needed(1e9, 0.05, 0.05), 2);
    assert_int_equal(mgc_rounds_needed(0.0001, 0.05, 0.05), 0); /* about 1.96 million */
    assert_int_equal(mgc_rounds_needed(0, 0.05, 0.05), 0);
    assert_int_equal(mgc_rounds_needed(0.05, 0, 0.05), 0);
    assert_int_equal(mgc_rounds_needed(NAN, 0.05, 0.05), 0);
    assert_int_equal(mgc_rounds_needed(0.05, NAN, 0.05), 0);
    assert_int_equal(mgc_rounds_needed(0.05, 0.05, 0), 0);
    for (double sd = 0.01; sd < 0.5; sd *= 1.5)
        assert_true(mgc_rounds_needed(0.1, sd, 0.01) >= mgc_rounds_needed(0.1, sd, 0.05));
}

static void a_hopeless_difference_is_said_to_be_one(void **state)
{
    static const struct mgc_pair pairs[] = {{11, 10}, {10, 11}, {12, 10}, {10, 12.0001}};
    struct mgc_comparison result = compare(pairs, 4);
    assert_int_equal(result.more, MGC_MORE_OVER_LIMIT);
    char text[160];
    mgc_comparison_conclusion(&result, text, sizeof(text));
    assert_string_equal(text, "no conclusion (more than 1000 rounds needed)");
}

/* ---- families ---- */

static void families_are_adjusted(void **state)
{
    static const double effects[] = {0.7, 0.93, 1, 1, 1.2};
    struct mgc_comparison family[5], alone;
    struct mgc_random random;
    struct night night;
    mgc_random_seed(&random, 3);
    night_make(&night, &random, NIGHT_LOG_NORMAL, 0.5, 5, 5, effects);
    assert_true(mgc_compare_arms(&mgc_compare_default, night.arms, 5, family));
    double smallest = 1;
    for (int i = 0; i < 5; i++) {
        assert_true(mgc_compare_arms(&mgc_compare_default, &night.arms[i], 1, &alone));
        assert_true(alone.interval.p == family[i].interval.p);
        assert_true(alone.interval.low == family[i].interval.low);
        assert_true(family[i].adjusted_p >= alone.adjusted_p);
        smallest = fmin(smallest, family[i].interval.p);
    }
    assert_true(family[0].interval.p == smallest && family[0].adjusted_p == 5 * smallest);
    assert_int_equal(family[0].conclusion, MGC_CONCLUSION_FASTER);
    assert_int_equal(family[4].conclusion, MGC_CONCLUSION_SLOWER);
    assert_int_equal(family[2].conclusion, MGC_CONCLUSION_NONE);
    assert_true(mgc_compare_arms(&mgc_compare_default, NULL, 0, NULL));
}

/* The rounds of an open arm are counted for the level it was held against in its step. */
static void rounds_are_counted_for_the_family(void **state)
{
    static const struct mgc_pair sure[] = {{5.0, 10}, {5.1, 10}, {4.9, 10}, {5.0, 10.1}};
    static const struct mgc_pair open[] = {{9.0, 10}, {9.9, 10}, {9.2, 10}, {9.8, 10}};
    static const struct mgc_pair wild[] = {{9, 10}, {10, 9}, {12, 10}, {10, 11}};
    const struct mgc_compare_arm arms[] = {{open, 4}, {sure, 4}, {wild, 4}};
    struct mgc_comparison results[3];
    assert_true(mgc_compare_arms(&mgc_compare_default, arms, 3, results));
    assert_int_equal(results[1].conclusion, MGC_CONCLUSION_FASTER);
    assert_int_equal(results[0].open, MGC_OPEN_NOISE);
    double effect = fabs(results[0].interval.mean), sd = results[0].interval.sd;
    assert_int_equal(results[0].more_rounds + 4, mgc_rounds_needed(effect, sd, 0.05 / 2));
    assert_true(mgc_rounds_needed(effect, sd, 0.05 / 2) > mgc_rounds_needed(effect, sd, 0.05));
}

/* ---- labels are only labels ---- */

static void shuffle(struct mgc_pair *pairs, size_t count, struct mgc_random *random)
{
    for (size_t i = count; i > 1; i--) {
        size_t k = mgc_random_below(random, i);
        struct mgc_pair last = pairs[i - 1];
        pairs[i - 1] = pairs[k];
        pairs[k] = last;
    }
}

static enum mgc_conclusion mirrored(enum mgc_conclusion conclusion)
{
    return conclusion == MGC_CONCLUSION_FASTER   ? MGC_CONCLUSION_SLOWER
           : conclusion == MGC_CONCLUSION_SLOWER ? MGC_CONCLUSION_FASTER
                                                 : conclusion;
}

static void same_but_for_labels(const struct mgc_comparison *a, const struct mgc_comparison *b)
{
    assert_int_equal(a->open, b->open);
    assert_true(a->interval.p == b->interval.p && a->adjusted_p == b->adjusted_p);
    assert_true(a->interval.sd == b->interval.sd && a->n == b->n);
    assert_int_equal(a->more, b->more);
    assert_int_equal(a->more_rounds, b->more_rounds);
}

static void swapped(const struct mgc_compare_arm *arm, struct mgc_pair *pairs)
{
    for (size_t i = 0; i < arm->pair_count; i++)
        pairs[i] = (struct mgc_pair){arm->pairs[i].reference, arm->pairs[i].arm};
}

/* Another order of the rounds, and of the arms. */
static void reorder(struct night *night, size_t arms, size_t rounds, struct mgc_random *random)
{
    struct mgc_comparison first[NIGHT_ARMS_MAX], second[NIGHT_ARMS_MAX];
    struct mgc_compare_arm backwards[NIGHT_ARMS_MAX];
    struct mgc_compare_options options = mgc_compare_default;
    options.resamples = 499;
    assert_true(mgc_compare_arms(&options, night->arms, arms, first));
    for (size_t a = 0; a < arms; a++) {
        shuffle(night->pairs[a], rounds, random);
        backwards[arms - 1 - a] = night->arms[a];
    }
    assert_true(mgc_compare_arms(&options, backwards, arms, second));
    for (size_t a = 0; a < arms; a++) {
        const struct mgc_comparison *other = &second[arms - 1 - a];
        same_but_for_labels(&first[a], other);
        assert_true(first[a].interval.mean == other->interval.mean);
        assert_int_equal(first[a].conclusion, other->conclusion);
    }
}

static void mirror(struct night *night, size_t arms)
{
    struct mgc_comparison first[NIGHT_ARMS_MAX], second[NIGHT_ARMS_MAX];
    struct mgc_pair turned[NIGHT_ARMS_MAX][NIGHT_ROUNDS_MAX];
    struct mgc_compare_arm other[NIGHT_ARMS_MAX];
    struct mgc_compare_options options = mgc_compare_default;
    options.resamples = 499;
    for (size_t a = 0; a < arms; a++) {
        swapped(&night->arms[a], turned[a]);
        other[a] = night->arms[a];
        other[a].pairs = turned[a];
    }
    assert_true(mgc_compare_arms(&options, night->arms, arms, first));
    assert_true(mgc_compare_arms(&options, other, arms, second));
    for (size_t a = 0; a < arms; a++) {
        same_but_for_labels(&first[a], &second[a]);
        assert_true(first[a].interval.mean == -second[a].interval.mean);
        assert_true(first[a].interval.low == -second[a].interval.high);
        assert_true(first[a].interval.high == -second[a].interval.low);
        assert_int_equal(first[a].conclusion, mirrored(second[a].conclusion));
    }
}

static void labels_and_order_do_not_matter(void **state)
{
    static const double effects[] = {0.8, 1.03, 1, 1.25};
    static const struct mgc_floor floor = {"noise", 0.04};
    struct mgc_random random;
    struct night night;
    mgc_random_seed(&random, 5);
    for (size_t i = 0; i < 90; i++) {
        size_t rounds = 2 + i % 11, arms = 1 + i % 4;
        night_make(
            &night, &random, (enum night_noise)(i % NIGHT_NOISE_COUNT), 0.4, arms, rounds, effects);
        for (size_t a = 0; a < arms && i % 2; a++) {
            night.arms[a].floors = &floor;
            night.arms[a].floor_count = 1;
        }
        mirror(&night, arms);
        reorder(&night, arms, rounds, &random);
    }
}

/* Another unit costs the last digits only. */
static void any_unit_gives_the_same_ratio(void **state)
{
    struct mgc_comparison first[3], second[3];
    struct mgc_random random;
    struct night night;
    mgc_random_seed(&random, 6);
    for (size_t rounds = 2; rounds <= 12; rounds++) {
        night_make(&night, &random, NIGHT_LOG_NORMAL, 1, 3, rounds, NULL);
        assert_true(mgc_compare_arms(&mgc_compare_default, night.arms, 3, first));
        for (size_t i = 0; i < 3 * rounds; i++) {
            struct mgc_pair *pair = &night.pairs[i / rounds][i % rounds];
            *pair = (struct mgc_pair){pair->arm / 16.6667, pair->reference / 16.6667};
        }
        assert_true(mgc_compare_arms(&mgc_compare_default, night.arms, 3, second));
        for (size_t a = 0; a < 3; a++) {
            assert_near(first[a].ratio, second[a].ratio, 1e-12);
            assert_near(first[a].ratio_low, second[a].ratio_low, 1e-9);
            assert_near(first[a].adjusted_p, second[a].adjusted_p, 1e-9);
            assert_int_equal(first[a].conclusion, second[a].conclusion);
        }
    }
}

static void bounds_without_a_use_are_not_printed(void **state)
{
    static const struct mgc_pair wide[] = {{1, 1}, {1e9, 1}};
    static const struct mgc_pair endless[] = {
        {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {2, 1}};
    struct mgc_comparison result = compare(wide, 2);
    char text[160];
    mgc_comparison_numbers(&result, text, sizeof(text));
    assert_string_equal(text, "more than +9900 % (-100.0 to more than +9900), t, n = 2, p = 0.500");
    result = compare(endless, 8);
    assert_true(result.ratio_low == 0 && isinf(result.ratio_high));
    mgc_comparison_numbers(&result, text, sizeof(text));
    assert_memory_equal(text, "+9.1 %, bootstrap t, n = 8, p = 0.", 34);
}

/* No number may say the opposite of its conclusion, nor have a sign that means nothing. */
static void numbers_near_a_limit_are_told_apart(void **state)
{
    static const struct {
        double p;
        const char *text;
    } rows[] = {{0.0504, "p = 0.0504"}, {0.05, "p = 0.050"}, {0.0499996, "p = 0.0499996"},
        {0.051, "p = 0.051"}, {0.0009, "p < 0.001"}, {1, "p = 1.000"}};
    static const struct mgc_pair pairs[] = {{10, 10}, {9.9999, 10}, {10.00005, 10}};
    struct mgc_comparison result = compare(pairs, 3);
    char text[160];
    (void)state;
    mgc_comparison_numbers(&result, text, sizeof(text));
    assert_null(strstr(text, "-0.0"));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        result.adjusted_p = rows[i].p;
        mgc_comparison_numbers(&result, text, sizeof(text));
        assert_string_equal(strstr(text, "p "), rows[i].text);
    }
}

static void wording_fits_a_short_buffer(void **state)
{
    static const struct mgc_pair pairs[] = {{12, 10}, {13, 10}};
    struct mgc_comparison result = compare(pairs, 2);
    for (size_t size = 1; size < 60; size++) {
        char text[64];
        memset(text, 'x', sizeof(text));
        mgc_comparison_numbers(&result, text, size);
        assert_true(strlen(text) < size);
        mgc_comparison_conclusion(&result, text, size);
        assert_true(strlen(text) < size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example),
        cmocka_unit_test(worked_example_of_more_rounds),
        cmocka_unit_test(rates_turn_the_word),
        cmocka_unit_test(no_pair),
        cmocka_unit_test(one_pair),
        cmocka_unit_test(two_pairs),
        cmocka_unit_test(equal_ratios_show_no_noise),
        cmocka_unit_test(a_floor_takes_a_small_conclusion),
        cmocka_unit_test(noise_below_a_floor),
        cmocka_unit_test(rounds_by_hand),
        cmocka_unit_test(a_hopeless_difference_is_said_to_be_one),
        cmocka_unit_test(families_are_adjusted),
        cmocka_unit_test(rounds_are_counted_for_the_family),
        cmocka_unit_test(labels_and_order_do_not_matter),
        cmocka_unit_test(any_unit_gives_the_same_ratio),
        cmocka_unit_test(bounds_without_a_use_are_not_printed),
        cmocka_unit_test(numbers_near_a_limit_are_told_apart),
        cmocka_unit_test(wording_fits_a_short_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
