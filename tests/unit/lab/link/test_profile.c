#include "lab/link/profile.h"

#include <string.h>

#include "tests/lib/check.h"

static void every_profile_makes_sense_and_is_found_by_name(void **state)
{
    const struct mgc_lab_link_named *row;
    size_t count = 0;
    for (; (row = mgc_lab_link_profile_row(count)) != NULL; count++) {
        const struct mgc_lab_link_profile *profile = &row->profile;
        assert_ptr_equal(mgc_lab_link_profile_find(row->name), row);
        assert_true(profile->rate_bps > 0 && profile->delay_ns > 0);
        assert_true(profile->queue_bytes >= 256 * 1024);
        assert_true(profile->stall.min_ns <= profile->stall.max_ns);
        for (int i = 0; profile->step.every_ns > 0 && i < MGC_LAB_LINK_STEPS; i++)
            assert_in_range(profile->step.percent[i], 1, 100);
    }
    assert_int_equal(count, 5);
    assert_null(mgc_lab_link_profile_find("none"));
}

/* 100 packets of the fastest profile within one wake are far from filling a queue. */
static void fast_links_are_worked_on_in_rounds_and_slow_ones_at_every_packet(void **state)
{
    assert_int_equal(mgc_lab_link_wake_ns(10 * 1000000), 0);
    assert_int_equal(mgc_lab_link_wake_ns(400 * 1000000), 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_profile_makes_sense_and_is_found_by_name),
        cmocka_unit_test(fast_links_are_worked_on_in_rounds_and_slow_ones_at_every_packet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
