/* What the regression gate promises, held against invented nights with noise that was recorded in a
 * lab. The seed is fixed, so a result is the same on every machine; `mgbench-gate` has more nights.
 */
#include "bench/lib/gate_sim.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/check.h"

enum { NIGHTS = 1000 };

static struct mgc_sim_noise noise;

static struct mgc_sim_tally run(size_t rounds, size_t history, double slowdown, double scale)
{
    struct mgc_sim_tally tally;
    const struct mgc_sim_plan plan = {.nights = NIGHTS,
        .workloads = 2,
        .rounds = rounds,
        .confirm_rounds = rounds,
        .history = history,
        .nights_per_build = 4,
        .slowdown = slowdown,
        .scale = scale,
        .seed = 7};
    assert_true(mgc_sim_run(&noise, &plan, &tally));
    assert_int_equal(tally.nights, NIGHTS);
    return tally;
}

static int setup(void **state)
{
    struct mgc_error err = {0};
    if (!mgc_sim_noise_read(MGC_NOISE_FILE, &noise, &err))
        fail_msg("%s", err.text);
    assert_int_equal(noise.arms, 7);
    assert_true(noise.nights >= 12 && noise.round_sd > 0.001 && noise.round_sd < 0.1);
    return 0;
}

/* 5 % of the nights, and three standard errors of a count for chance. */
static void equal_nights_raise_no_alarm(void **state)
{
    for (size_t history = 10; history <= 40; history += 30) {
        for (size_t rounds = 3; rounds <= 5; rounds += 2) {
            struct mgc_sim_tally tally = run(rounds, history, 0, 1);
            if (tally.false_alarms > 71)
                fail_msg("%zu rounds, %zu nights before: %zu of %d nights", rounds, history,
                    tally.false_alarms, NIGHTS);
            assert_true(tally.reruns > 0 && tally.reruns < 240); /* 20 %, likewise */
        }
    }
}

/* 90 % are promised. */
static void eight_per_cent_are_found_and_confirmed(void **state)
{
    struct mgc_sim_tally tally = run(5, 40, 0.08, 1);
    if (tally.decisions[MGC_GATE_REGRESSED] < 900)
        fail_msg("found in %zu of %d nights", tally.decisions[MGC_GATE_REGRESSED], NIGHTS);
    assert_int_equal(tally.decisions[MGC_GATE_IMPROVED], 0);
    assert_true(run(5, 40, 0.15, 1).decisions[MGC_GATE_REGRESSED] > 980);
}

static void one_per_cent_in_three_rounds_is_no_conclusion(void **state)
{
    struct mgc_sim_tally tally = run(3, 40, 0.01, 1);
    if (tally.decisions[MGC_GATE_NO_CONCLUSION] < 900)
        fail_msg("%zu of %d nights", tally.decisions[MGC_GATE_NO_CONCLUSION], NIGHTS);
    assert_true(tally.decisions[MGC_GATE_UNCHANGED] < 50);
}

/* Noise that hides 8 % hides it: what is not found is not called unchanged. */
static void too_much_noise_is_no_conclusion(void **state)
{
    struct mgc_sim_tally tally = run(5, 40, 0.08, 10);
    assert_true(tally.decisions[MGC_GATE_REGRESSED] < 500);
    assert_int_equal(tally.decisions[MGC_GATE_UNCHANGED], 0);
}

static void expect_refused(const char *text, const char *words)
{
    static struct mgc_sim_noise other;
    char path[] = "/tmp/mgc-noise-XXXXXX";
    struct mgc_error err = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    assert_false(mgc_sim_noise_read(path, &other, &err));
    unlink(path);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
}

static void files_that_are_none(void **state)
{
    expect_refused("# nothing\n", "at least 3 nights");
    expect_refused("1 1 2.0 2.1\n1 2 2.0\n", ":2: expected as many values");
    expect_refused("1 2 2.0\n", ":1: expected rounds and nights in order");
    expect_refused("1 1 -2.0\n", ":1: expected as many values as in the lines before, above 0");
    expect_refused("x\n", ":1: expected a night, a round");
    expect_refused("65 1 1\n", ":1: expected a night, a round");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_nights_raise_no_alarm),
        cmocka_unit_test(eight_per_cent_are_found_and_confirmed),
        cmocka_unit_test(one_per_cent_in_three_rounds_is_no_conclusion),
        cmocka_unit_test(too_much_noise_is_no_conclusion),
        cmocka_unit_test(files_that_are_none),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
