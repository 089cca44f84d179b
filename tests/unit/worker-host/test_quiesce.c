#include "worker-host/tasks/quiesce_report.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/check.h"
#include "worker-host/tasks/common.h"
#include "worker-host/tasks/files.h"

static const char report[] = "mgc:removed 3\n"
                             "mgc:wakefulness\n"
                             "Awake\n"
                             "mgc:free 1000 4096\n"
                             "mgc:battery\n"
                             "Current Battery Service state:\n"
                             "  AC powered: false\n"
                             "  USB powered: true\n"
                             "  level: 80\n"
                             "  temperature: 315\n"
                             "mgc:stay_awake\n"
                             "7\n"
                             "mgc:boot_id\n"
                             "3c1d7c0e-5a0d-4c31-9b3a-1f2e3d4c5b6a\n"
                             "mgc:app_stamp package:/data/app/~~x==/a.b-1/base.apk "
                             "package:/data/app/~~x==/a.b-1/split_config.arm64_v8a.apk "
                             "lastUpdateTime=2026-01-02 03:04:05\n"
                             "mgc:end\n";

static const char second[] = "mgc:battery\n"
                             "  USB powered: false\n"
                             "  level: 79\n"
                             "mgc:stay_awake\n"
                             "null\n"
                             "mgc:end\n";

static void test_script_quotes_and_stops_all(void **state)
{
    struct mgc_buf script = {0};
    assert_true(mgc_quiesce_script(&script, "a.b,c.d", "a.b", NULL));
    const char *text = mgc_buf_text(&script);
    assert_non_null(strstr(text, "\nset -- 'a.b' 'c.d'\n"));
    assert_non_null(strstr(text, "'run-as' 'a.b' 'sh' '-c' "));
    mgc_buf_destroy(&script);
}

static void test_report_length(void **state)
{
    char both[sizeof(report) + sizeof(second)];
    assert_int_equal(mgc_quiesce_report_length(""), 0);
    assert_int_equal(mgc_quiesce_report_length("mgc:end"), 0);
    assert_int_equal(mgc_quiesce_report_length("x mgc:end\n"), 0);
    snprintf(both, sizeof(both), "%s%s", report, second);
    assert_int_equal(mgc_quiesce_report_length(both), strlen(report));
}

static void check_int(const struct mgc_fields *facts, const char *name, int64_t expected)
{
    int64_t value = -1;
    assert_true(mgc_fields_get_int(facts, name, &value));
    assert_int_equal(value, expected);
}

static void test_report_facts(void **state)
{
    struct mgc_fields facts = {0};
    assert_true(mgc_quiesce_report_take(report, strlen(report), &facts, NULL));
    check_int(&facts, "removed", 3);
    check_int(&facts, "free_bytes", 4096000);
    check_int(&facts, "battery_temp_dc", 315);
    check_int(&facts, "battery_level", 80);
    assert_string_equal(mgc_fields_get_str(&facts, "power_source"), "usb");
    assert_string_equal(mgc_fields_get_str(&facts, "stay_awake"), "7");
    assert_string_equal(mgc_fields_get_str(&facts, "wakefulness"), "Awake");
    assert_string_equal(
        mgc_fields_get_str(&facts, "boot_id"), "3c1d7c0e-5a0d-4c31-9b3a-1f2e3d4c5b6a");
    assert_string_equal(mgc_fields_get_str(&facts, "app_stamp"),
        "package:/data/app/~~x==/a.b-1/base.apk "
        "package:/data/app/~~x==/a.b-1/split_config.arm64_v8a.apk "
        "lastUpdateTime=2026-01-02 03:04:05");
    /* The next report replaces the first; what it does not say is absent, not old. */
    assert_true(mgc_quiesce_report_take(second, strlen(second), &facts, NULL));
    check_int(&facts, "removed", 3);
    check_int(&facts, "battery_level", 79);
    assert_null(mgc_fields_get(&facts, "battery_temp_dc"));
    assert_null(mgc_fields_get(&facts, "boot_id"));
    assert_null(mgc_fields_get(&facts, "app_stamp"));
    assert_string_equal(mgc_fields_get_str(&facts, "power_source"), "battery");
    assert_string_equal(mgc_fields_get_str(&facts, "stay_awake"), "null");
    mgc_fields_destroy(&facts);
}

