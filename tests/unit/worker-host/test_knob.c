#include "worker-host/tasks/knob.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/check.h"
#include "worker-host/tasks/held.h"

static struct mgc_knob knob_of(const char *line)
{
    struct mgc_knob knob;
    struct mgc_error err = {0};
    if (!mgc_knob_parse(line, &knob, &err))
        fail_msg("%s", err.text);
    return knob;
}

static void test_every_kind_is_parsed(void **state)
{
    struct mgc_knobs knobs;
    assert_true(mgc_knobs_parse("setting global stay_on_while_plugged_in 7\n"
                                "stay-on usb\n\n"
                                "  doze-exempt top.mobilegl.plugin.trace\r\n"
                                "log-buffer 16M\n"
                                "sysfs /sys/devices/system/cpu/cpufreq/policy0/scaling_governor "
                                "performance\n"
                                "service-stop vendor.perf-hal-1-0",
        &knobs, NULL));
    assert_int_equal(knobs.count, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(knobs.items[i].kind, i);
    assert_string_equal(knobs.items[0].args[2], "7");
    assert_string_equal(knobs.items[2].args[0], "top.mobilegl.plugin.trace");
    assert_string_equal(knobs.items[4].args[1], "performance");
    assert_string_equal(knobs.items[5].line, "service-stop vendor.perf-hal-1-0");
    assert_true(mgc_knobs_parse("", &knobs, NULL));
    assert_int_equal(knobs.count, 0);
}

static void test_last_argument_may_have_blanks(void **state)
{
    struct mgc_knob knob = knob_of("sysfs /sys/a  0:1 4:2 ");
    assert_string_equal(knob.args[0], "/sys/a");
    assert_string_equal(knob.args[1], "0:1 4:2");
}

static void test_others_are_refused(void **state)
{
    static const char *const bad[] = {"settings global a 1", "setting", "setting global a",
        "setting globals a 1", "setting global a;b 1", "setting global a null",
        "setting global -a 1", "setting global a -1x", "stay-on", "stay-on always", "doze-exempt",
        "doze-exempt nodots", "doze-exempt a.b c", "log-buffer 16", "log-buffer 16X",
        "log-buffer 16MB", "log-buffer M", "log-buffer 9999999999M", "sysfs /sys/a",
        "sysfs /data/a 1", "sysfs sys/a 1", "sysfs /sys/../data/a 1", "sysfs /sys/a \x01",
        "service-stop", "service-stop a b", "service-stop $(x)"};
    struct mgc_knobs knobs;
    struct mgc_error err = {0};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (mgc_knobs_parse(bad[i], &knobs, &err))
            fail_msg("accepted: %s", bad[i]);
        assert_int_equal(err.code, MGC_E_USAGE);
        assert_non_null(strstr(err.text, "expected"));
    }
}

static void test_caps(void **state)
{
    char text[40 * 16 + 1] = "", line[600];
    struct mgc_knobs knobs;
    for (int i = 0; i < MGC_KNOBS_MAX; i++)
        strcat(text, "stay-on usb\n");
    assert_true(mgc_knobs_parse(text, &knobs, NULL));
    strcat(text, "stay-on usb\n");
    assert_false(mgc_knobs_parse(text, &knobs, NULL));
    memset(line, 'a', sizeof(line) - 1);
    line[sizeof(line) - 1] = '\0';
    memcpy(line, "sysfs /sys/", 11);
    assert_false(mgc_knobs_parse(line, &knobs, NULL));
}

static void check_script(
    const char *line, enum mgc_knob_verb verb, const char *before, const char *const *parts)
{
    struct mgc_buf out = {0};
    struct mgc_knob knob = knob_of(line);
    assert_true(mgc_knob_script(&out, &knob, verb, before));
    for (; *parts; parts++)
        if (!strstr(mgc_buf_text(&out), *parts))
            fail_msg("no %s in %s", *parts, mgc_buf_text(&out));
    mgc_buf_destroy(&out);
}

