#include "worker-host/tasks/server_proc.h"

#include <string.h>

#include "tests/lib/check.h"
#include "worker-host/tasks/device_report.h"

static void test_start_command_quotes_everything(void **state)
{
    struct mgc_buf out = {0};
    struct mgc_server_start start = {
        .package = "a.b", .listen = "tcp://0.0.0.0:1", .token = "se'cret", .env = "A=1;B=2"};
    assert_true(mgc_server_start_command(&out, &start, false));
    assert_string_equal(mgc_buf_text(&out),
        "'am' 'start-foreground-service' '-n' 'a.b/top.mobilegl.plugin.MobileGLServerService' "
        "'--es' 'listen' 'tcp://0.0.0.0:1' '--es' 'token' 'se'\\''cret' '--es' 'env' 'A=1;B=2'");
    mgc_buf_clear(&out);
    assert_true(mgc_server_start_command(&out, &start, true));
    assert_null(strstr(mgc_buf_text(&out), "cret"));
    assert_non_null(strstr(mgc_buf_text(&out), "'token' '***'"));
    mgc_buf_destroy(&out);
}

static bool judge(int code, const char *out, const char *err_text, struct mgc_error *err)
{
    struct mgc_adb_result result = {.exit_code = code};
    mgc_buf_puts(&result.out, out);
    mgc_buf_puts(&result.err, err_text);
    bool ok = mgc_server_start_judge("phone", &result, err);
    mgc_adb_result_destroy(&result);
    return ok;
}

static void test_start_judged_by_code_and_words(void **state)
{
    struct mgc_error err = {0};
    assert_true(judge(0, "Starting service: Intent { cmp=a.b/.S (has extras) }\n", "", NULL));
    assert_false(judge(1, "Starting service", "", &err));
    assert_int_equal(err.code, MGC_E_FAILED);
    assert_false(judge(0, "Starting service\nError: Requires permission x\n", "", &err));
    assert_non_null(strstr(err.text, "Requires permission"));
    assert_null(strchr(err.text, '\n'));
    assert_false(judge(0, "", "java.lang.SecurityException: x", NULL));
    assert_false(judge(0, "Error type 3\nError: Activity class does not exist.", "", NULL));
    assert_false(judge(255, "", "Unknown option", NULL));
}

