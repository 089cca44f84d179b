/* Plans that could never work: refused before anything starts, by a sentence that says where. */
#include "tests/unit/coordinator/plan_fixture.h"

static const struct {
    const char *text; /* of p.yaml */
    struct mgc_override more;
    const char *sentence;
} refused[] = {
    {"plan: x\ninterleave: round\nlanes:\n  matrix: {workloads: [openra]}\n"
     "  crosshost: {workloads: [openra, rd12]}\n",
        {0},
        "p.yaml:4: lanes.matrix.workloads: expected the same workloads in both lanes, since "
        "interleave is round, got openra in lanes.matrix and openra, rd12 in lanes.crosshost"},
    {"plan: x\ninterleave: round\nlanes: {matrix: {}, crosshost: {}}\n",
        {"lanes.matrix.mode", "rd12", "operand MODE"},
        "operand MODE: lanes.matrix.mode: expected the same workloads in both lanes, since "
        "interleave is round, got rd12 in lanes.matrix and openra, rd12 in lanes.crosshost"},
    {"plan: x\ninterleave: round\nlanes:\n  matrix: {}\n  crosshost: {runs: ['bench:rd12:1']}\n",
        {0},
        "p.yaml:5: lanes.crosshost.runs: expected the same workloads in both lanes, since "
        "interleave is round, got openra, rd12 in lanes.matrix and rd12 in lanes.crosshost"},
    {"plan: x\nlanes: {crosshost: {}}\nconfirm: 2\n", {0},
        "p.yaml:3: confirm: expected 0, since without lanes.matrix, whose first arm it is, the "
        "plan has no reference beside which an arm could be run again"},
    {"plan: x\nconfirm: 1\nlanes: {matrix: {mode: ssimonly}}\n", {0},
        "p.yaml:2: confirm: expected 0, since the plan measures no round that could be confirmed"},
    {"plan: x\nlanes: {matrix: {}}\nbrackets: link\n", {0},
        "p.yaml:3: brackets: expected none, since the plan has no lane whose cells cross hosts "
        "(lanes.crosshost), got 'link'"},
    {"plan: x\nlanes: {crosshost: {}}\nbrackets: link\noverride: {phone: {sink_port: 40613}}\n",
        {0},
        "p.yaml:4: phone.sink_port: expected another port than phone.port, got 40613 for both"},
    {"plan: x\nlanes: {crosshost: {}}\nbrackets: link\n", {"phone.port", "40614", "--set"},
        "--set: phone.sink_port: expected another port than phone.port, got 40614 for both"},
    {"plan: x\nlanes: {crosshost: {}}\n", {"bind", "tcp://192.168.21.181:40613", "--set"},
        "--set: bind: expected another port than phone.port (built-in), got 40613"},
    {"plan: x\nlanes: {matrix: {}}\nretries_per_cell: 0\nreplacements: 3\n", {0},
        "p.yaml:4: replacements: expected 0, since each cell goes again at most retries_per_cell "
        "times, which is 0 (p.yaml:3), got 3"},
    {"plan: x\nlanes:\n  matrix:\n    reps: 2\n    shorten: {rd12: {above: 5m, reps: 3}}\n", {0},
        "p.yaml:5: lanes.matrix.shorten.rd12.reps: expected at most the 2 rounds of "
        "lanes.matrix.reps (p.yaml:4), got 3"},
    {"plan: x\nlanes: {matrix: {workload_reps: {rd12: 1}, shorten: {rd12: {above: 5m, reps: 2}}}}"
     "\n",
        {0},
        "p.yaml:2: lanes.matrix.shorten.rd12.reps: expected at most the 1 rounds of "
        "lanes.matrix.workload_reps.rd12 (p.yaml:2), got 2"},
    {"plan: x\nlanes: {matrix: {}}\n", {"lanes.matrix.shorten.doom.reps", "1", "--set"},
        "--set: lanes.matrix.shorten.doom.reps: unknown workload 'doom'"},
    {"plan: x\nlanes: {matrix: {temp_min: 30, temp_max: 30}}\n", {0},
        "p.yaml:2: lanes.matrix.temp_max: expected more than lanes.matrix.temp_min (30), got 30"},
    {"plan: x\nlanes: {matrix: {arms: [monolith, tcb]}}\n", {0},
        "p.yaml:2: lanes.matrix.arms: unknown arm 'tcb', expected one of: monolith, inproc, shm, "
        "tcp, or one with @TAG"},
    {"plan: x\nlanes: {crosshost: {credits: [5]}}\n", {0},
        "p.yaml:2: lanes.crosshost.credits: the bench has no arm 'crosshost-c5' for credit 5"},
};