static void test_scripts(void **state)
{
    check_script("setting global a it's", MGC_KNOB_APPLY, NULL,
        (const char *const[]){"settings put", "'global' 'a' 'it'\\''s'", NULL});
    check_script("setting global a 1", MGC_KNOB_RESTORE, "null",
        (const char *const[]){"settings delete", "'global' 'a' '1' 'null'", NULL});
    /* Quoted twice: by the shell of adb, then by the one of su. */
    check_script("sysfs /sys/a 1", MGC_KNOB_APPLY, NULL,
        (const char *const[]){
            "su -c '", "'\\''/sys/a'\\'' '\\''1'\\''", "su 0 'sh' '-c' ", "exit 97", NULL});
}

static void check_value(const char *line, const char *output, const char *expected)
{
    char value[MGC_KNOB_VALUE_MAX];
    struct mgc_error err = {0};
    struct mgc_knob knob = knob_of(line);
    bool ok = mgc_knob_value(&knob, output, value, &err);
    if (!expected) {
        assert_false(ok);
        assert_int_equal(err.code, MGC_E_PROTOCOL);
        return;
    }
    if (!ok)
        fail_msg("%s", err.text);
    assert_string_equal(value, expected);
}

static void test_values(void **state)
{
    check_value("sysfs /sys/a 1", " 7 8\n", "7 8");
    check_value("sysfs /sys/a 1", "", NULL);
    check_value("sysfs /sys/a 1", "1\n2\n", NULL);
    check_value("log-buffer 1M",
        "main: ring buffer is 256 KiB (1 KiB consumed), max entry is 5120 B\n"
        "system: ring buffer is 1 MiB (0 B consumed)\n",
        "main=262144 system=1048576");
    check_value("log-buffer 1M", "main: ring buffer is 256Kb (20Kb consumed)\r\n", "main=262144");
    check_value("log-buffer 1M", "main: ring buffer is 65536 B (20Kb consumed)\n", "main=65536");
    check_value("log-buffer 1M", "main: ring buffer is big\n", NULL);
    check_value("log-buffer 1M", "main: ring buffer is 5555555555555555555555 KiB (", NULL);
    check_value("log-buffer 1M", "logcat: no\n", NULL);
    check_value("log-buffer 1M", "", NULL);
}

static bool holds(const char *line, const char *value)
{
    struct mgc_knob knob = knob_of(line);
    return mgc_knob_holds(&knob, value);
}

static void test_holds(void **state)
{
    assert_true(holds("setting global a 1", "1"));
    assert_false(holds("setting global a 1", "null"));
    assert_true(holds("stay-on usb", "2"));
    assert_false(holds("stay-on usb", "3"));
    assert_true(holds("stay-on true", "7") && holds("stay-on true", "15"));
    assert_false(holds("stay-on true", "0"));
    assert_true(holds("doze-exempt a.b", "exempt"));
    assert_false(holds("doze-exempt a.b", "not-exempt"));
    assert_true(holds("log-buffer 256K", "main=262144 system=262144"));
    assert_false(holds("log-buffer 256K", "main=262144 system=65536"));
    assert_false(holds("log-buffer 256K", "main=2621440"));
    assert_true(holds("clear-clamps", "none"));
    assert_true(holds("clear-clamps", "0:4294967295 4:4294967295 / 0:0 4:0"));
    assert_false(holds("clear-clamps", "0:4294967295 4:1286400 / 0:0 4:0"));
    assert_false(holds("clear-clamps", "0:4294967295 4:4294967295 / 0:0 4:300000"));
    assert_false(holds("clear-clamps", "0:4294967295"));
    assert_false(mgc_knob_parse("clear-clamps 5", &(struct mgc_knob){0}, NULL));
    assert_true(holds("service-stop a", "stopped"));
    assert_false(holds("service-stop a", "stopping"));
}