static void test_stop_read(void **state)
{
    struct mgc_error err = {0};
    int64_t uptime = 0;
    assert_true(mgc_server_stop_read("s", "a.b", 0, "mgc-uptime 123.45\n", &uptime, NULL));
    assert_int_equal(uptime, 12345);
    assert_true(mgc_server_stop_read("s", "a.b", 0, "noise\nmgc-uptime 7.05", &uptime, NULL));
    assert_int_equal(uptime, 705);
    static const char *const bad[] = {"", "mgc-uptime", "mgc-uptime x", "mgc-uptime 1.5",
        "mgc-uptime -1.00", "mgc-uptime 99999999999999999999.00"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_true(mgc_server_stop_read("s", "a.b", 0, bad[i], &uptime, NULL));
        assert_int_equal(uptime, -1);
    }
    assert_false(
        mgc_server_stop_read("s", "a.b", MGC_SERVER_EXIT_LEFT, "mgc-left 12 13\n", &uptime, &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    assert_non_null(strstr(err.text, "12 13"));
    assert_false(mgc_server_stop_read("s", "a.b", MGC_SERVER_EXIT_FULL,
        "mgc-boot 7f\nmgc-full sh: write: No space left on device\n", &uptime, &err));
    assert_int_equal(err.code, MGC_E_NO_SPACE);
    assert_non_null(strstr(err.text, "No space left"));
    assert_false(mgc_server_stop_read("s", "a.b", 127, "am: not found\n", &uptime, &err));
    assert_int_equal(err.code, MGC_E_FAILED);
    assert_null(strchr(err.text, '\n'));
}

static void test_boot_id(void **state)
{
    char id[8];
    mgc_server_boot_id("mgc-uptime 7.05\nmgc-boot 12-ab\nmgc-more\n", id, sizeof(id));
    assert_string_equal(id, "12-ab");
    mgc_server_boot_id("mgc-uptime 7.05\n", id, sizeof(id));
    assert_string_equal(id, "");
    mgc_server_boot_id("mgc-boot 0123456789\n", id, sizeof(id));
    assert_string_equal(id, "0123456");
}

static struct mgc_server_watch watch_of(const char *text, size_t step)
{
    struct mgc_server_watch watch = {0};
    for (size_t at = 0, len = strlen(text); at < len; at += step)
        mgc_server_watch_feed(&watch, text + at, step < len - at ? step : len - at);
    return watch;
}

static void test_watch(void **state)
{
    for (size_t step = 1; step < 40; step++) {
        struct mgc_server_watch watch =
            watch_of("mgc-start 263097\nmgc-alive\nmgc-alive\nmgc-gone\n", step);
        assert_true(watch.started && watch.gone);
        assert_int_equal(watch.start_ticks, 263097);
    }
    struct mgc_server_watch alive = watch_of("mgc-start 5\nmgc-alive\nmgc-gon", 7);
    assert_true(alive.started && !alive.gone);
    struct mgc_server_watch never = watch_of("mgc-gone\n", 3);
    assert_true(!never.started && never.gone);
    char flood[500];
    memset(flood, 'x', sizeof(flood) - 1);
    flood[sizeof(flood) - 1] = '\0';
    assert_false(watch_of(flood, 100).gone);
}

static void test_device_report(void **state)
{
    static const char text[] =
        "mgc:model\nlab phone\nmgc:manufacturer\nmgcoord\nmgc:android\n16\nmgc:sdk\n36\r\n"
        "mgc:fingerprint\n\nmgc:serialno\nLAB1\n"
        "mgc:conditions\nlink wifi, no faults\nmgc:boot_id\n1-2-3\n"
        "mgc:battery\nCurrent Battery Service state:\n  AC powered: false\n  USB powered: true\n"
        "  Wireless powered: false\n  level: 85\n  scale: 100\n  temperature: 300\n"
        "mgc:path\npackage:/data/app/a.b/base.apk\n"
        "mgc:package\n    userId=10123 gids=[]\n    versionName=lab\n    "
        "versionName=old\nmgc:end\n";
    struct mgc_fields facts = {0};
    int64_t number;
    assert_true(mgc_device_report_parse(text, &facts, NULL));
    assert_string_equal(mgc_fields_get_str(&facts, "model"), "lab phone");
    assert_true(mgc_fields_get_int(&facts, "sdk", &number) && number == 36);
    assert_null(mgc_fields_get(&facts, "fingerprint"));
    assert_string_equal(mgc_fields_get_str(&facts, "boot_id"), "1-2-3");
    assert_string_equal(mgc_fields_get_str(&facts, "conditions"), "link wifi, no faults");
    assert_string_equal(mgc_fields_get_str(&facts, "power_source"), "usb");
    assert_true(mgc_fields_get_int(&facts, "battery_level", &number) && number == 85);
    assert_true(mgc_fields_get_int(&facts, "battery_temp_dc", &number) && number == 300);
    assert_string_equal(mgc_fields_get_str(&facts, "package_path"), "/data/app/a.b/base.apk");
    assert_string_equal(mgc_fields_get_str(&facts, "package_version"), "lab");
    assert_true(mgc_fields_get_int(&facts, "app_uid", &number) && number == 10123);
    mgc_fields_destroy(&facts);
}

static void test_device_report_absent_is_absent(void **state)
{
    struct mgc_fields facts = {0};
    assert_true(mgc_device_report_parse("mgc:battery\ndumpsys: not found\nmgc:path\nmgc:package\n"
                                        "mgc:sdk\nunknown\nmgc:other\nx\nmgc:end\n",
        &facts, NULL));
    assert_int_equal(facts.count, 0);
    assert_true(mgc_device_report_parse(
        "mgc:battery\n AC powered: false\n USB powered: false\n", &facts, NULL));
    assert_string_equal(mgc_fields_get_str(&facts, "power_source"), "battery");
    mgc_fields_destroy(&facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_command_quotes_everything),
        cmocka_unit_test(test_start_judged_by_code_and_words),
        cmocka_unit_test(test_stop_read),
        cmocka_unit_test(test_boot_id),
        cmocka_unit_test(test_watch),
        cmocka_unit_test(test_device_report),
        cmocka_unit_test(test_device_report_absent_is_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
