/* Real routes, in a network namespace of the test's own:
 *
 *   w0 192.168.31.20/24  - default via 192.168.31.2 (the "proxy"), gateway 192.168.31.1
 *   x0 10.7.0.1/24       - another network
 */
#include "worker-wsl/route/route.h"

#include <linux/rtnetlink.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/check.h"
#include "tests/lib/namespace.h"

#define PHONE   "192.168.21.181"
#define GATEWAY "192.168.31.1"

static int ip(const char *args)
{
    char line[256];
    snprintf(line, sizeof(line), "ip %s", args);
    return system(line);
}

static void setup_ip(const char *args)
{
    if (ip(args) != 0)
        fail_msg("ip %s", args);
}

static struct mgc_route_state get(void)
{
    struct mgc_route_state state;
    struct mgc_error err = {0};
    if (!mgc_route_get(PHONE, &state, &err))
        fail_msg("%s", err.text);
    return state;
}

static void replace(void)
{
    struct mgc_error err = {0};
    if (!mgc_route_replace(PHONE, GATEWAY, "w0", NULL, &err))
        fail_msg("%s", err.text);
}

static void restore(const struct mgc_route_state *before)
{
    struct mgc_error err = {0};
    if (!mgc_route_restore(before, &err))
        fail_msg("%s", err.text);
}

static int clean(void **state)
{
    return ip("route flush exact " PHONE "/32");
}

static void test_get_without_a_host_route(void **state)
{
    struct mgc_route_state got = get();
    assert_string_equal(got.address, PHONE);
    assert_false(got.exact.present);
    assert_true(got.effective.present);
    assert_string_equal(got.effective.gateway, "192.168.31.2");
    assert_string_equal(got.effective.ifname, "w0");
    assert_string_equal(got.effective.source, "192.168.31.20");
}

static void test_get_without_any_route(void **state)
{
    setup_ip("route del default");
    struct mgc_route_state got = get();
    assert_false(got.exact.present);
    assert_false(got.effective.present);
    setup_ip("route add default via 192.168.31.2");
}

static void test_get_on_the_link(void **state)
{
    struct mgc_route_state got;
    assert_true(mgc_route_get("10.7.0.9", &got, NULL));
    assert_false(got.exact.present);
    assert_string_equal(got.effective.gateway, "");
    assert_string_equal(got.effective.ifname, "x0");
    assert_string_equal(got.effective.source, "10.7.0.1");
}

static void test_replace_and_delete(void **state)
{
    struct mgc_route_state got;
    struct mgc_error err = {0};
    if (!mgc_route_replace(PHONE, GATEWAY, "w0", &got, &err))
        fail_msg("%s", err.text);
    assert_true(got.exact.present);
    assert_string_equal(got.exact.gateway, GATEWAY);
    assert_string_equal(got.exact.ifname, "w0");
    assert_int_equal(got.exact.metric, 0);
    assert_int_equal(got.exact.protocol, MGC_ROUTE_PROTOCOL);
    assert_string_equal(got.effective.gateway, GATEWAY);
    assert_string_equal(got.effective.source, "192.168.31.20");
    assert_true(mgc_route_replace(PHONE, GATEWAY, NULL, &got, NULL)); /* again, interface found */
    assert_string_equal(got.exact.ifname, "w0");

    assert_true(mgc_route_delete(PHONE, NULL));
    assert_false(get().exact.present);
    assert_string_equal(get().effective.gateway, "192.168.31.2");
    assert_true(mgc_route_delete(PHONE, NULL)); /* absent is success */
}

static void test_delete_leaves_what_is_not_ours(void **state)
{
    setup_ip("route add " PHONE "/32 via 192.168.31.9");
    assert_true(mgc_route_delete(PHONE, NULL));
    assert_string_equal(get().exact.gateway, "192.168.31.9");
}

