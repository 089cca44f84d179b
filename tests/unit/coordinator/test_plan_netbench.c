/* The link test's plan: its cells, its short form, what does not go together. */
#include "tests/unit/coordinator/plan_fixture.h"

#include "coordinator/plan/plan.h"

struct loaded {
    struct mgc_site site;
    struct mgc_plan plan;
};

static void load(
    struct fixture *fixture, const struct mgc_override *overrides, size_t count, struct loaded *ret)
{
    struct mgc_plan_request request = fixture_request(fixture);
    request.plan = "netbench";
    request.overrides = overrides;
    request.override_count = count;
    fixture_load(&request, &ret->site, &ret->plan);
}

static void unload(struct loaded *loaded)
{
    mgc_plan_destroy(&loaded->plan);
    mgc_site_destroy(&loaded->site);
}

static int64_t param(const struct mgc_cell *cell, size_t step, const char *name)
{
    int64_t value = -1;
    mgc_fields_get_int(&cell->steps[step].params, name, &value);
    return value;
}

static void its_cells(void **state)
{
    static const char *const ids[] = {
        "setup", "netbench/link-r1", "netbench/link-r2", "netbench/link-r3", "close"};
    struct loaded loaded;
    load(*state, NULL, 0, &loaded);
    assert_int_equal(loaded.plan.cell_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(loaded.plan.cells[i].id, ids[i]);
        assert_true(loaded.plan.cells[i].crosses_hosts || i == 4);
    }
    const struct mgc_cell *cell = &loaded.plan.cells[1];
    assert_int_equal(cell->step_count, 2);
    assert_string_equal(cell->steps[0].kind, "host.sink");
    assert_true(cell->steps[0].holds);
    assert_string_equal(cell->steps[1].kind, "wsl.netbench");
    assert_int_equal(cell->steps[1].dep_count, 1);
    assert_int_equal(cell->steps[1].deps[0].kind, MGC_DEP_READY);
    assert_int_equal(param(cell, 0, "port"), 40614);
    assert_int_equal(param(cell, 1, "port"), 40614);
    assert_int_equal(param(cell, 1, "duration_ms"), 10000);
    assert_string_equal(mgc_fields_get_str(&cell->steps[0].secrets, "token"),
        mgc_fields_get_str(&cell->steps[1].secrets, "token"));
    /* The sink outlives the test, and the host's step the sink. */
    assert_true(param(cell, 0, "lifetime_ms") > cell->steps[1].deadline_ms);
    assert_true(cell->steps[0].deadline_ms > param(cell, 0, "lifetime_ms"));
    unload(&loaded);
}

/* Nothing can be measured without the helper, and nothing is without a route of our own. */
static void its_setup(void **state)
{
    static const char *const ids[] = {"device", "helper", "route", "pathcheck"};
    struct loaded loaded;
    bool required = false;
    load(*state, NULL, 0, &loaded);
    const struct mgc_cell *setup = &loaded.plan.cells[0];
    assert_int_equal(setup->step_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(setup->steps[i].id, ids[i]);
    assert_true(mgc_fields_get_bool(&setup->steps[1].params, "required", &required));
    assert_true(required);
    unload(&loaded);
}

static void its_short_form(void **state)
{
    static const struct mgc_override overrides[] = {
        {"lanes.netbench.short", "true", "--short"}, {"lanes.netbench.reps", "2", "--reps"}};
    struct loaded loaded;
    load(*state, overrides, 1, &loaded);
    assert_int_equal(loaded.plan.cell_count, 3);
    assert_int_equal(param(&loaded.plan.cells[1], 1, "duration_ms"), 2000);
    assert_int_equal(param(&loaded.plan.cells[1], 1, "probes"), 10);
    unload(&loaded);
    load(*state, overrides, 2, &loaded); /* as often as somebody says */
    assert_int_equal(loaded.plan.cell_count, 4);
    unload(&loaded);
}

static void what_does_not_go_together(void **state)
{
    static const struct {
        struct mgc_override override;
        const char *words;
    } rows[] = {
        {{"phone.sink_port", "40613", "--set"}, "expected another port than phone.port"},
        {{"lanes.netbench.duration", "500ms", "--set"},
            "lanes.netbench.duration: expected at least"},
        {{"lanes.netbench.interval", "5s", "--set"}, "lanes.netbench.short_duration: expected at"},
        {{"lanes.netbench.direction", "sideways", "--set"}, "expected up (to the phone), down or"},
        {{"interleave", "round", "--set"}, "interleave: expected lane, since lanes.netbench"},
        {{"lanes.netbench.streams", "17", "--set"}, "lanes.netbench.streams"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mgc_plan_request request = fixture_request(*state);
        struct mgc_problems problems = {0};
        struct mgc_site site;
        struct mgc_plan plan;
        struct mgc_error err = {0};
        request.plan = "netbench";
        request.overrides = &rows[i].override;
        request.override_count = 1;
        request.problems = &problems;
        assert_false(mgc_plan_load(&request, &site, &plan, &err));
        assert_true(problems.errors.total >= 1);
        if (!strstr(problems.errors.text[0], rows[i].words))
            fail_msg("\"%s\" is not in \"%s\"", rows[i].words, problems.errors.text[0]);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(its_cells), TEST(its_setup), TEST(its_short_form), TEST(what_does_not_go_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