static void load(struct fixture *fixture, const char *text, const struct mgc_override *more,
    bool *ret_ok, struct mgc_error *err)
{
    struct mgc_site site;
    struct mgc_plan plan;
    struct mgc_plan_request request = fixture_request(fixture);
    fixture_write("p.yaml", text);
    request.plan = "p.yaml";
    request.overrides = more;
    request.override_count = more->key ? 1 : 0;
    *ret_ok = mgc_plan_load(&request, &site, &plan, err);
    if (!*ret_ok)
        return;
    mgc_plan_destroy(&plan);
    mgc_site_destroy(&site);
}

static bool has_error(const struct fixture *fixture, const char *sentence)
{
    for (size_t i = 0; i < mgc_problem_count(&fixture->problems.errors); i++) {
        if (strcmp(fixture->problems.errors.text[i], sentence) == 0)
            return true;
    }
    return false;
}

static void what_cannot_work_is_refused(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct mgc_error err;
        bool ok;
        load(fixture, refused[i].text, &refused[i].more, &ok, &err);
        assert_false(ok);
        assert_int_equal(err.code, MGC_E_CONFIG);
        if (!has_error(fixture, refused[i].sentence))
            fail_msg("row %zu: expected '%s', got '%s'", i, refused[i].sentence,
                fixture->problems.errors.text[0]);
    }
}

static const struct {
    const char *text;
    struct mgc_override more;
    const char *warning; /* NULL: none */
} accepted[] = {
    /* One lane alone shares its rounds with nobody; pictures are no rounds. */
    {"plan: x\ninterleave: round\nlanes: {matrix: {workloads: [openra]}}\n", {0}, NULL},
    {"plan: x\ninterleave: round\nlanes: {matrix: {mode: ssimonly}, crosshost: {}}\n", {0}, NULL},
    {"plan: x\nlanes: {matrix: {workloads: [openra]}, crosshost: {}}\n", {0}, NULL},
    /* What somebody takes away beside the plan may leave a rule of it without work. */
    {"plan: x\nlanes: {matrix: {}}\nreplacements: 3\n", {"retries_per_cell", "0", "--set"}, NULL},
    {"plan: x\nlanes: {matrix: {shorten: {rd12: {above: 5m, reps: 2}}}}\n",
        {"lanes.matrix.reps", "1", "--reps"}, NULL},
    {"plan: x\nlanes: {crosshost: {}}\nbrackets: path\noverride: {phone: {sink_port: 40613}}\n",
        {0}, NULL},
    {"plan: x\nlanes: {matrix: {}}\nseed: 7\n", {0},
        "p.yaml:3: seed is not used, since order is fixed (built-in)"},
    {"plan: x\nlanes: {crosshost: {}}\n", {"workloads.rd12.timeout", "30s", "--set"},
        "--set: workloads.rd12.timeout: one run takes about 75000 ms in published runs, got 30000 "
        "ms as its limit"},
};

static void what_works_is_accepted(void **state)
{
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
        struct mgc_error err = {0};
        bool ok;
        load(fixture, accepted[i].text, &accepted[i].more, &ok, &err);
        if (!ok)
            fail_msg("row %zu: %s", i, err.text);
        const struct mgc_problem_list *warnings = &fixture->problems.warnings;
        assert_int_equal(warnings->total, accepted[i].warning != NULL);
        if (accepted[i].warning)
            assert_string_equal(warnings->text[0], accepted[i].warning);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            what_cannot_work_is_refused, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(what_works_is_accepted, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
