/* A run is told once more what it was told: command line and environment, out of run.json. */
#include "coordinator/plan/plan_json.h"
#include "coordinator/plan/recorded.h"
#include "tests/unit/coordinator/plan_fixture.h"

static json_t *settings_of(struct fixture *fixture, const struct mgc_override *overrides,
    size_t count, mgc_getenv *get, void *user)
{
    struct mgc_site site;
    struct mgc_plan plan;
    struct mgc_error err = {0};
    struct mgc_plan_request request = {.plan = "matrix",
        .site_path = "site.yaml",
        .overrides = overrides,
        .override_count = count,
        .getenv = get,
        .getenv_user = user,
        .run_id = "r",
        .problems = &fixture->problems};
    if (!mgc_plan_load(&request, &site, &plan, &err))
        fail_msg("%s", err.text);
    json_t *settings = mgc_settings_to_json(&site.settings);
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
    return settings;
}

static void what_was_told_gives_the_same_settings(void **state)
{
    struct fixture *fixture = *state;
    static const struct mgc_override overrides[] = {
        {"lanes.matrix.arms", "monolith,tcp", "--arm"},
        {"lanes.matrix.gate_timeout", "90s", "--set lanes.matrix.gate_timeout"},
        {"lanes.matrix.ssim", "false", "--set lanes.matrix.ssim"},
        {"lanes.matrix.mode", "openra", "operand MODE"},
    };
    fixture->env[0] = "REPS=7";
    fixture->env[1] = "TIMEOUT=100";
    fixture->env[2] = "TOKEN=0123456789abcdef0";
    json_t *first = settings_of(fixture, overrides, 4, fixture_getenv, fixture);
    struct mgc_recorded recorded;
    assert_true(mgc_recorded_read(first, &recorded, NULL));
    assert_int_equal(recorded.count, 4);
    assert_null(mgc_recorded_getenv("TOKEN", &recorded)); /* a secret is nowhere */
    assert_string_equal(mgc_recorded_getenv("REPS", &recorded), "7");
    json_t *again =
        settings_of(fixture, recorded.items, recorded.count, mgc_recorded_getenv, &recorded);
    json_object_del(first, "token");
    assert_true(json_equal(first, again));
    json_decref(first);
    json_decref(again);
    mgc_recorded_destroy(&recorded);
    mgc_recorded_destroy(NULL);
}

static void this_environment_goes_before(void **state)
{
    json_t *settings = json_pack(
        "{s:{s:i, s:s}}", "lanes.matrix.reps", "value", 7, "source", "environment MGC_TEST_REPS");
    struct mgc_recorded recorded;
    (void)state;
    assert_true(mgc_recorded_read(settings, &recorded, NULL));
    assert_string_equal(mgc_recorded_getenv("MGC_TEST_REPS", &recorded), "7");
    assert_int_equal(setenv("MGC_TEST_REPS", "8", 1), 0);
    assert_string_equal(mgc_recorded_getenv("MGC_TEST_REPS", &recorded), "8");
    unsetenv("MGC_TEST_REPS");
    mgc_recorded_destroy(&recorded);
    json_decref(settings);
}

/* Of a phone with a name the setting is called as if it were the only one. */
static void a_phones_key_keeps_its_name(void **state)
{
    json_t *settings =
        json_pack("{s:{s:i, s:s}}", "phone.port", "value", 40700, "source", "--set phones.p1.port");
    struct mgc_recorded recorded;
    (void)state;
    assert_true(mgc_recorded_read(settings, &recorded, NULL));
    assert_int_equal(recorded.count, 1);
    assert_string_equal(recorded.items[0].key, "phones.p1.port");
    assert_string_equal(recorded.items[0].value, "40700");
    mgc_recorded_destroy(&recorded);
    json_decref(settings);
}

static void plan_as_it_was_given(void **state)
{
    static const char *const origins[][2] = {{"built-in plan crosshost:6", "crosshost"},
        {"./plans/night.yaml:1", "./plans/night.yaml"}, {"C:odd.yaml:12", "C:odd.yaml"}};
    char plan[64];
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        json_t *settings =
            json_pack("{s:{s:s, s:s}}", "plan", "value", "n", "source", origins[i][0]);
        assert_true(mgc_recorded_plan(settings, plan, sizeof(plan)));
        assert_string_equal(plan, origins[i][1]);
        assert_false(mgc_recorded_plan(settings, plan, 4));
        json_decref(settings);
    }
    assert_false(mgc_recorded_plan(NULL, plan, sizeof(plan)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            what_was_told_gives_the_same_settings, fixture_setup, fixture_teardown),
        cmocka_unit_test(this_environment_goes_before),
        cmocka_unit_test(a_phones_key_keeps_its_name),
        cmocka_unit_test(plan_as_it_was_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
