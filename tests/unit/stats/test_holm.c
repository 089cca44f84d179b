#include "coordinator/stats/holm.h"

#include "tests/unit/stats/near.h"

/* By hand: 0.005 * 4, 0.01 * 3, 0.03 * 2, and 0.04 * 1 may not undercut the one before it. The four
 * are an example in wide use for p.adjust() of R: 0.03 0.06 0.06 0.02. */
static void a_known_example(void **state)
{
    struct mgc_holm family[] = {{0.01}, {0.04}, {0.03}, {0.005}};
    mgc_holm_adjust(family, 4);
    assert_near(family[0].adjusted, 0.03, 1e-15);
    assert_near(family[1].adjusted, 0.06, 1e-15);
    assert_near(family[2].adjusted, 0.06, 1e-15);
    assert_near(family[3].adjusted, 0.02, 1e-15);
    assert_true(family[3].divisor == 4 && family[0].divisor == 3);
    assert_true(family[2].divisor == 2 && family[1].divisor == 1);
}

static void what_was_not_tested_is_no_member(void **state)
{
    struct mgc_holm family[] = {{NAN}, {0.01}, {NAN}, {0.03}};
    mgc_holm_adjust(family, 4);
    assert_near(family[1].adjusted, 0.02, 1e-15);
    assert_near(family[3].adjusted, 0.03, 1e-15);
    assert_true(isnan(family[0].adjusted) && family[0].divisor == 0);
    assert_true(isnan(family[2].adjusted) && family[2].divisor == 0);
    mgc_holm_adjust(family, 1);
    assert_true(isnan(family[0].adjusted));
    mgc_holm_adjust(NULL, 0);
}

static void equal_ones_stay_equal_and_at_most_one(void **state)
{
    struct mgc_holm family[] = {{0.02}, {0.02}, {0.9}, {0.5}};
    mgc_holm_adjust(family, 4);
    assert_near(family[0].adjusted, 0.08, 1e-15);
    assert_near(family[1].adjusted, 0.08, 1e-15);
    assert_true(family[3].adjusted == 1 && family[2].adjusted == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_example),
        cmocka_unit_test(what_was_not_tested_is_no_member),
        cmocka_unit_test(equal_ones_stay_equal_and_at_most_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
