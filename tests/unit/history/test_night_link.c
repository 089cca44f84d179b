/* The link as an input of a night. */
#include "coordinator/history/night_link.h"

#include <math.h>
#include <string.h>

#include "coordinator/history/print.h"
#include "coordinator/history/run_gate.h"
#include "tests/lib/check.h"
#include "tests/unit/history/fixture.h"

enum { NIGHTS = 8, TONIGHT = 50 };

static const struct mgc_link_look fast = {{328, 320, 2}}, slow = {{96, 95, 2}},
                                  near_fast = {{300, 310, 3.5}}, far = {{328, 320, 9.5}};

static char dir[MGC_PATH_MAX], path[MGC_PATH_MAX];

static void add(int n, double ms, const struct mgc_link_look *link)
{
    struct history_fixture f;
    history_fixture_make_across(&f, n, ms, link);
    history_add(path, &f, MGC_ORIGIN_RUN, true);
    history_fixture_destroy(&f);
}

/* Eight nights over a fast link that move by 0.3 %. */
static int setup(void **state)
{
    static const double moves[NIGHTS] = {0.02, -0.03, 0.01, -0.02, 0.03, 0, 0.01, -0.02};
    history_dir_make(dir, path);
    for (int i = 0; i < NIGHTS; i++)
        add(i, 10 + moves[i], &fast);
    return 0;
}

static int teardown(void **state)
{
    history_dir_remove(dir);
    return 0;
}

/* ---- two links ---- */

