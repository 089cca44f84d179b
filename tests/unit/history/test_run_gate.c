/* A run against the nights before it. */
#include "coordinator/history/run_gate.h"

#include <string.h>

#include "coordinator/history/print.h"
#include "tests/lib/check.h"
#include "tests/unit/history/fixture.h"

enum { NIGHTS = 8, TONIGHT = 50, REGULAR = 3 };

static char dir[MGC_PATH_MAX], path[MGC_PATH_MAX];

/* Eight nights that move by 0.3 %. */
static int setup(void **state)
{
    static const double moves[NIGHTS] = {0.02, -0.03, 0.01, -0.02, 0.03, 0, 0.01, -0.02};
    history_dir_make(dir, path);
    for (int i = 0; i < NIGHTS; i++) {
        struct history_fixture f;
        history_fixture_make(&f, i, 10 + moves[i]);
        history_add(path, &f, MGC_ORIGIN_RUN, true);
        history_fixture_destroy(&f);
    }
    return 0;
}

static int teardown(void **state)
{
    history_dir_remove(dir);
    return 0;
}

/* Tonight with another library; rounds 4 to 6 confirm. `measured`: so many rounds have run. */
static void make(struct history_fixture *f, double ms, int64_t measured)
{
    history_fixture_make_long(f, TONIGHT, ms, 2 * REGULAR);
    history_fixture_set(f, "library_sha256", "l2");
    for (size_t i = 0; i + 1 < f->plan.cell_count; i++) {
        f->cells[i].confirm = f->cells[i].rep > REGULAR;
        if (f->cells[i].rep > measured)
            f->results.cells[i].verdict.state = MGC_VERDICT_SKIPPED;
    }
}

static void set_arm(struct history_fixture *f, size_t arm, int64_t from, double factor)
{
    for (size_t i = arm; i + 1 < f->plan.cell_count; i += FIXTURE_ARMS) {
        struct mgc_fields *metrics = &f->results.cells[i].verdict.metrics;
        double ms;
        assert_true(mgc_fields_get_double(metrics, "kept_mean_ms", &ms));
        if (f->cells[i].rep >= from)
            mgc_fields_set_double(metrics, "kept_mean_ms", ms * factor);
    }
}

static void judge(const struct history_fixture *f, struct mgc_run_gate *gate)
{
    struct mgc_error err = {0};
    if (!mgc_run_gate_now(dir, &f->results, gate, &err))
        fail_msg("%s", err.text);
    assert_int_equal(gate->count, FIXTURE_ARMS);
}

static void expect_line(const struct mgc_run_gate_arm *arm, const char *expected)
{
    struct mgc_buf text = {0};
    mgc_run_gate_arm_print(arm, &text);
    if (strncmp(mgc_buf_text(&text), expected, strlen(expected)) != 0)
        fail_msg("'%s', expected '%s...'", mgc_buf_text(&text), expected);
    mgc_buf_destroy(&text);
}

/* What the session asks after the regular rounds, and at the end. */
static void test_flag_confirm_decide(void **state)
{
    struct history_fixture f;
    struct mgc_run_gate gate;
    make(&f, 10, REGULAR);
    set_arm(&f, 1, 1, 1.08);
    judge(&f, &gate);
    assert_true(mgc_run_gate_flags(&gate, "matrix", "openra", "DirectGLES", "shm"));
    assert_false(mgc_run_gate_flags(&gate, "matrix", "openra", "DirectGLES", "monolith"));
    assert_false(mgc_run_gate_flags(&gate, "matrix", "rd12", "DirectGLES", "shm"));
    assert_false(mgc_run_gate_failed(&gate));
    expect_line(&gate.arms[1], "not confirmed (no confirming round): -7.");
    mgc_run_gate_destroy(&gate);
    history_fixture_destroy(&f);

    make(&f, 10, 2 * REGULAR);
    set_arm(&f, 1, 1, 1.08);
    judge(&f, &gate);
    assert_true(mgc_run_gate_failed(&gate));
    assert_int_equal(gate.arms[1].result.decision, MGC_GATE_REGRESSED);
    assert_int_equal(gate.arms[1].result.rounds, REGULAR);
    assert_int_equal(gate.arms[1].result.confirm_rounds, REGULAR);
    assert_int_equal(gate.arms[1].result.inputs, MGC_GATE_INPUTS_CHANGED);
    assert_int_not_equal(gate.arms[0].result.decision, MGC_GATE_REGRESSED);
    expect_line(&gate.arms[1], "regressed: -7.");
    mgc_run_gate_destroy(&gate);
    history_fixture_destroy(&f);
}

static void test_rounds_that_do_not_confirm(void **state)
{
    struct history_fixture f;
    struct mgc_run_gate gate;
    make(&f, 10, 2 * REGULAR);
    set_arm(&f, 1, 1, 1.08);
    set_arm(&f, 1, REGULAR + 1, 1 / 1.08);
    judge(&f, &gate);
    assert_int_equal(gate.arms[1].result.decision, MGC_GATE_NOT_CONFIRMED);
    assert_false(mgc_run_gate_failed(&gate));
    mgc_run_gate_destroy(&gate);
    history_fixture_destroy(&f);
}

