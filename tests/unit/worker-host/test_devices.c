#include "worker-host/adb/devices.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "tests/lib/check.h"
#include "worker-host/adb/program.h"

static struct mgc_adb_devices devices;

static void parse(const char *text)
{
    struct mgc_error err = {0};
    if (!mgc_adb_devices_parse(text, &devices, &err))
        fail_msg("%s", err.text);
}

/* As adb 29.0.6 prints them: the long list in columns, the short one with a tab. */
static void test_lists(void **state)
{
    parse("10.99.0.2:5555         device product:lab model:lab_phone device:lab transport_id:3\n"
          "2f7cbe2e               unauthorized usb:1-2 transport_id:4\n"
          "HA27Q3LQ               no permissions (missing udev rules?); see "
          "[http://developer.android.com/tools/device.html] usb:1-3 transport_id:5\n");
    assert_int_equal(devices.count, 3);
    assert_string_equal(devices.items[0].serial, "10.99.0.2:5555");
    assert_string_equal(devices.items[0].model, "lab_phone");
    assert_int_equal(devices.items[0].state, MGC_ADB_ONLINE);
    assert_int_equal(devices.items[1].state, MGC_ADB_UNAUTHORIZED);
    assert_string_equal(devices.items[1].model, "");
    assert_int_equal(devices.items[2].state, MGC_ADB_NO_PERMISSION);
    assert_int_equal(mgc_adb_devices_state(&devices, "2f7cbe2e"), MGC_ADB_UNAUTHORIZED);
    assert_int_equal(mgc_adb_devices_state(&devices, "2f7cbe2"), MGC_ADB_GONE);

    parse("a\tdevice\nb\toffline\n");
    assert_int_equal(devices.count, 2);
    assert_int_equal(devices.items[1].state, MGC_ADB_OFFLINE);
    parse("");
    assert_int_equal(devices.count, 0);
}

static void test_states(void **state)
{
    static const struct {
        const char *word;
        enum mgc_adb_state want;
    } rows[] = {{"device", MGC_ADB_ONLINE}, {"offline", MGC_ADB_OFFLINE},
        {"recovery", MGC_ADB_RECOVERY}, {"rescue", MGC_ADB_RECOVERY},
        {"sideload", MGC_ADB_RECOVERY}, {"bootloader", MGC_ADB_BOOTLOADER},
        {"authorizing", MGC_ADB_CONNECTING}, {"connecting", MGC_ADB_CONNECTING},
        {"devices", MGC_ADB_OTHER}, {"host", MGC_ADB_OTHER}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char line[64];
        snprintf(line, sizeof(line), "s\t%s\n", rows[i].word);
        parse(line);
        assert_int_equal(devices.items[0].state, rows[i].want);
        assert_string_equal(devices.items[0].state_text, rows[i].word);
    }
}

static void test_bad_lists(void **state)
{
    struct mgc_error err = {0};
    assert_false(mgc_adb_devices_parse("serial-without-state\n", &devices, &err));
    assert_int_equal(err.code, MGC_E_PROTOCOL);
    assert_false(mgc_adb_devices_parse(" \n", &devices, NULL));
    struct mgc_buf many = {0};
    for (int i = 0; i < MGC_ADB_DEVICES_MAX + 1; i++)
        mgc_buf_printf(&many, "s%d\tdevice\n", i);
    assert_false(mgc_adb_devices_parse(mgc_buf_text(&many), &devices, NULL));
    mgc_buf_destroy(&many);
}

static void test_serial_is_address(void **state)
{
    assert_true(mgc_adb_serial_is_address("10.99.0.2:5555"));
    assert_true(mgc_adb_serial_is_address("phone:5555"));
    assert_false(mgc_adb_serial_is_address("2f7cbe2e"));
    assert_false(mgc_adb_serial_is_address("a:b"));
    assert_false(mgc_adb_serial_is_address(":5555"));
    assert_false(mgc_adb_serial_is_address("a:0"));
}

static void test_program_version(void **state)
{
    struct mgc_adb_program_version version;
    assert_true(mgc_adb_program_version_parse("Android Debug Bridge version 1.0.41\n"
                                              "Version 29.0.6-debian\n"
                                              "Installed as /usr/lib/adb\n",
        &version, NULL));
    assert_int_equal(version.protocol, 41);
    assert_string_equal(version.release, "29.0.6-debian");
    assert_string_equal(version.path, "/usr/lib/adb");
    assert_true(
        mgc_adb_program_version_parse("Android Debug Bridge version 1.0.32\r\n", &version, NULL));
    assert_string_equal(version.release, "");
    assert_false(mgc_adb_program_version_parse("adb: not found\n", &version, NULL));
    assert_false(mgc_adb_program_version_parse("", &version, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_bad_lists),
        cmocka_unit_test(test_serial_is_address),
        cmocka_unit_test(test_program_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
