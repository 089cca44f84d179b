#include "coordinator/stats/random.h"

#include "tests/unit/stats/near.h"

/* SplitMix64 with seed 1234567: the values that the task "Pseudo-random numbers/Splitmix64" of
 * Rosetta Code gives for every language. */
static void splitmix_as_published(void **state)
{
    static const uint64_t expected[] = {UINT64_C(6457827717110365317),
        UINT64_C(3203168211198807973), UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
        UINT64_C(16408922859458223821)};
    uint64_t seed = 1234567;
    for (int i = 0; i < 5; i++)
        assert_true(mgc_splitmix64(&seed) == expected[i]);
}

/* xoshiro256** from state 1, 2, 3, 4. By hand: rotl(2 * 5, 7) * 9 = 11520; the step makes the state
 * 7, 0, 2^18 + 2, 6 << 45, so the second is 0; and so on. */
static void xoshiro_by_hand(void **state)
{
    struct mgc_random random = {{1, 2, 3, 4}};
    assert_true(mgc_random_next(&random) == 11520);
    assert_true(random.state[0] == 7 && random.state[1] == 0);
    assert_true(random.state[2] == ((UINT64_C(1) << 18) | 2));
    assert_true(random.state[3] == UINT64_C(6) << 45);
    assert_true(mgc_random_next(&random) == 0);
    assert_true(mgc_random_next(&random) == UINT64_C(1509978240));
    assert_true(mgc_random_next(&random) == UINT64_C(1215971899390074240));
}

static void equal_seeds_equal_numbers(void **state)
{
    struct mgc_random a, b, c;
    mgc_random_seed(&a, 0);
    mgc_random_seed(&b, 0);
    mgc_random_seed(&c, 1);
    assert_true(a.state[0] || a.state[1] || a.state[2] || a.state[3]);
    uint64_t first = mgc_random_next(&a);
    assert_true(first == mgc_random_next(&b));
    assert_true(first != mgc_random_next(&c));
}

/* Chi-square of 7 cells, 6 degrees of freedom: above 22.46 in one of 1000 (table); the seed is
 * fixed. */
static void below_is_even(void **state)
{
    enum { DRAWS = 70000, CELLS = 7 };
    struct mgc_random random;
    int hits[CELLS] = {0};
    double chi = 0;
    mgc_random_seed(&random, 42);
    for (int i = 0; i < DRAWS; i++)
        hits[mgc_random_below(&random, CELLS)]++;
    for (int i = 0; i < CELLS; i++)
        chi += (hits[i] - 10000.0) * (hits[i] - 10000.0) / 10000;
    assert_true(chi < 22.46);
    for (int i = 0; i < 100; i++)
        assert_true(mgc_random_below(&random, 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splitmix_as_published),
        cmocka_unit_test(xoshiro_by_hand),
        cmocka_unit_test(equal_seeds_equal_numbers),
        cmocka_unit_test(below_is_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