/* The answer of a run that is over is the one it gave itself; confirming cells are no night's. */
static void test_the_history_says_the_same(void **state)
{
    struct history_fixture f;
    struct mgc_run_gate now, later;
    struct mgc_nights nights;
    struct mgc_buf text = {0};
    struct mgc_error err = {0};
    make(&f, 10, 2 * REGULAR);
    set_arm(&f, 1, 1, 1.08);
    judge(&f, &now);
    history_add(path, &f, MGC_ORIGIN_RUN, true);
    struct mgc_history *history = mgc_history_open(path, MGC_HISTORY_READ, &err);
    assert_non_null(history);
    assert_true(mgc_run_gate_of(history, f.run_id, &later, &err));
    assert_memory_equal(&now.arms[1].result, &later.arms[1].result, sizeof(now.arms[1].result));
    assert_true(mgc_nights_load(history, &(struct mgc_history_filter){.last = 3}, &nights, &err));
    assert_true(mgc_nights_judge(history, &nights, &err));
    assert_int_equal(nights.gate_count, 1);
    assert_int_equal(nights.arms[1].nights[2].numbers.cells, REGULAR);
    mgc_nights_print(&nights, &text);
    assert_non_null(strstr(mgc_buf_text(&text), "gate, the last against those before: regressed"));
    json_t *doc = mgc_nights_to_json(&nights);
    json_t *gate = json_object_get(json_array_get(json_object_get(doc, "arms"), 1), "gate");
    assert_string_equal(json_string_value(json_object_get(gate, "decision")), "regressed");
    assert_int_equal(json_integer_value(json_object_get(gate, "nights")), NIGHTS);
    json_decref(doc);
    mgc_buf_destroy(&text);
    mgc_nights_destroy(&nights);
    mgc_run_gate_destroy(&now);
    mgc_run_gate_destroy(&later);
    mgc_history_close(history);
    history_fixture_destroy(&f);
}

/* Nights with other settings are none of tonight's; it says how many, and which fact. */
static void test_other_settings_are_no_baseline(void **state)
{
    struct history_fixture f;
    struct mgc_run_gate gate;
    make(&f, 12, REGULAR);
    history_fixture_setting(&f, "lanes.matrix.extra_env", "A=1");
    judge(&f, &gate);
    assert_int_equal(gate.arms[0].result.decision, MGC_GATE_NO_BASELINE);
    assert_int_equal(gate.arms[0].left_out, NIGHTS);
    expect_line(&gate.arms[0], "no baseline (0 of 5 nights); 8 more are not like this one: "
                               "extra_env differs: none and A=1");
    gate.arms[0].left_out = 1;
    expect_line(&gate.arms[0], "no baseline (0 of 5 nights); 1 more is not like this one: "
                               "extra_env differs: none and A=1");
    mgc_run_gate_destroy(&gate);
    history_fixture_destroy(&f);
}

static void test_another_device_or_none(void **state)
{
    static const char *const fingerprints[] = {"maker/phone:17", NULL};
    for (int i = 0; i < 2; i++) {
        struct history_fixture f;
        struct mgc_run_gate gate;
        make(&f, 12, REGULAR);
        mgc_fields_set_str(&f.results.device, "fingerprint", fingerprints[i]);
        judge(&f, &gate);
        assert_int_equal(gate.arms[0].result.decision, MGC_GATE_NO_BASELINE);
        expect_line(&gate.arms[0], "no baseline (0 of 5 nights)");
        mgc_run_gate_destroy(&gate);
        history_fixture_destroy(&f);
    }
}

static void test_no_history_is_no_error(void **state)
{
    struct history_fixture f;
    struct mgc_run_gate gate;
    struct mgc_error err = {0};
    make(&f, 10, REGULAR);
    assert_true(mgc_run_gate_now("/nonexistent", &f.results, &gate, &err));
    assert_int_equal(gate.arms[0].result.decision, MGC_GATE_NO_BASELINE);
    mgc_run_gate_destroy(&gate);
    history_do(path, "PRAGMA user_version = 99");
    assert_false(mgc_run_gate_now(dir, &f.results, &gate, &err));
    assert_int_equal(err.code, MGC_E_VERSION);
    history_fixture_destroy(&f);
}

static void test_forms(void **state)
{
    struct history_fixture f;
    struct mgc_run_gate gate;
    struct mgc_buf text = {0};
    make(&f, 10, 2 * REGULAR);
    set_arm(&f, 1, 1, 1 / 1.08);
    judge(&f, &gate);
    mgc_run_gate_print(&gate, false, &text);
    assert_non_null(strstr(mgc_buf_text(&text), "gate: 1 improved, 1 no conclusion\n"));
    assert_non_null(strstr(mgc_buf_text(&text), "  openra shm DirectGLES  improved: +8."));
    assert_null(strstr(mgc_buf_text(&text), "openra monolith"));
    mgc_buf_destroy(&text);
    mgc_run_gate_print(&gate, true, &text);
    assert_non_null(strstr(mgc_buf_text(&text), "openra monolith"));
    mgc_buf_destroy(&text);
    json_t *doc = mgc_run_gate_to_json(&gate);
    json_t *row = json_array_get(json_object_get(doc, "arms"), 1);
    assert_true(json_is_false(json_object_get(doc, "failed")));
    assert_string_equal(json_string_value(json_object_get(row, "arm")), "shm");
    assert_true(json_real_value(json_object_get(row, "fps_ratio")) > 1.07);
    json_decref(doc);
    mgc_run_gate_destroy(&gate);
    history_fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_flag_confirm_decide, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rounds_that_do_not_confirm, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_history_says_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_settings_are_no_baseline, setup, teardown),
        cmocka_unit_test_setup_teardown(test_another_device_or_none, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_history_is_no_error, setup, teardown),
        cmocka_unit_test_setup_teardown(test_forms, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