static void test_report_with_nonsense(void **state)
{
    static const char *const odd[] = {"", "mgc:removed x\nmgc:free 1\nmgc:free a b\nmgc:end\n",
        "mgc:free 9223372036854775807 4096\nmgc:stay_awake\nmgc:end\n",
        "mgc:boot_id\nmgc:app_stamp package:/data/app/a.b/base.apk\nmgc:app_stamp x\nmgc:end\n"};
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        struct mgc_fields facts = {0};
        assert_true(mgc_quiesce_report_take(odd[i], strlen(odd[i]), &facts, NULL));
        assert_int_equal(facts.count, 0);
        mgc_fields_destroy(&facts);
    }
}

static void test_gate(void **state)
{
    struct mgc_fields facts = {0}, none = {0};
    struct mgc_quiesce_want any = {0};
    struct mgc_quiesce_want want = {.has_temp_min = true,
        .has_temp_max = true,
        .temp_min_dc = 200,
        .temp_max_dc = 400,
        .plugged = true,
        .stay_awake = "7"};
    assert_true(mgc_quiesce_report_take(report, strlen(report), &facts, NULL));
    assert_string_equal(mgc_quiesce_gate(&any, &facts), "ok");
    assert_string_equal(mgc_quiesce_gate(&any, &none), "ok");
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "ok");
    assert_string_equal(mgc_quiesce_gate(&want, &none), "ok");
    want.refuse_unreadable = true;
    assert_string_equal(mgc_quiesce_gate(&want, &none), "unreadable");
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "ok");
    mgc_fields_set_int(&facts, "battery_temp_dc", 401);
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "hot");
    mgc_fields_set_int(&facts, "battery_temp_dc", 199);
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "cold");
    mgc_fields_set_int(&facts, "battery_temp_dc", 200);
    mgc_fields_set_str(&facts, "power_source", "battery");
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "unplugged");
    mgc_fields_set_str(&facts, "power_source", "ac");
    mgc_fields_set_str(&facts, "stay_awake", "0");
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "stay-awake-off");
    want.stay_awake = "";
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "ok");
    mgc_fields_set_str(&facts, "wakefulness", "Dozing");
    assert_string_equal(mgc_quiesce_gate(&any, &facts), "asleep");
    mgc_fields_remove(&facts, "wakefulness");
    assert_string_equal(mgc_quiesce_gate(&any, &facts), "ok");
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "unreadable");
    mgc_fields_destroy(&facts);
}

/* Found too warm, a battery has to cool further than the band begins. */
static void test_cooling(void **state)
{
    char text[160];
    struct mgc_fields facts = {0};
    struct mgc_quiesce_want want = {
        .has_temp_max = true, .temp_max_dc = 380, .has_cool_to = true, .cool_to_dc = 340};
    mgc_fields_set_int(&facts, "battery_temp_dc", 370);
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "ok");
    want.was_hot = true;
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "hot");
    mgc_quiesce_wait_text("hot", &want, &facts, text, sizeof(text));
    assert_string_equal(text, "for up to 34.0 C, battery 37.0 C");
    mgc_quiesce_gate_text("hot", &want, &facts, text, sizeof(text));
    assert_string_equal(text,
        "its battery, at 37.0 C, was above the temperature band and has not cooled to 34.0 C");
    mgc_fields_set_int(&facts, "battery_temp_dc", 340);
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "ok");
    want.has_cool_to = false;
    mgc_fields_set_int(&facts, "battery_temp_dc", 380);
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "ok");
    mgc_fields_destroy(&facts);
}

static void test_room(void **state)
{
    char text[160];
    struct mgc_fields facts = {0};
    struct mgc_quiesce_want want = {.free_min_bytes = 5000000};
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "ok");
    mgc_fields_set_str(&facts, "wakefulness", "Awake");
    want.refuse_unreadable = true;
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "unreadable");
    assert_true(mgc_quiesce_report_take(report, strlen(report), &facts, NULL));
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "full"); /* 1000 blocks of 4096 */
    mgc_quiesce_gate_text("full", &want, &facts, text, sizeof(text));
    assert_string_equal(text, "its app has 4 MB of room, of at least 5 MB");
    want.free_min_bytes = 4096000;
    assert_string_equal(mgc_quiesce_gate(&want, &facts), "ok");
    mgc_fields_destroy(&facts);
}

static void check_wait(const char *gate, const struct mgc_quiesce_want *want,
    const struct mgc_fields *facts, const char *expected)
{
    char text[96];
    mgc_quiesce_wait_text(gate, want, facts, text, sizeof(text));
    assert_string_equal(text, expected);
}