static void test_lost_among_held(void **state)
{
    static const char lines[] = "setting global a 1\nlog-buffer 256K\nsysfs /sys/a 5\n"
                                "service-stop b\nsysfs /sys/c 6\n";
    /* A later mark ends a value; what looks like one within a value is none. */
    static const char report[] = "mgc:knob 1\n2\nmgc:knob 2\nmain: ring buffer is 256 KiB\n"
                                 "system: ring buffer is 256 KiB\nmgc:knob 3\n5 mgc:knob 4\n"
                                 "mgc:knob 4\nstopped\nmgc:knob 5\nmgc:end\n";
    struct mgc_knobs knobs;
    struct mgc_buf lost = {0}, script = {0};
    assert_true(mgc_knobs_parse(lines, &knobs, NULL));
    assert_true(mgc_knobs_lost(&knobs, report, &lost));
    assert_string_equal(mgc_buf_text(&lost), "setting global a 1; sysfs /sys/a 5; sysfs /sys/c 6");
    mgc_buf_clear(&lost);
    knobs.count = 2;
    assert_true(mgc_knobs_lost(
        &knobs, "mgc:knob 1\n1\nmgc:knob 2\nmain: ring buffer is 256 KiB\nmgc:end\n", &lost));
    assert_int_equal(lost.len, 0);
    knobs.count = 5;
    assert_true(mgc_knobs_read_script(&script, &knobs));
    const char *su = strstr(mgc_buf_text(&script), "then su -c ");
    assert_non_null(su);
    assert_null(strstr(su + 5, "then su -c ")); /* once for all that need it */
    mgc_buf_destroy(&script);
    mgc_buf_destroy(&lost);
}

static void test_the_list_of_held(void **state)
{
    struct mgc_host_held *held = mgc_host_held_new(NULL);
    static struct mgc_knobs knobs;
    int a, b;
    bool any = true;
    assert_true(mgc_host_held_get(held, "s1", &knobs, &any, NULL) && !any);
    assert_true(mgc_host_held_put(held, &a, "s1", "stay-on usb", NULL));
    assert_true(mgc_host_held_put(held, &b, "s2", "", NULL));
    assert_true(mgc_host_held_get(held, "s1", &knobs, &any, NULL) && any);
    assert_int_equal(knobs.count, 1);
    assert_string_equal(knobs.items[0].line, "stay-on usb");
    assert_true(mgc_host_held_get(held, "s2", &knobs, &any, NULL) && any);
    assert_int_equal(knobs.count, 0);
    mgc_host_held_drop(held, &a);
    mgc_host_held_drop(held, &a);
    assert_true(mgc_host_held_get(held, "s1", &knobs, &any, NULL) && !any);
    for (size_t i = 0; i < MGC_HOST_HELD_MAX - 1; i++)
        assert_true(mgc_host_held_put(held, &a, "s1", "", NULL));
    assert_false(mgc_host_held_put(held, &a, "s1", "", NULL));
    assert_true(mgc_host_held_get(NULL, "s1", &knobs, &any, NULL) && !any);
    mgc_host_held_free(held);
}

static void test_exit_codes(void **state)
{
    struct mgc_error err = {0};
    struct mgc_knob knob = knob_of("sysfs /sys/a 1");
    assert_false(mgc_knob_exit_error(
        &knob, MGC_KNOB_EXIT_READ, "cat: /sys/a: No such file or directory", &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "sysfs /sys/a 1"));
    assert_false(mgc_knob_exit_error(&knob, MGC_KNOB_EXIT_READ, "Permission denied", &err));
    assert_int_equal(err.code, MGC_E_DENIED);
    assert_false(mgc_knob_lacks_root(&err));
    assert_false(mgc_knob_exit_error(&knob, MGC_KNOB_EXIT_ROOT, "su: not found", &err));
    assert_int_equal(err.code, MGC_E_DENIED);
    assert_non_null(strstr(err.text, "root"));
    assert_true(mgc_knob_lacks_root(&err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_kind_is_parsed),
        cmocka_unit_test(test_last_argument_may_have_blanks),
        cmocka_unit_test(test_others_are_refused), cmocka_unit_test(test_caps),
        cmocka_unit_test(test_scripts), cmocka_unit_test(test_values), cmocka_unit_test(test_holds),
        cmocka_unit_test(test_lost_among_held), cmocka_unit_test(test_the_list_of_held),
        cmocka_unit_test(test_exit_codes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
