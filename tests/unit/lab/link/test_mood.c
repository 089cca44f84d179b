#include "lab/link/mood.h"

#include "common/base/clock.h"
#include "tests/lib/check.h"

#define MS MGC_NS_PER_MS

static const struct mgc_lab_link_profile moody = {.rate_bps = 1000000,
    .stall = {.every_ns = 500 * MS, .min_ns = 40 * MS, .max_ns = 60 * MS},
    .step = {.every_ns = 100 * MS, .percent = {100, 50, 25, 10}}};

static void without_moods_it_is_always_clear(void **state)
{
    static const struct mgc_lab_link_profile steady = {.rate_bps = 1000000};
    struct mgc_lab_link_mood mood;
    mgc_lab_link_mood_init(&mood, &steady, 7, 0);
    for (int64_t at = 0; at < 10000 * MS; at += 10 * MS) {
        assert_int_equal(mgc_lab_link_mood_clear(&mood, &steady, at), at);
        assert_int_equal(mgc_lab_link_mood_rate(&mood, &steady, at), 1000000);
    }
}

/* Over 100 s in steps of 1 ms: about 180 stalls, each of 40 to 60 ms. */
static void stalls_come_about_as_often_and_last_as_long_as_asked(void **state)
{
    struct mgc_lab_link_mood mood;
    int stalls = 0;
    mgc_lab_link_mood_init(&mood, &moody, 7, 0);
    for (int64_t at = 0; at < 100000 * MS; at += MS) {
        int64_t clear = mgc_lab_link_mood_clear(&mood, &moody, at);
        if (clear == at)
            continue;
        assert_in_range(clear - at, 38 * MS, 60 * MS); /* at its first millisecond or two */
        stalls++;
        at = clear;
        assert_int_equal(mgc_lab_link_mood_clear(&mood, &moody, at), at);
    }
    assert_in_range(stalls, 120, 240);
}

static void the_rate_takes_every_step(void **state)
{
    struct mgc_lab_link_mood mood;
    int seen[MGC_LAB_LINK_STEPS] = {0};
    mgc_lab_link_mood_init(&mood, &moody, 7, 0);
    for (int64_t at = 0; at < 20000 * MS; at += 10 * MS) {
        int64_t rate = mgc_lab_link_mood_rate(&mood, &moody, at);
        for (int i = 0; i < MGC_LAB_LINK_STEPS; i++)
            seen[i] += rate == 10000 * moody.step.percent[i];
    }
    for (int i = 0; i < MGC_LAB_LINK_STEPS; i++)
        assert_in_range(seen[i], 100, 1500);
    assert_int_equal(seen[0] + seen[1] + seen[2] + seen[3], 2000);
}

/* Although one is asked more often than the other. */
static void two_with_one_seed_stall_together(void **state)
{
    struct mgc_lab_link_mood one, two;
    mgc_lab_link_mood_init(&one, &moody, 3, 5 * MS);
    mgc_lab_link_mood_init(&two, &moody, 3, 5 * MS);
    for (int64_t at = 5 * MS; at < 20000 * MS; at += MS) {
        int64_t clear = mgc_lab_link_mood_clear(&one, &moody, at);
        mgc_lab_link_mood_rate(&one, &moody, at);
        if (at % (7 * MS) == 0)
            assert_int_equal(mgc_lab_link_mood_clear(&two, &moody, at), clear);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_moods_it_is_always_clear),
        cmocka_unit_test(stalls_come_about_as_often_and_last_as_long_as_asked),
        cmocka_unit_test(the_rate_takes_every_step),
        cmocka_unit_test(two_with_one_seed_stall_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