static void test_wait_text(void **state)
{
    struct mgc_fields facts = {0};
    struct mgc_quiesce_want want = {
        .has_temp_min = true, .has_temp_max = true, .temp_min_dc = 50, .temp_max_dc = 380};
    check_wait("hot", &want, &facts, "hot");
    mgc_fields_set_int(&facts, "battery_temp_dc", 480);
    check_wait("hot", &want, &facts, "for 5.0 to 38.0 C, battery 48.0 C");
    want.has_temp_min = false;
    check_wait("hot", &want, &facts, "for up to 38.0 C, battery 48.0 C");
    check_wait("unplugged", &want, &facts, "for external power, there is none");
    check_wait("asleep", &want, &facts, "for its screen, which is off");
    mgc_fields_destroy(&facts);
}

static void test_exit_codes(void **state)
{
    struct mgc_error err = {0};
    assert_false(mgc_quiesce_exit_error("s", MGC_QUIESCE_EXIT_LEFT, "mgc-left 4 5\n", &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    assert_non_null(strstr(err.text, "pid 4 5"));
    assert_false(mgc_quiesce_exit_error("s", MGC_QUIESCE_EXIT_STOP, "no", &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    assert_false(mgc_quiesce_exit_error("s", MGC_QUIESCE_EXIT_CLEAN, "rm: no", &err));
    assert_int_equal(err.code, MGC_E_DENIED);
    assert_false(mgc_quiesce_exit_error("s", 1, "sh: what", &err));
    assert_int_equal(err.code, MGC_E_FAILED);
}

static bool packages(const char *text)
{
    struct mgc_value value = {.type = MGC_VALUE_STRING, .string = (char *)text};
    return mgc_host_check_packages(&value, NULL);
}

static void test_packages(void **state)
{
    assert_true(packages("a.b"));
    assert_true(packages("a.b,c.d"));
    static const char *const bad[] = {
        "", ",", "a.b,", ",a.b", "a", "a.b;c.d", "a.b, c.d", "a.b,$x"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(packages(bad[i]));
    char many[17 * 4 + 1] = "";
    for (int i = 0; i < 17; i++)
        strcat(many, i ? ",a.b" : "a.b");
    assert_false(packages(many));
    many[16 * 4 - 1] = '\0';
    assert_true(packages(many));
}

static void test_files(void **state)
{
    struct mgc_host_files files;
    struct mgc_error err = {0};
    assert_true(mgc_host_files_parse("", &files, NULL));
    assert_int_equal(files.count, 0);
    assert_true(mgc_host_files_parse("trace-replay/output/a.json=a.json,mgl.log=b", &files, NULL));
    assert_int_equal(files.count, 2);
    assert_string_equal(files.items[0].path, "trace-replay/output/a.json");
    assert_string_equal(files.items[1].name, "b");
    static const char *const bad[] = {
        ",", "a", "a=", "=a", "../a=a", "/a=a", "a=b/c", "a=b,c=b", "a=b,", "a b=c", "a=b=c"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(mgc_host_files_parse(bad[i], &files, &err));
        assert_int_equal(err.code, MGC_E_USAGE);
    }
}

static void test_gate_text(void **state)
{
    struct mgc_quiesce_want want = {
        .has_temp_min = true, .has_temp_max = true, .temp_min_dc = 50, .temp_max_dc = 380};
    struct mgc_fields facts = {0};
    char text[160];
    (void)state;
    mgc_fields_set_int(&facts, "battery_temp_dc", 480);
    mgc_quiesce_gate_text("hot", &want, &facts, text, sizeof(text));
    assert_string_equal(
        text, "its battery, at 48.0 C, is above the temperature band (5.0 to 38.0 C)");
    want.has_temp_max = false;
    mgc_fields_set_int(&facts, "battery_temp_dc", -31);
    mgc_quiesce_gate_text("cold", &want, &facts, text, sizeof(text));
    assert_string_equal(text, "its battery, at -3.1 C, is below the temperature band (from 5.0 C)");
    mgc_quiesce_gate_text("unplugged", &want, &facts, text, sizeof(text));
    assert_string_equal(text, "it has no external power");
    mgc_fields_destroy(&facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_script_quotes_and_stops_all),
        cmocka_unit_test(test_report_length), cmocka_unit_test(test_report_facts),
        cmocka_unit_test(test_report_with_nonsense), cmocka_unit_test(test_gate),
        cmocka_unit_test(test_gate_text), cmocka_unit_test(test_cooling),
        cmocka_unit_test(test_room), cmocka_unit_test(test_wait_text),
        cmocka_unit_test(test_exit_codes), cmocka_unit_test(test_packages),
        cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
