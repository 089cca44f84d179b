/* What stands in the file, and what a check from outside makes of it at which time. */
#include "coordinator/night/heartbeat.h"

#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/json/json.h"
#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"

#define BEGIN  (INT64_C(1796040000) * MGC_NS_PER_S)
#define MINUTE (60 * MGC_NS_PER_S)
#define HOUR   (60 * MINUTE)
#define DAY_MS (24 * 3600 * INT64_C(1000))

static struct mgc_heartbeat make(enum mgc_heartbeat_state state, int exit_code)
{
    return (struct mgc_heartbeat){
        .state = state,
        .run_id = "20261130T120000Z-nightly-k3f9",
        .plan = "nightly",
        .dir = "/r/20261130T120000Z-nightly-k3f9",
        .index = 3,
        .cells = 20,
        .cell = "openra/tcp-r1",
        .start_wall_ns = BEGIN,
        .updated_wall_ns = BEGIN + HOUR,
        .exit_code = exit_code,
        .summary = "nightly on lab phone: 20 of 20 cells measured",
    };
}

static void assert_same(const struct mgc_heartbeat *in, const struct mgc_heartbeat *out)
{
    assert_int_equal(in->state, out->state);
    assert_string_equal(in->run_id, out->run_id);
    assert_string_equal(in->plan, out->plan);
    assert_string_equal(in->dir, out->dir);
    assert_string_equal(in->cell, out->cell);
    assert_string_equal(in->summary, out->summary);
    assert_int_equal(in->index, out->index);
    assert_int_equal(in->cells, out->cells);
    assert_int_equal(in->start_wall_ns, out->start_wall_ns);
    assert_int_equal(in->updated_wall_ns, out->updated_wall_ns);
    assert_int_equal(in->exit_code, out->exit_code);
}

static void what_was_written_is_read(void **state)
{
    const char *path = tmpdir_file("heartbeat.json");
    struct mgc_heartbeat out = make(MGC_HEARTBEAT_DONE, 3), in;
    (void)state;
    assert_true(mgc_heartbeat_write(path, &out, NULL));
    assert_true(mgc_heartbeat_read(path, &in, NULL));
    assert_same(&in, &out);
    out = make(MGC_HEARTBEAT_RUNNING, 0);
    out.cell[0] = out.summary[0] = '\0';
    assert_true(mgc_heartbeat_write(path, &out, NULL));
    assert_true(mgc_heartbeat_read(path, &in, NULL));
    assert_same(&in, &out);
}

/* Names and form that checks outside rest on: jq, find, agents. */
static void the_file_has_the_documented_keys(void **state)
{
    const char *path = tmpdir_file("keys.json");
    struct mgc_heartbeat beat = make(MGC_HEARTBEAT_RUNNING, 0);
    struct mgc_buf text = {0};
    (void)state;
    assert_true(mgc_heartbeat_write(path, &beat, NULL));
    assert_true(mgc_file_read(path, 65536, &text, NULL));
    json_t *doc = mgc_json_parse(text.data, text.len, 65536, NULL);
    assert_string_equal(json_string_value(json_object_get(doc, "state")), "running");
    assert_string_equal(
        json_string_value(json_object_get(doc, "updated_utc")), "2026-11-30T13:00:00Z");
    assert_int_equal(
        json_integer_value(json_object_get(doc, "updated_wall_s")), BEGIN / MGC_NS_PER_S + 3600);
    assert_int_equal(json_integer_value(json_object_get(doc, "cell_number")), 3);
    assert_true(json_is_null(json_object_get(doc, "exit_code")));
    json_decref(doc);
    mgc_buf_destroy(&text);
}