/* Each row is what the user had; it must be there again, to the last attribute. */
static void test_restore_brings_back_what_was(void **state)
{
    static const char *const rows[] = {
        NULL,
        "route add " PHONE "/32 via 192.168.31.9",
        "route add " PHONE "/32 via 192.168.31.9 metric 50",
        "route add " PHONE
        "/32 via 192.168.31.9 proto static src 192.168.31.20 mtu 1400 advmss 1300",
        "route add " PHONE "/32 dev x0 scope link",
        "route add " PHONE "/32 via 10.99.99.99 dev x0 onlink",
        "route add blackhole " PHONE "/32",
        "route add unreachable " PHONE "/32 metric 7",
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i])
            setup_ip(rows[i]);
        struct mgc_route_state before = get();
        assert_int_equal(before.exact.present, rows[i] != NULL);
        replace();
        /* Through the journal's form, as after a crash. */
        struct mgc_fields fields = {0};
        struct mgc_route_state read;
        struct mgc_error err = {0};
        assert_true(mgc_route_to_fields(&before, &fields));
        if (!mgc_route_from_fields(&fields, &read, &err))
            fail_msg("%s", err.text);
        mgc_fields_destroy(&fields);
        restore(&read);
        restore(&read); /* an undo may run again */
        struct mgc_route_state after = get();
        if (memcmp(&after, &before, sizeof(after)) != 0) {
            char a[160], b[160];
            fail_msg("row %zu: %s instead of %s", i, mgc_route_text(&after, a, sizeof(a)),
                mgc_route_text(&before, b, sizeof(b)));
        }
        clean(NULL);
    }
}

static void test_restore_when_ours_is_gone_already(void **state)
{
    setup_ip("route add " PHONE "/32 via 192.168.31.9");
    struct mgc_route_state before = get();
    replace();
    clean(NULL);
    restore(&before);
    assert_string_equal(get().exact.gateway, "192.168.31.9");
}

static void test_restore_to_absent_leaves_a_strangers_route(void **state)
{
    struct mgc_route_state before = get();
    setup_ip("route add " PHONE "/32 via 192.168.31.9");
    restore(&before);
    assert_string_equal(get().exact.gateway, "192.168.31.9");
}

static void test_get_refuses_what_cannot_be_restored(void **state)
{
    setup_ip("route add " PHONE "/32 nexthop via 192.168.31.9 nexthop via 192.168.31.8");
    struct mgc_route_state got;
    struct mgc_error err = {0};
    assert_false(mgc_route_get(PHONE, &got, &err));
    assert_int_equal(err.code, MGC_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, PHONE));
}

static void test_a_rule_that_wins_is_noticed(void **state)
{
    setup_ip("route add default via 192.168.31.2 table 99");
    setup_ip("rule add to " PHONE " lookup 99 pref 100");
    struct mgc_error err = {0};
    bool ok = mgc_route_replace(PHONE, GATEWAY, "w0", NULL, &err);
    ip("rule del pref 100");
    ip("route flush table 99");
    assert_false(ok);
    assert_int_equal(err.code, MGC_E_FAILED);
    assert_non_null(strstr(err.text, "192.168.31.2"));
    assert_non_null(strstr(err.text, "ip rule"));
}