static void links_are_held_against_each_other(void **state)
{
    static const struct {
        const struct mgc_link_look *was, *is;
        enum mgc_comparable answer;
        const char *text;
    } rows[] = {
        {&fast, &near_fast, MGC_COMPARABLE_YES, ""},
        {&fast, &slow, MGC_COMPARABLE_NO,
            "the link was different: 328.0 -> 96.0 Mbit/s to the phone"},
        {&fast, &far, MGC_COMPARABLE_NO, "the link was different: round trip 2.00 -> 9.50 ms"},
        {&mgc_link_look_none, &fast, MGC_COMPARABLE_UNKNOWN,
            "the link was tested in one of the two nights only"},
        {&mgc_link_look_none, &mgc_link_look_none, MGC_COMPARABLE_YES, ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[160] = "";
        assert_int_equal(
            mgc_night_links_alike(rows[i].was, rows[i].is, text, sizeof(text)), rows[i].answer);
        assert_string_equal(text, rows[i].text);
    }
}

static void texts(void **state)
{
    struct mgc_link_look half = mgc_link_look_none;
    char text[64];
    mgc_night_link_text(&fast, text, sizeof(text));
    assert_string_equal(text, "328.0 / 320.0 / 2.00");
    half.figures[MGC_LINK_UP] = 5;
    mgc_night_link_text(&half, text, sizeof(text));
    assert_string_equal(text, "5.0 / - / -");
    mgc_night_link_text(&mgc_link_look_none, text, sizeof(text));
    assert_string_equal(text, "-");
}

/* ---- the gate ---- */

static void judge(double ms, const struct mgc_link_look *link, struct mgc_run_gate *gate)
{
    struct history_fixture f;
    struct mgc_error err = {0};
    history_fixture_make_across(&f, TONIGHT, ms, link);
    if (!mgc_run_gate_now(dir, &f.results, gate, &err))
        fail_msg("%s", err.text);
    history_fixture_destroy(&f);
    assert_int_equal(gate->count, FIXTURE_ARMS);
    assert_string_equal(gate->arms[1].key.arm, "crosshost-c1");
}

/* Three times as slow on both arms: the phone's is a change, the other's the link's doing. */
static void a_slower_link_is_no_regression(void **state)
{
    struct mgc_run_gate gate;
    struct mgc_buf text = {0};
    judge(30, &slow, &gate);
    assert_true(gate.arms[0].result.flagged);
    assert_false(gate.arms[0].other_link);
    const struct mgc_run_gate_arm *crossing = &gate.arms[1];
    assert_int_equal(crossing->result.decision, MGC_GATE_NO_BASELINE);
    assert_false(crossing->result.flagged);
    assert_true(crossing->other_link);
    assert_int_equal(crossing->left_out, NIGHTS);
    assert_int_equal(crossing->result.inputs, MGC_GATE_INPUTS_CHANGED);
    mgc_run_gate_print(&gate, false, &text);
    if (!strstr(mgc_buf_text(&text), "openra crosshost-c1 DirectGLES  no baseline (0 of 5 nights); "
                                     "8 more are not like this one: the link was different: 328.0 "
                                     "-> 96.0 Mbit/s to the phone\n"))
        fail_msg("%s", mgc_buf_text(&text));
    mgc_buf_destroy(&text);
    mgc_run_gate_destroy(&gate);
}

static void the_same_link_is_judged(void **state)
{
    struct mgc_run_gate gate;
    judge(10, &near_fast, &gate);
    for (size_t i = 0; i < FIXTURE_ARMS; i++) {
        assert_int_equal(gate.arms[i].result.nights, NIGHTS);
        assert_int_equal(gate.arms[i].left_out, 0);
        assert_int_equal(gate.arms[i].result.inputs, MGC_GATE_INPUTS_UNCHANGED);
        assert_false(gate.arms[i].result.flagged);
    }
    mgc_run_gate_destroy(&gate);
    judge(30, &near_fast, &gate);
    assert_true(gate.arms[0].result.flagged && gate.arms[1].result.flagged);
    mgc_run_gate_destroy(&gate);
}

/* Nights over the slow link are those that count, however many fast ones lie between. */
static void nights_of_its_own_link_are_a_baseline(void **state)
{
    struct mgc_run_gate gate;
    for (int i = 0; i < 6; i++)
        add(10 + i, 30 + 0.1 * (i % 3), &slow);
    add(20, 10, &fast);
    judge(30, &slow, &gate);
    assert_int_equal(gate.arms[1].result.nights, 6);
    assert_int_equal(gate.arms[1].left_out, NIGHTS + 1);
    assert_false(gate.arms[1].result.flagged);
    assert_true(gate.arms[1].other_link);
    assert_int_equal(gate.arms[1].result.inputs, MGC_GATE_INPUTS_CHANGED);
    mgc_run_gate_destroy(&gate);
}

/* ---- the table, two runs ---- */

static void nights_say_their_link(void **state)
{
    struct mgc_nights nights;
    struct mgc_buf text = {0};
    struct mgc_error err = {0};
    add(10, 30, &slow);
    struct mgc_history *history = mgc_history_open(path, MGC_HISTORY_READ, &err);
    if (!history ||
        !mgc_nights_load(history, &(struct mgc_history_filter){.last = 2}, &nights, &err))
        fail_msg("%s", err.text);
    mgc_history_close(history);
    const struct mgc_arm_history *phone = &nights.arms[0], *crossing = &nights.arms[1];
    assert_int_equal(phone->nights[1].inputs, MGC_INPUTS_UNCHANGED);
    assert_int_equal(crossing->nights[0].inputs, MGC_INPUTS_UNCHANGED);
    assert_int_equal(crossing->nights[1].inputs, MGC_INPUTS_CHANGED);
    mgc_nights_print(&nights, &text);
    assert_non_null(strstr(mgc_buf_text(&text), "96.0 / 95.0 / 2.00     mgcoord 1.2.3  changed: "
                                                "the link was different: 328.0 -> 96.0 Mbit/s"));
    json_t *doc = mgc_nights_to_json(&nights);
    json_t *arms = json_object_get(doc, "arms");
    json_t *night = json_array_get(json_object_get(json_array_get(arms, 1), "nights"), 1);
    json_t *link = json_object_get(night, "link");
    assert_true(json_real_value(json_object_get(link, "up_mbit_s")) == 96);
    assert_true(json_real_value(json_object_get(link, "link_rtt_ms")) == 2);
    night = json_array_get(json_object_get(json_array_get(arms, 0), "nights"), 1);
    assert_true(json_is_null(json_object_get(night, "link")));
    json_decref(doc);
    mgc_buf_destroy(&text);
    mgc_nights_destroy(&nights);
}

static void two_runs_over_two_links_are_not_compared(void **state)
{
    struct history_fixture f[2];
    struct mgc_history_cells cells[2];
    const struct mgc_history_filter all = {0};
    struct mgc_past past = {0};
    struct mgc_run_arm *arms;
    size_t count;
    history_fixture_make_across(&f[0], TONIGHT, 10, &fast);
    history_fixture_make_across(&f[1], TONIGHT + 1, 30, &slow);
    for (int i = 0; i < 2; i++) {
        struct mgc_history_run run;
        struct mgc_history *own = mgc_history_open(MGC_HISTORY_IN_MEMORY, MGC_HISTORY_WRITE, NULL);
        assert_true(mgc_history_record(own, &f[i].results, NULL, MGC_ORIGIN_IMPORT, NULL, NULL));
        assert_true(mgc_history_only(own, &run, NULL));
        assert_true(mgc_history_cells(own, &run, &all, &cells[i], NULL));
        mgc_history_run_destroy(&run);
        mgc_history_close(own);
    }
    assert_true(mgc_runs_compare(&cells[0], &cells[1], &past, &arms, &count, NULL));
    assert_int_equal(count, 2);
    assert_int_equal(arms[0].comparable, MGC_COMPARABLE_YES);
    assert_int_equal(arms[1].comparable, MGC_COMPARABLE_NO);
    assert_string_equal(arms[1].why, "the link was different: 328.0 -> 96.0 Mbit/s to the phone");
    free(arms);
    for (int i = 0; i < 2; i++) {
        mgc_history_cells_destroy(&cells[i]);
        history_fixture_destroy(&f[i]);
    }
}

/* ---- the file ---- */

/* A run that an older build wrote has none; its directory, read back, brings them. */
static void import_brings_the_links_of_a_run_that_stands(void **state)
{
    struct history_fixture f;
    assert_int_equal(history_ask(path, "SELECT count(*) FROM links"), NIGHTS * FIXTURE_ROUNDS);
    history_do(path, "DELETE FROM links");
    history_fixture_make_across(&f, 3, 99, &fast);
    history_add(path, &f, MGC_ORIGIN_IMPORT, false);
    history_fixture_destroy(&f);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM links WHERE up_mbit_s = 328 AND "
                                       "down_mbit_s = 320 AND rtt_ms = 2"),
        FIXTURE_ROUNDS);
    assert_int_equal(history_ask(path, "SELECT count(*) FROM metrics WHERE value > 90 AND name = "
                                       "'kept_mean_ms'"),
        0);
}

