#include "tests/unit/coordinator/plan_fixture.h"

#include "common/wire/msg.h"
#include "coordinator/plan/expand.h"
#include "coordinator/plan/plan_json.h"
#include "coordinator/plan/plan_text.h"

static void ids_are(const struct mgc_plan *plan, const char *const *ids)
{
    size_t count = 0;
    for (; ids[count]; count++) {
        assert_true(count < plan->cell_count);
        assert_string_equal(plan->cells[count].id, ids[count]);
    }
    assert_int_equal(plan->cell_count, count);
}

/* Loads with one override list and compares the cells. */
static void expect_cells(struct fixture *fixture, const struct mgc_override *overrides,
    size_t count, const char *const *ids)
{
    struct mgc_plan_request request = fixture_request(fixture);
    request.overrides = overrides;
    request.override_count = count;
    struct mgc_site site;
    struct mgc_plan plan;
    fixture_load(&request, &site, &plan);
    ids_are(&plan, ids);
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

static void test_default_order(void **state)
{
    static const char *const ids[] = {
        "setup",
        "crosshost/ssim-openra-r1",
        "crosshost/ssim-rd12-r1",
        "crosshost/bench-openra-c1-r1",
        "crosshost/bench-openra-c2-r1",
        "crosshost/bench-openra-c3-r1",
        "crosshost/bench-rd12-c1-r1",
        "crosshost/bench-rd12-c2-r1",
        "crosshost/bench-rd12-c3-r1",
        "crosshost/bench-openra-c1-r2",
        "crosshost/bench-openra-c2-r2",
        "crosshost/bench-openra-c3-r2",
        "crosshost/bench-rd12-c1-r2",
        "crosshost/bench-rd12-c2-r2",
        "crosshost/bench-rd12-c3-r2",
        "crosshost/bench-openra-c1-r3",
        "crosshost/bench-openra-c2-r3",
        "crosshost/bench-openra-c3-r3",
        "crosshost/bench-rd12-c1-r3",
        "crosshost/bench-rd12-c2-r3",
        "crosshost/bench-rd12-c3-r3",
        "close",
        NULL,
    };
    expect_cells(*state, NULL, 0, ids);
}

static void test_without_routes(void **state)
{
    struct fixture *fixture = *state;
    static const struct mgc_override none[] = {{"route.mode", "none", "--set"}};
    struct mgc_plan_request request = fixture_request(fixture);
    request.overrides = none;
    request.override_count = 1;
    struct mgc_site site;
    struct mgc_plan plan;
    fixture_load(&request, &site, &plan);
    const struct mgc_cell *setup = &plan.cells[0];
    assert_int_equal(setup->step_count, 4);
    assert_string_equal(setup->steps[0].id, "device");
    assert_string_equal(setup->steps[1].id, "helper");
    assert_string_equal(setup->steps[2].kind, "host.app");
    assert_string_equal(setup->steps[2].id, "app-1");
    assert_string_equal(setup->steps[3].id, "pathcheck");
    assert_int_equal(setup->steps[3].dep_count, 0);
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

static void test_narrowed(void **state)
{
    static const struct mgc_override overrides[] = {
        {"lanes.crosshost.workloads", "openra", "--workload"},
        {"lanes.crosshost.credits", "1", "--credit"},
        {"lanes.crosshost.reps", "1", "--reps"},
    };
    static const char *const ids[] = {
        "setup", "crosshost/ssim-openra-r1", "crosshost/bench-openra-c1-r1", "close", NULL};
    expect_cells(*state, overrides, 3, ids);
}

static void test_runs_of_the_old_script(void **state)
{
    struct fixture *fixture = *state;
    static const char *const ids[] = {"setup", "crosshost/ssim-openra-r1",
        "crosshost/bench-rd12-c1-r1", "crosshost/bench-rd12-c1-r2", "close", NULL};
    fixture->env[0] = "RUNS=ssim:openra bench:rd12:1";
    fixture->env[1] = "RD12_REPS=2";
    expect_cells(fixture, NULL, 0, ids);
    /* --workload beats RUNS from the environment, --reps beats RD12_REPS */
    static const struct mgc_override overrides[] = {
        {"lanes.crosshost.workloads", "rd12", "--workload"},
        {"lanes.crosshost.credits", "2", "--credit"},
        {"lanes.crosshost.reps", "1", "--reps"},
    };
    static const char *const narrowed[] = {
        "setup", "crosshost/ssim-rd12-r1", "crosshost/bench-rd12-c2-r1", "close", NULL};
    expect_cells(fixture, overrides, 3, narrowed);
    assert_int_equal(fixture->problems.warnings.total, 1);
    assert_string_equal(fixture->problems.warnings.text[0],
        "environment RUNS: lanes.crosshost.runs is not used, since lanes.crosshost.workloads is "
        "given by --workload");
}

static void test_reps_by_workload(void **state)
{
    struct fixture *fixture = *state;
    static const struct mgc_override overrides[] = {
        {"lanes.crosshost.credits", "3", "--credit"},
        {"lanes.crosshost.ssim", "no", "--set"},
    };
    static const char *const ids[] = {"setup", "crosshost/bench-openra-c3-r1",
        "crosshost/bench-rd12-c3-r1", "crosshost/bench-rd12-c3-r2", "crosshost/bench-rd12-c3-r3",
        "close", NULL};
    fixture->env[0] = "OPENRA_REPS=1";
    expect_cells(fixture, overrides, 2, ids);
}

static const struct mgc_step *step_of(const struct mgc_cell *cell, const char *id)
{
    for (size_t i = 0; i < cell->step_count; i++) {
        if (strcmp(cell->steps[i].id, id) == 0)
            return &cell->steps[i];
    }
    fail_msg("%s has no step %s", cell->id, id);
    return NULL;
}

static void test_graphs(void **state)
{
    struct mgc_plan_request request = fixture_request(*state);
    struct mgc_site site;
    struct mgc_plan plan;
    fixture_load(&request, &site, &plan);
    for (size_t i = 0; i < plan.cell_count; i++) {
        const struct mgc_cell *cell = &plan.cells[i];
        assert_true(cell->step_count > 0);
        for (size_t s = 0; s < cell->step_count; s++) {
            const struct mgc_step *step = &cell->steps[s];
            assert_true(step->deadline_ms > 0);
            for (size_t d = 0; d < step->dep_count; d++) {
                /* backwards only, so there is no cycle; "ready" only of steps that hold */
                assert_true(step->deps[d].step < s);
                if (step->deps[d].kind == MGC_DEP_READY)
                    assert_true(cell->steps[step->deps[d].step].holds);
            }
            /* a task learns of its barrier by parameter, the scheduler by the step */
            const char *barrier = mgc_fields_get_str(&step->params, "barrier");
            assert_int_equal(!barrier, !step->barrier);
            if (barrier)
                assert_string_equal(barrier, step->barrier);
            assert_null(mgc_fields_get(&step->params, "token"));
        }
        if (cell->kind != MGC_CELL_MEASURE)
            continue;
        /* whoever waits for another ends first */
        assert_true(step_of(cell, "replay")->deadline_ms < step_of(cell, "server")->deadline_ms);
        assert_true(step_of(cell, "server")->deadline_ms < step_of(cell, "logcat")->deadline_ms);
        assert_string_equal(mgc_fields_get_str(&step_of(cell, "replay")->secrets, "token"),
            mgc_fields_get_str(&step_of(cell, "server")->secrets, "token"));
    }
    /* what the setup holds outlasts all cells, each tried as often as allowed */
    int64_t all_ms = 0;
    for (size_t i = 0; i < plan.cell_count; i++)
        all_ms += mgc_cell_budget_ms(&plan.cells[i]) * (1 + plan.retries_per_cell);
    assert_true(step_of(&plan.cells[0], "route")->deadline_ms >= all_ms);
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

/* The worst case of a large plan is longer than any task may be given: the route still has to be
 * one that a worker accepts. */
static void test_long_run_stays_within_the_wire(void **state)
{
    static const struct mgc_override overrides[] = {
        {"lanes.crosshost.reps", "100", "--reps"},
        {"retries_per_cell", "10", "--set"},
    };
    struct mgc_plan_request request = fixture_request(*state);
    request.overrides = overrides;
    request.override_count = 2;
    struct mgc_site site;
    struct mgc_plan plan;
    fixture_load(&request, &site, &plan);
    for (size_t c = 0; c < plan.cell_count; c++) {
        for (size_t i = 0; i < plan.cells[c].step_count; i++)
            assert_true(plan.cells[c].steps[i].deadline_ms <= MGC_WIRE_MS_MAX);
    }
    assert_int_equal(step_of(&plan.cells[0], "route")->deadline_ms, MGC_WIRE_MS_MAX);
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

static void test_expectations(void **state)
{
    struct fixture *fixture = *state;
    static const struct mgc_override overrides[] = {
        {"workloads.openra.frames", "32", "--set"},
        {"lanes.crosshost.benchmark_finish", "false", "--set"},
        {"phone.port", "40700", "--set"},
        {"workloads.rd12.timeout", "90s", "--set"},
    };
    struct mgc_plan_request request = fixture_request(fixture);
    request.overrides = overrides;
    request.override_count = 4;
    struct mgc_site site;
    struct mgc_plan plan;
    fixture_load(&request, &site, &plan);
    const struct mgc_cell *ssim = &plan.cells[1], *bench = &plan.cells[4], *rd12 = &plan.cells[6];
    assert_string_equal(bench->id, "crosshost/bench-openra-c2-r1");
    assert_string_equal(bench->arm, "crosshost-c2");
    assert_int_equal(bench->rep, 1);
    assert_int_equal(bench->expect.frames, 32);
    assert_int_equal(bench->expect.credit, 2);
    assert_int_equal(bench->expect.width, 640);
    assert_false(bench->expect.benchmark_finish);
    assert_string_equal(bench->expect.endpoint, "192.168.21.181:40700");
    assert_string_equal(bench->expect.backend, "DirectGLES");
    assert_int_equal(ssim->mode, MGC_MODE_SSIM);
    assert_int_equal(ssim->rep, 1);
    assert_true(ssim->expect.ssim_threshold > 0.98);
    int64_t timeout;
    assert_true(mgc_fields_get_int(&step_of(rd12, "replay")->params, "timeout_ms", &timeout));
    assert_int_equal(timeout, 90000);
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

static void int_is(const struct mgc_step *step, const char *name, int64_t expected)
{
    int64_t value = -1;
    assert_true(mgc_fields_get_int(&step->params, name, &value) || expected < 0);
    assert_int_equal(value, expected);
}

/* Gates are the plan's; COOL_C of the old scripts counts here as well. Who waits long waits before
 * the server, and all hosts do so at the same time. */
static void test_gates(void **state)
{
    struct fixture *fixture = *state;
    static const struct mgc_override overrides[] = {
        {"gates.temp_min", "10", "--set"}, {"gates.cool_to", "30", "--set"},
        {"gates.power", "any", "--set"}, {"gates.unreadable", "refuse", "--set"},
        {"gates.phone_free", "100", "--set"}, {"gates.host_free", "0", "--set"},
        {"gates.host_load", "150", "--set"}, {"gates.timeout", "60s", "--set"},
        {"lanes.matrix.temp_max", "20", "--set"}, /* of another lane */
    };
    struct mgc_plan_request request = fixture_request(fixture);
    request.overrides = overrides;
    request.override_count = sizeof(overrides) / sizeof(overrides[0]);
    fixture->env[0] = "COOL_C=34";
    struct mgc_site site;
    struct mgc_plan plan;
    fixture_load(&request, &site, &plan);
    const struct mgc_cell *cell = &plan.cells[1];
    const struct mgc_step *quiesce = step_of(cell, "quiesce"), *gate = step_of(cell, "wsl-gate");
    int_is(quiesce, "temp_min_dc", 100);
    int_is(quiesce, "temp_max_dc", 340);
    int_is(quiesce, "cool_to_dc", 300);
    int_is(quiesce, "free_min_bytes", 100000000);
    int_is(quiesce, "gate_timeout_ms", 60000);
    assert_string_equal(mgc_fields_get_str(&quiesce->params, "power"), "any");
    assert_string_equal(mgc_fields_get_str(&quiesce->params, "unreadable"), "refuse");
    int_is(gate, "load_max_pct", 150);
    int_is(gate, "free_min_bytes", 0);
    int_is(gate, "gate_timeout_ms", 60000);
    assert_int_equal(gate->role, MGC_ROLE_WSL);
    assert_int_equal(gate->dep_count, 0);
    assert_int_equal(cell->expect.temp_min_dc, 100);
    assert_int_equal(cell->expect.temp_max_dc, 340);
    assert_false(cell->expect.plugged);
    assert_null(cell->expect.pins);
    assert_string_equal(cell->expect.package, "top.mobilegl.plugin.trace");
    assert_true(step_of(cell, "logcat")->deadline_ms >=
                gate->deadline_ms + quiesce->deadline_ms + step_of(cell, "server")->deadline_ms);
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

/* data/crosshost.txt is what the default plan expands to; MGC_TEST_UPDATE=1 writes it anew. */
static void test_golden(void **state)
{
    struct mgc_plan_request request = fixture_request(*state);
    struct mgc_site site;
    struct mgc_plan plan;
    fixture_load(&request, &site, &plan);
    struct mgc_buf got = {0}, want = {0};
    struct mgc_estimates *estimates = mgc_estimates_typical(&site, &plan);
    assert_non_null(estimates);
    mgc_plan_print_schedule(&plan, estimates, &got);
    mgc_estimates_free(estimates);
    mgc_buf_putc(&got, '\n');
    mgc_plan_print_steps(&plan, false, &got);
    if (getenv("MGC_TEST_UPDATE")) {
        char path[512];
        snprintf(path, sizeof(path), "%s/crosshost.txt", getenv("MGC_TEST_DATA"));
        fixture_write(path, mgc_buf_text(&got));
    }
    fixture_read("crosshost.txt", &want);
    assert_string_equal(mgc_buf_text(&got), mgc_buf_text(&want));
    assert_null(strstr(mgc_buf_text(&got), request.token));
    mgc_buf_destroy(&got);
    mgc_buf_destroy(&want);
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

static void test_json_has_no_secret(void **state)
{
    struct fixture *fixture = *state;
    fixture->env[0] = "TOKEN=a-token-of-my-own-2026";
    struct mgc_plan_request request = fixture_request(fixture);
    struct mgc_site site;
    struct mgc_plan plan;
    fixture_load(&request, &site, &plan);
    assert_string_equal(mgc_fields_get_str(&step_of(&plan.cells[1], "server")->secrets, "token"),
        "a-token-of-my-own-2026");
    json_t *doc = mgc_plan_to_json(&plan), *settings = mgc_settings_to_json(&site.settings);
    assert_non_null(doc);
    assert_non_null(settings);
    assert_int_equal(json_array_size(json_object_get(doc, "cells")), plan.cell_count);
    char *text = json_dumps(doc, 0), *more = json_dumps(settings, 0);
    assert_non_null(strstr(text, "\"secrets\": [\"token\"]"));
    assert_null(strstr(text, "a-token-of-my-own"));
    assert_null(strstr(more, "a-token-of-my-own"));
    assert_non_null(strstr(more, "\"phone.port\": {\"value\": 40613, \"source\": \"built-in\"}"));
    free(text);
    free(more);
    json_decref(doc);
    json_decref(settings);
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

static void test_random_ids(void **state)
{
    struct mgc_plan_request request = fixture_request(*state);
    request.run_id = NULL;
    request.token = NULL;
    struct mgc_site site[2];
    struct mgc_plan plan[2];
    for (int i = 0; i < 2; i++)
        fixture_load(&request, &site[i], &plan[i]);
    const char *one = mgc_fields_get_str(&step_of(&plan[0].cells[1], "server")->secrets, "token");
    const char *other = mgc_fields_get_str(&step_of(&plan[1].cells[1], "server")->secrets, "token");
    assert_int_equal(strlen(one), 32);
    assert_string_not_equal(one, other);
    assert_string_not_equal(plan[0].run_id, plan[1].run_id);
    assert_non_null(strstr(plan[0].run_id, "Z-crosshost-"));
    for (int i = 0; i < 2; i++) {
        mgc_plan_destroy(&plan[i]);
        mgc_site_destroy(&site[i]);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_default_order),
        TEST(test_without_routes),
        TEST(test_narrowed),
        TEST(test_runs_of_the_old_script),
        TEST(test_reps_by_workload),
        TEST(test_graphs),
        TEST(test_long_run_stays_within_the_wire),
        TEST(test_expectations),
        TEST(test_gates),
        TEST(test_golden),
        TEST(test_json_has_no_secret),
        TEST(test_random_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