static void test_errors_name_address_gateway_and_interface(void **state)
{
    static const struct {
        const char *address, *gateway, *ifname;
        enum mgc_code code;
        const char *says;
    } rows[] = {
        {"fe80::1", GATEWAY, "w0", MGC_E_USAGE, "IPv6"},
        {"phone", GATEWAY, "w0", MGC_E_USAGE, "'phone'"},
        {PHONE, "192.168.31", "w0", MGC_E_USAGE, "gateway '192.168.31'"},
        {PHONE, GATEWAY, "nope0", MGC_E_NOT_FOUND, "'nope0'"},
        {PHONE, GATEWAY, "a-name-that-is-too-long", MGC_E_USAGE, "too long"},
        {PHONE, "172.16.9.9", "w0", MGC_E_UNREACHABLE, "via 172.16.9.9 dev w0"},
        {PHONE, GATEWAY, "x0", MGC_E_UNREACHABLE, "dev x0"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mgc_error err = {0};
        assert_false(
            mgc_route_replace(rows[i].address, rows[i].gateway, rows[i].ifname, NULL, &err));
        if (err.code != rows[i].code || !strstr(err.text, rows[i].says))
            fail_msg("row %zu: %s: %s", i, mgc_code_name(err.code), err.text);
        assert_false(get().exact.present);
    }
}

/* A child that gives up its rights over the namespace by entering a new user namespace. */
static void test_without_the_right_to_change(void **state)
{
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct mgc_error err = {0};
        if (unshare(CLONE_NEWUSER) != 0)
            _exit(CHECK_SKIP);
        bool ok = mgc_route_replace(PHONE, GATEWAY, "w0", NULL, &err);
        _exit(!ok && err.code == MGC_E_DENIED && strstr(err.text, "CAP_NET_ADMIN") &&
                      strstr(err.text, GATEWAY)
                  ? 0
                  : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CHECK_SKIP)
        skip();
    assert_int_equal(status, 0);
}

static void test_fields_are_checked(void **state)
{
    setup_ip("route add " PHONE "/32 via 192.168.31.9 mtu 1400");
    struct mgc_route_state got = get();
    static const char *const needed[] = {"route_address", "route_present", "route_gateway",
        "route_ifname", "route_source", "route_metric", "route_protocol", "route_type",
        "route_scope", "route_onlink"};
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        struct mgc_fields fields = {0};
        struct mgc_error err = {0};
        assert_true(mgc_route_to_fields(&got, &fields));
        mgc_fields_remove(&fields, needed[i]);
        assert_false(mgc_route_from_fields(&fields, &got, &err));
        assert_int_equal(err.code, MGC_E_PROTOCOL);
        assert_non_null(strstr(err.text, needed[i]));
        mgc_fields_destroy(&fields);
    }
    static const struct {
        const char *name, *text;
        int64_t number;
    } bad[] = {
        {"route_address", "", 0},
        {"route_address", "1.2.3.4.5", 0},
        {"route_gateway", "::1", 0},
        {"route_ifname", "sixteencharslong", 0},
        {"route_ifname", "../x", 0},
        {"route_metric", NULL, -1},
        {"route_metric", NULL, INT64_C(4294967296)},
        {"route_protocol", NULL, 256},
        {"route_attr_2", NULL, -5},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct mgc_fields fields = {0};
        struct mgc_error err = {0};
        assert_true(mgc_route_to_fields(&got, &fields));
        assert_true(bad[i].text ? mgc_fields_set_str(&fields, bad[i].name, bad[i].text)
                                : mgc_fields_set_int(&fields, bad[i].name, bad[i].number));
        assert_false(mgc_route_from_fields(&fields, &got, &err));
        assert_non_null(strstr(err.text, bad[i].name));
        mgc_fields_destroy(&fields);
    }
}

static void test_text(void **state)
{
    char text[160];
    struct mgc_route_state got = {.address = "10.0.0.1"};
    assert_string_equal(mgc_route_text(&got, text, sizeof(text)), "10.0.0.1/32 absent");
    got.exact = (struct mgc_route_entry){
        .present = true, .gateway = "10.0.0.2", .ifname = "eth0", .metric = 5, .protocol = 77};
    assert_string_equal(mgc_route_text(&got, text, sizeof(text)),
        "10.0.0.1/32 via 10.0.0.2 dev eth0 metric 5 proto 77");
}

static int build(void **state)
{
    static const char *const steps[] = {"link set lo up", "link add w0 type veth peer name w1",
        "link add x0 type veth peer name x1", "addr add 192.168.31.20/24 dev w0",
        "addr add 10.7.0.1/24 dev x0", "link set w0 up", "link set w1 up", "link set x0 up",
        "link set x1 up", "route add default via 192.168.31.2"};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (ip(steps[i]) != 0)
            return -1;
    }
    return 0;
}

int main(void)
{
    if (!namespace_enter())
        return CHECK_SKIP;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_get_without_a_host_route),
        cmocka_unit_test(test_get_without_any_route),
        cmocka_unit_test(test_get_on_the_link),
        cmocka_unit_test_teardown(test_replace_and_delete, clean),
        cmocka_unit_test_teardown(test_delete_leaves_what_is_not_ours, clean),
        cmocka_unit_test_teardown(test_restore_brings_back_what_was, clean),
        cmocka_unit_test_teardown(test_restore_when_ours_is_gone_already, clean),
        cmocka_unit_test_teardown(test_restore_to_absent_leaves_a_strangers_route, clean),
        cmocka_unit_test_teardown(test_get_refuses_what_cannot_be_restored, clean),
        cmocka_unit_test_teardown(test_a_rule_that_wins_is_noticed, clean),
        cmocka_unit_test_teardown(test_errors_name_address_gateway_and_interface, clean),
        cmocka_unit_test_teardown(test_without_the_right_to_change, clean),
        cmocka_unit_test_teardown(test_fields_are_checked, clean),
        cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, build, NULL);
}