/* By its name, where the site has one. */
static void links_with_other_names_are_other_links(void **state)
{
    struct history_fixture f;
    struct mgc_run_gate gate;
    history_fixture_make_across(&f, TONIGHT, 10, &fast);
    history_fixture_setting(&f, "phone.link", "wifi-5ghz");
    assert_true(mgc_run_gate_now(dir, &f.results, &gate, NULL));
    assert_int_equal(gate.arms[0].left_out, 0);
    assert_int_equal(gate.arms[1].left_out, NIGHTS);
    assert_string_equal(gate.arms[1].why, "link differs: not named and wifi-5ghz");
    mgc_run_gate_destroy(&gate);
    history_fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_held_against_each_other),
        cmocka_unit_test(texts),
        cmocka_unit_test_setup_teardown(a_slower_link_is_no_regression, setup, teardown),
        cmocka_unit_test_setup_teardown(the_same_link_is_judged, setup, teardown),
        cmocka_unit_test_setup_teardown(nights_of_its_own_link_are_a_baseline, setup, teardown),
        cmocka_unit_test_setup_teardown(nights_say_their_link, setup, teardown),
        cmocka_unit_test_setup_teardown(two_runs_over_two_links_are_not_compared, setup, teardown),
        cmocka_unit_test_setup_teardown(
            import_brings_the_links_of_a_run_that_stands, setup, teardown),
        cmocka_unit_test_setup_teardown(links_with_other_names_are_other_links, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
