/* Who hears of a run's begin and end. */
#include "tests/lib/check.h"
#include "worker-host/tasks/samplers.h"

static const struct mgc_host_moments begin = {.run_begins = true}, end = {.run_ends = true};

static void test_a_sampler_of_that_phone_hears(void **state)
{
    struct mgc_host_samplers *samplers = mgc_host_samplers_new(NULL);
    struct mgc_stop here = MGC_STOP_INIT, there = MGC_STOP_INIT;
    assert_true(mgc_stop_init(&here, NULL) && mgc_stop_init(&there, NULL));
    assert_true(mgc_host_samplers_put(samplers, &here, "phone-1", NULL));
    assert_true(mgc_host_samplers_put(samplers, &there, "phone-2", NULL));
    mgc_host_samplers_tell(samplers, "phone-1", begin);
    assert_true(mgc_stop_raised(&here));
    assert_false(mgc_stop_raised(&there));
    struct mgc_host_moments told = mgc_host_samplers_take(samplers, &here);
    assert_true(told.run_begins && !told.run_ends);
    assert_false(mgc_stop_raised(&here));
    told = mgc_host_samplers_take(samplers, &here); /* once */
    assert_false(told.run_begins || told.run_ends);
    mgc_host_samplers_free(samplers);
    mgc_stop_destroy(&here);
    mgc_stop_destroy(&there);
}

static void test_what_is_not_taken_yet_is_kept(void **state)
{
    struct mgc_host_samplers *samplers = mgc_host_samplers_new(NULL);
    struct mgc_stop bell = MGC_STOP_INIT;
    assert_true(mgc_stop_init(&bell, NULL));
    assert_true(mgc_host_samplers_put(samplers, &bell, "phone", NULL));
    mgc_host_samplers_tell(samplers, "phone", begin);
    mgc_host_samplers_tell(samplers, "phone", end);
    struct mgc_host_moments told = mgc_host_samplers_take(samplers, &bell);
    assert_true(told.run_begins && told.run_ends);
    mgc_host_samplers_drop(samplers, &bell);
    mgc_host_samplers_tell(samplers, "phone", end);
    assert_false(mgc_stop_raised(&bell));
    mgc_host_samplers_drop(samplers, &bell);
    mgc_host_samplers_free(samplers);
    mgc_stop_destroy(&bell);
}

static void test_limits(void **state)
{
    struct mgc_host_samplers *samplers = mgc_host_samplers_new(NULL);
    struct mgc_stop bells[MGC_HOST_SAMPLERS_MAX + 1];
    struct mgc_error err = {0};
    for (size_t i = 0; i < MGC_HOST_SAMPLERS_MAX; i++)
        assert_true(mgc_host_samplers_put(samplers, &bells[i], "phone", &err));
    assert_false(mgc_host_samplers_put(samplers, &bells[MGC_HOST_SAMPLERS_MAX], "phone", &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    mgc_host_samplers_drop(samplers, &bells[3]);
    assert_true(mgc_host_samplers_put(samplers, &bells[MGC_HOST_SAMPLERS_MAX], "phone", &err));
    mgc_host_samplers_free(samplers);
    mgc_host_samplers_free(NULL);
    assert_true(
        mgc_host_samplers_put(NULL, &bells[0], "phone", &err)); /* a worker without a list */
    mgc_host_samplers_tell(NULL, "phone", begin);
    mgc_host_samplers_drop(NULL, &bells[0]);
    assert_false(mgc_host_samplers_take(NULL, &bells[0]).run_begins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sampler_of_that_phone_hears),
        cmocka_unit_test(test_what_is_not_taken_yet_is_kept),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
