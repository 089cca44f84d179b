#include "tests/lib/check.h"

#include <string.h>

#include "coordinator/plan/value.h"

#define CHECK(fn, accepted, refused)                                                               \
    do {                                                                                           \
        static const char *const yes[] = {accepted}, *const no[] = {refused};                      \
        for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)                                  \
            if (!fn(yes[i]))                                                                       \
                fail_msg(#fn " refuses '%s'", yes[i]);                                             \
        for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)                                    \
            if (fn(no[i]))                                                                         \
                fail_msg(#fn " accepts '%s'", no[i]);                                              \
    } while (0)
#define LIST(...) __VA_ARGS__

static void test_checks(void **state)
{
    (void)state;
    CHECK(mgc_check_name, LIST("a", "rd12", "a-b", "0x"),
        LIST("", "-a", "A", "a b", "a.b", "a/b", "\xc3\xa4"));
    CHECK(mgc_check_serial, LIST("2f7cbe2e", "10.99.0.2:5555", "emulator-5554", "a_b"),
        LIST("", "-s", "a b", "a;b", "a$b", "a\nb"));
    CHECK(mgc_check_package, LIST("top.mobilegl.plugin.trace", "a.b", "A1.b_2"),
        LIST("", "a", "a.", ".a", "a..b", "a.1b", "a.b;c", "a.b c", "a-b.c"));
    CHECK(mgc_check_ipv4, LIST("192.168.21.181", "0.0.0.0", "255.255.255.255"),
        LIST("", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.04", "1.2.3.4 ", "1..2.3", "a.b.c.d",
            "1.2.3.4.", "::1", "1.2.3.1111"));
    CHECK(mgc_check_interface, LIST("eth0", "wlan0", "br-lan.7", "123456789012345"),
        LIST("", ".", "..", "a/b", "a b", "eth0:1", "1234567890123456"));
    CHECK(mgc_check_endpoint,
        LIST("tcp://127.0.0.1:40700", "tcp://*:1", "tcp://host-1.lan:65535", "tcp://[::1]:80"),
        LIST("", "tcp://", "tcp://:1", "tcp://a", "tcp://a:0", "tcp://a:65536", "tcp://a:x",
            "ipc://a:1", "tcp://a b:1", "tcp://a/b:1"));
    CHECK(mgc_check_absolute, LIST("/a", "/a b/c"), LIST("", "/", "a", "~/a", "./a", "/a\nb"));
    CHECK(mgc_check_policy, LIST("/sys/devices/system/cpu/cpufreq/policy7", "/policy0"),
        LIST("", "policy7", "/sys/devices/system/cpu/cpu7/cpufreq", "/a/policy", "/a/policy7/",
            "/a/policyx", "/a/policy-1", "/a/policy 7"));
    CHECK(mgc_check_run, LIST("ssim:openra", "bench:rd12:1", "bench:a:8"),
        LIST("", "ssim", "ssim:", "ssim:A", "bench:rd12", "bench:rd12:", "bench:rd12:0",
            "bench:rd12:9", "bench::1", "bench:rd12:1:2", "other:rd12:1"));
    CHECK(mgc_check_token, LIST("0123456789abcdef", "crosshost-token-2026-09"),
        LIST("", "0123456789abcde", "0123456789abcde;", "0123456789 abcdef"));
    CHECK(mgc_check_role, LIST("host", "wsl"), LIST("", "Host", "phone"));
    CHECK(mgc_check_backend, LIST("DirectGLES", "DirectVulkan"), LIST("", "directgles"));
}

/* A name as long as may be, and one longer. */
static void test_length_of_names(void **state)
{
    (void)state;
    char name[65], run[80] = "bench:";
    memset(name, 'a', sizeof(name));
    name[63] = '\0';
    assert_true(mgc_check_name(name));
    strcat(strcat(run, name), ":1");
    assert_true(mgc_check_run(run));
    name[63] = 'a';
    name[64] = '\0';
    assert_false(mgc_check_name(name));
    strcpy(run, "bench:");
    strcat(strcat(run, name), ":1");
    assert_false(mgc_check_run(run));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_length_of_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
