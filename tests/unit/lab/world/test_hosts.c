#include "lab/world/hosts.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/check.h"

static void names_are_found_again(void **state)
{
    enum mgc_lab_host found;
    for (int host = 0; host < MGC_LAB_HOST_COUNT; host++) {
        assert_true(mgc_lab_host_find(mgc_lab_host_name((enum mgc_lab_host)host), &found));
        assert_int_equal(found, host);
    }
    assert_false(mgc_lab_host_find("WSL", &found));
    assert_false(mgc_lab_host_find("", &found));
}

static bool batches_contain(enum mgc_lab_host host, int first, int last, const char *text)
{
    for (int round = first; round <= last; round++) {
        if (strstr(mgc_lab_host_batch(host, round), text) != NULL)
            return true;
    }
    return false;
}

static bool made_by_somebody(enum mgc_lab_host host, const char *link)
{
    char own[64], peer[96];
    snprintf(own, sizeof own, "link add %s ", link);
    snprintf(peer, sizeof peer, "peer name %s netns %s", link, mgc_lab_host_name(host));
    for (int maker = 0; maker < MGC_LAB_HOST_COUNT; maker++) {
        if (batches_contain((enum mgc_lab_host)maker, 0, 0, peer))
            return true;
    }
    return batches_contain(host, 0, 0, own);
}

static void every_awaited_link_is_made_and_set_up(void **state)
{
    for (int host = 0; host < MGC_LAB_HOST_COUNT; host++) {
        const char *const *links = mgc_lab_host_links((enum mgc_lab_host)host);
        assert_non_null(links[0]);
        for (; *links != NULL; links++) {
            char up[64], port_up[64];
            snprintf(up, sizeof up, "link set %s up\n", *links);
            snprintf(port_up, sizeof port_up, "link set %s master br0 up\n", *links);
            assert_true(made_by_somebody((enum mgc_lab_host)host, *links));
            assert_true(batches_contain((enum mgc_lab_host)host, 1, 1, up) ||
                        batches_contain((enum mgc_lab_host)host, 1, 1, port_up));
        }
    }
}

static void wsl_leaves_through_the_proxy_and_has_no_way_of_its_own(void **state)
{
    assert_string_equal(
        mgc_lab_host_batch(MGC_LAB_WSL, 2), "route add default via " MGC_LAB_PROXY_LAN "\n");
    assert_string_equal(
        mgc_lab_host_batch(MGC_LAB_WINHOST, 2), "route add default via " MGC_LAB_GATEWAY_LAN "\n");
}

static const char *sysctl_of(enum mgc_lab_host host, const char *path)
{
    struct mgc_lab_sysctl rows[16];
    size_t count = mgc_lab_host_sysctls(host, rows, 16);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].path, path) == 0)
            return rows[i].value;
    }
    return NULL;
}

static void only_routers_forward(void **state)
{
    assert_string_equal(sysctl_of(MGC_LAB_GW, "ipv4/ip_forward"), "1");
    assert_string_equal(sysctl_of(MGC_LAB_PROXY, "ipv4/ip_forward"), "1");
    assert_null(sysctl_of(MGC_LAB_WSL, "ipv4/ip_forward"));
    assert_null(sysctl_of(MGC_LAB_PHONE, "ipv4/ip_forward"));
    assert_string_equal(sysctl_of(MGC_LAB_PROXY, "ipv4/conf/all/send_redirects"), "0");
    assert_string_equal(sysctl_of(MGC_LAB_WSL, "ipv4/conf/default/accept_redirects"), "0");
    assert_string_equal(sysctl_of(MGC_LAB_WSL, "ipv4/tcp_no_metrics_save"), "1");
}

static void the_list_of_settings_is_bounded(void **state)
{
    struct mgc_lab_sysctl row;
    assert_int_equal(mgc_lab_host_sysctls(MGC_LAB_GW, &row, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_again),
        cmocka_unit_test(every_awaited_link_is_made_and_set_up),
        cmocka_unit_test(wsl_leaves_through_the_proxy_and_has_no_way_of_its_own),
        cmocka_unit_test(only_routers_forward),
        cmocka_unit_test(the_list_of_settings_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
