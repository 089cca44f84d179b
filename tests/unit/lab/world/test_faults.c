#include "lab/world/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/plat/file.h"
#include "tests/lib/check.h"

static void a_name_alone_means_1(void **state)
{
    struct mgc_lab_fault fault;
    assert_true(mgc_lab_fault_parse("client-fatal", &fault, NULL));
    assert_string_equal(fault.name, "client-fatal");
    assert_string_equal(fault.value, "1");
}

static void a_value_is_kept_as_it_is(void **state)
{
    struct mgc_lab_fault fault;
    assert_true(mgc_lab_fault_parse("client-crash=17", &fault, NULL));
    assert_string_equal(fault.value, "17");
    assert_true(mgc_lab_fault_parse("client-crash=5,once", &fault, NULL));
    assert_string_equal(fault.value, "5,once");
    assert_true(mgc_lab_fault_parse("client-fatal=once", &fault, NULL));
    assert_string_equal(fault.value, "once");
    assert_true(mgc_lab_fault_parse("phone-latency=usb", &fault, NULL));
    assert_string_equal(fault.value, "usb");
    assert_true(mgc_lab_fault_parse("proxy-mode=drop", &fault, NULL));
    assert_string_equal(fault.value, "drop");
    assert_true(mgc_lab_fault_parse("phone-adb-drop-at=300+20,once", &fault, NULL));
    assert_string_equal(fault.value, "300+20,once");
    assert_true(mgc_lab_fault_parse("phone-node-missing=/sys/class/kgsl", &fault, NULL));
    assert_string_equal(fault.value, "/sys/class/kgsl");
}

static void bad_texts_are_refused_and_leave_the_result_alone(void **state)
{
    char long_name[200], long_value[300] = "client-crash=";
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    memset(long_value + 13, '1', sizeof long_value - 14);
    long_value[sizeof long_value - 1] = '\0';
    const char *const bad[] = {"", "=", "=1", "client-crsh", "client-crash=", "client-crash=a b",
        "client-crash=a\nb", "client-crash=\xc3\xa4", "client-crash=a=b", "client-crash=5,twice",
        "client-crash=,once", "client-fatal=2", "phone-latency", "phone-latency=usb2",
        "phone-latency=usb,once", "phone-latency=us", "../client-crash", "proxy-mode",
        "proxy-mode=forge-all", "phone-adb-drop-at=5+", "phone-adb-drop-at=5+x",
        "phone-node-missing", "phone-node-missing=/proc/1", "phone-node-missing=/sys/../data",
        long_name, long_value};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct mgc_lab_fault fault = {"", "keep", "me"};
        struct mgc_error err = {0};
        assert_false(mgc_lab_fault_parse(bad[i], &fault, &err));
        assert_int_equal(err.code, MGC_E_USAGE);
        assert_string_equal(fault.name, "keep");
    }
}

static void every_row_is_known_and_short_enough(void **state)
{
    const char *name, *help;
    size_t i = 0;
    while (mgc_lab_fault_row(i, &name, &help)) {
        assert_true(mgc_lab_fault_known(name));
        assert_true(strlen(name) < MGC_LAB_FAULT_NAME_MAX);
        assert_true(strlen(help) > 0);
        i++;
    }
    assert_true(i > 10);
    assert_false(mgc_lab_fault_known("client"));
}

static void set_list_clear(void **state)
{
    char dir[] = "/tmp/mglab-faults-XXXXXX";
    struct mgc_buf out = {0};
    assert_non_null(mkdtemp(dir));
    const struct mgc_lab_fault crash = {"", "client-crash", "17"}, busy = {"", "server-busy", "1"};
    assert_true(mgc_lab_fault_set(dir, &crash, NULL));
    assert_true(mgc_lab_fault_set(dir, &busy, NULL));
    assert_true(mgc_lab_fault_list(dir, "", &out, NULL));
    assert_string_equal(mgc_buf_text(&out), "client-crash 17\nserver-busy 1\n");
    mgc_buf_clear(&out);
    assert_true(mgc_lab_fault_clear(dir, "client-crash", NULL));
    assert_true(mgc_lab_fault_clear(dir, "client-hang", NULL)); /* was not set */
    assert_true(mgc_lab_fault_list(dir, "", &out, NULL));
    assert_string_equal(mgc_buf_text(&out), "server-busy 1\n");
    mgc_buf_clear(&out);
    assert_true(mgc_lab_fault_clear(dir, NULL, NULL));
    assert_true(mgc_lab_fault_list(dir, "", &out, NULL));
    assert_string_equal(mgc_buf_text(&out), "");
    mgc_buf_destroy(&out);
    assert_int_equal(rmdir(dir), 0);
}

static void values_of_the_worlds_own_faults_are_checked(void **state)
{
    static const char *const good[][3] = {{"link-cut", "link-cut", "forever"},
        {"link-cut=5s", "link-cut", "5s"}, {"wsl-link-down", "wsl-link-down", "forever"},
        {"worker-restart-ms=0", "worker-restart-ms", "0"},
        {"link-profile=wifi", "link-profile", "wifi"}};
    static const char *const bad[] = {"link-cut=-1s", "wsl-link-down=never",
        "worker-restart-ms=soon", "link-profile", "link-delay-ms=5001"};
    struct mgc_lab_fault fault;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(mgc_lab_fault_parse(good[i][0], &fault, NULL));
        assert_string_equal(fault.name, good[i][1]);
        assert_string_equal(fault.value, good[i][2]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(mgc_lab_fault_parse(bad[i], &fault, NULL));
}

static void a_phone_may_stand_before_the_name(void **state)
{
    struct mgc_lab_fault fault;
    assert_true(mgc_lab_fault_parse("p12.client-crash=3", &fault, NULL));
    assert_string_equal(fault.phone, "p12");
    assert_string_equal(fault.name, "client-crash");
    assert_string_equal(fault.value, "3");
    /* A dot in the value is none of a phone. */
    assert_true(mgc_lab_fault_parse("phone-node-missing=/sys/a.b", &fault, NULL));
    assert_string_equal(fault.phone, "");
    assert_string_equal(fault.value, "/sys/a.b");
    assert_false(mgc_lab_fault_parse("p1.client", &fault, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_alone_means_1),
        cmocka_unit_test(a_value_is_kept_as_it_is),
        cmocka_unit_test(bad_texts_are_refused_and_leave_the_result_alone),
        cmocka_unit_test(every_row_is_known_and_short_enough),
        cmocka_unit_test(set_list_clear),
        cmocka_unit_test(a_phone_may_stand_before_the_name),
        cmocka_unit_test(values_of_the_worlds_own_faults_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
