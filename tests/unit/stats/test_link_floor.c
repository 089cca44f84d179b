/* What a moving link can do to a frame. */
#include "coordinator/stats/link_floor.h"

#include <math.h>

#include "coordinator/stats/compare.h"
#include "coordinator/stats/wording.h"
#include "tests/lib/check.h"
#include "tests/unit/stats/near.h"

/* docs/statistics.md, "A link that moved". */
static void worked_example(void **state)
{
    const struct mgc_link_use credit_1 = {0.8, 1}, credit_3 = {0.8, 1.0 / 3};
    const struct mgc_link_range range = {90, 100, 2, 5};
    struct mgc_link_moves moves = mgc_link_moves_of(&credit_1, &range);
    assert_near(moves.transfer_ms, 0.8 * 8 * 1000 * (1 / 90.0 - 1 / 100.0), 1e-12);
    assert_near(moves.transfer_ms, 7.111, 1e-3);
    assert_near(moves.waiting_ms, 3, 1e-12);
    assert_near(moves.ms, 10.111, 1e-3);
    assert_near(mgc_link_floor(moves.ms, 90), 10.111 / (90 - 10.111), 1e-4);
    moves = mgc_link_moves_of(&credit_3, &range);
    assert_near(moves.waiting_ms, 1, 1e-12);
}

static void a_steady_link_is_no_floor(void **state)
{
    const struct mgc_link_use use = {0.8, 1};
    const struct mgc_link_range range = {94, 94, 1.2, 1.2};
    struct mgc_link_moves moves = mgc_link_moves_of(&use, &range);
    assert_true(moves.ms == 0 && mgc_link_floor(moves.ms, 20) == 0);
}

/* The longest time that the formula allows for, against the shortest: never beyond D. */
static void it_bounds_every_way_of_hiding(void **state)
{
    const struct mgc_link_use use = {0.5, 1.5};
    const struct mgc_link_range range = {20, 40, 3, 8};
    double bound = mgc_link_moves_of(&use, &range).ms;
    double transfer[2] = {0.5 * 8000 / 40, 0.5 * 8000 / 20}, waiting[2] = {4.5, 12};
    for (double work = 0; work < 300; work += 7) {
        double longest[2], sum[2];
        for (int i = 0; i < 2; i++) {
            longest[i] = fmax(work, fmax(transfer[i], waiting[i])); /* all at the same time */
            sum[i] = work + transfer[i] + waiting[i];               /* one after the other */
        }
        assert_true(longest[1] - longest[0] <= bound + 1e-9);
        assert_true(sum[1] - sum[0] <= bound + 1e-9);
    }
}

static void what_is_not_known_is_no_bound(void **state)
{
    const struct mgc_link_use use = {NAN, 1}, whole = {1, 1};
    const struct mgc_link_range range = {94, 94, 1.2, 1.2}, no_trip = {94, 94, NAN, NAN},
                                no_rate = {0, 94, 1, 1};
    assert_true(isnan(mgc_link_moves_of(&use, &range).ms));
    assert_true(isnan(mgc_link_moves_of(&whole, &no_trip).ms));
    assert_true(isnan(mgc_link_moves_of(&whole, &no_rate).ms));
    assert_true(isnan(mgc_link_floor(NAN, 10)) && isnan(mgc_link_floor(1, 0)) &&
                isnan(mgc_link_floor(1, NAN)));
    assert_true(isinf(mgc_link_floor(10, 10)) && isinf(mgc_link_floor(11, 10)));
}

/* Sure of itself, and still not above what the link may have done. */
static void a_sure_difference_below_it_is_no_conclusion(void **state)
{
    static const struct mgc_pair pairs[] = {{20.6, 20}, {20.58, 20}, {20.62, 20}, {20.6, 20.01}};
    const struct mgc_floor floors[] = {{"the link's own movement", mgc_link_floor(1, 20.6)},
        {"the link's own movement", mgc_link_floor(0.3, 20.6)}, {"the link's own movement", NAN},
        {"the link's own movement", INFINITY}};
    static const char *const texts[] = {
        "no conclusion (3.0 % is not above the link's own movement, 5.1 %)", "slower",
        "no conclusion (the link's own movement is not known)",
        "no conclusion (the link's own movement may be all of it)"};
    for (size_t i = 0; i < 4; i++) {
        struct mgc_compare_arm arm = {
            .pairs = pairs, .pair_count = 4, .floors = &floors[i], .floor_count = 1};
        struct mgc_comparison result;
        char text[160];
        assert_true(mgc_compare_arms(&mgc_compare_default, &arm, 1, &result));
        mgc_comparison_conclusion(&result, text, sizeof(text));
        assert_string_equal(text, texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example),
        cmocka_unit_test(a_steady_link_is_no_floor),
        cmocka_unit_test(it_bounds_every_way_of_hiding),
        cmocka_unit_test(what_is_not_known_is_no_bound),
        cmocka_unit_test(a_sure_difference_below_it_is_no_conclusion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