static void what_is_no_heartbeat_is_refused(void **state)
{
    static const char *const texts[] = {"", "{", "[]", "{}", "{\"schema\": \"other\"}",
        "{\"schema\": \"mgcoord-heartbeat-1\"}",
        "{\"schema\": \"mgcoord-heartbeat-1\", \"state\": \"asleep\"}",
        "{\"schema\": \"mgcoord-heartbeat-1\", \"state\": \"done\", \"run_id\": \"r\", \"plan\": "
        "\"p\", \"dir\": \"d\", \"cell_number\": 1, \"cells\": 1, \"start_wall_s\": 1, "
        "\"updated_wall_s\": 1, \"exit_code\": null}",
        "{\"schema\": \"mgcoord-heartbeat-1\", \"state\": \"running\", \"run_id\": \"r\", "
        "\"plan\": \"p\", \"dir\": \"d\", \"cell_number\": 1, \"cells\": 1, \"start_wall_s\": 1, "
        "\"updated_wall_s\": 9223372036854775807}"};
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct mgc_heartbeat beat;
        struct mgc_error err = {0};
        if (mgc_heartbeat_parse(texts[i], strlen(texts[i]), &beat, &err) ||
            err.code != MGC_E_PROTOCOL)
            fail_msg("taken, or refused for another reason: %s (%s)", texts[i], err.text);
    }
    struct mgc_heartbeat beat;
    struct mgc_error err = {0};
    assert_false(mgc_heartbeat_read(tmpdir_file("absent"), &beat, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
}

static const struct {
    const char *name;
    enum mgc_heartbeat_state state;
    int exit_code;
    int64_t later_ns; /* than the last sign of life */
    const char *plan;
    bool good;
    const char *part; /* of the sentence */
} judged[] = {
    {"well", MGC_HEARTBEAT_DONE, 0, HOUR, NULL, true, "ended 60 min ago with exit code 0"},
    {"at the limit", MGC_HEARTBEAT_DONE, 0, 24 * HOUR, NULL, true, "ended 24.0 h ago"},
    {"too old", MGC_HEARTBEAT_DONE, 0, 25 * HOUR, NULL, false,
        "no run for 25.0 h (24.0 h at most)"},
    {"failed", MGC_HEARTBEAT_DONE, 3, HOUR, NULL, false, "with exit code 3: nightly on lab phone"},
    {"gate", MGC_HEARTBEAT_DONE, 1, HOUR, NULL, false, "with exit code 1"},
    {"interrupted", MGC_HEARTBEAT_INTERRUPTED, 4, HOUR, NULL, false, "was interrupted 60 min ago"},
    {"on", MGC_HEARTBEAT_RUNNING, 0, 20 * MGC_NS_PER_S, NULL, true, "now at cell 3 of 20"},
    {"hangs", MGC_HEARTBEAT_RUNNING, 0, 6 * MINUTE, NULL, false,
        "no sign of life for 6 min, since cell 3 of 20: it hangs, or was killed"},
    {"the plan", MGC_HEARTBEAT_DONE, 0, HOUR, "nightly", true, "ended"},
    {"another plan", MGC_HEARTBEAT_DONE, 0, HOUR, "weekly", false,
        "of plan nightly, not of weekly"},
    {"a clock", MGC_HEARTBEAT_DONE, 0, -HOUR, NULL, false, "60 min later than now"},
    {"clocks differ a little", MGC_HEARTBEAT_DONE, 0, -2 * MINUTE, NULL, true, "ended"},
};

static void the_last_run_is_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(judged) / sizeof(judged[0]); i++) {
        struct mgc_heartbeat beat = make(judged[i].state, judged[i].exit_code);
        struct mgc_buf text = {0};
        bool good = mgc_heartbeat_judge(
            &beat, judged[i].plan, beat.updated_wall_ns + judged[i].later_ns, DAY_MS, &text);
        if (good != judged[i].good || !strstr(mgc_buf_text(&text), judged[i].part))
            fail_msg("%s: %s: %s", judged[i].name, good ? "good" : "bad", mgc_buf_text(&text));
        mgc_buf_destroy(&text);
    }
}

static void a_run_that_takes_for_ever_is_told(void **state)
{
    struct mgc_heartbeat beat = make(MGC_HEARTBEAT_RUNNING, 0);
    struct mgc_buf text = {0};
    (void)state;
    beat.updated_wall_ns = BEGIN + 30 * HOUR;
    assert_false(mgc_heartbeat_judge(&beat, NULL, beat.updated_wall_ns, DAY_MS, &text));
    assert_non_null(strstr(mgc_buf_text(&text), "has been on for 30.0 h"));
    mgc_buf_destroy(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(the_file_has_the_documented_keys),
        cmocka_unit_test(what_is_no_heartbeat_is_refused),
        cmocka_unit_test(the_last_run_is_judged),
        cmocka_unit_test(a_run_that_takes_for_ever_is_told),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
