#include "lab/world/site.h"

#include <string.h>

#include "tests/lib/check.h"

static const struct mgc_lab_fixtures fixtures = {
    .items = {{"openra", "openra.trace", "openra.png", 16}, {"rd12", "rd12.trace", "rd12.png", 31}},
    .count = 2};

static const struct mgc_lab_roster one = {.phones = 1, .pairs = 1};

static const char expected[] = "# Written by mglab at every start; edit a copy.\n"
                               "site: lab\n"
                               "results: '/s/results'\n"
                               "bind: tcp://0.0.0.0:40700\n"
                               "keys: '/s/keys'\n"
                               "workers:\n"
                               "  host:\n"
                               "    role: host\n"
                               "  wsl:\n"
                               "    role: wsl\n"
                               "phone:\n"
                               "  serial: \"10.99.0.2:5555\"\n"
                               "  address: 192.168.21.181\n"
                               "  port: 40613\n"
                               "  package: top.mobilegl.plugin.trace\n"
                               "route:\n"
                               "  gateway: 192.168.31.1\n"
                               "  interface: eth0\n"
                               "replay:\n"
                               "  client: '/b/mobilegl_trace_replay'\n"
                               "  library: '/b/libMobileGL.so'\n"
                               "workloads:\n"
                               "  openra:\n"
                               "    trace: '/s/fixtures/openra.trace'\n"
                               "    golden: '/s/fixtures/openra.png'\n"
                               "    host_trace: '/s/fixtures/openra.trace'\n"
                               "    host_golden: '/s/fixtures/openra.png'\n"
                               "    frames: 16\n"
                               "  rd12:\n"
                               "    trace: '/s/fixtures/rd12.trace'\n"
                               "    golden: '/s/fixtures/rd12.png'\n"
                               "    host_trace: '/s/fixtures/rd12.trace'\n"
                               "    host_golden: '/s/fixtures/rd12.png'\n"
                               "    frames: 31\n";

static void the_whole_file(void **state)
{
    struct mgc_lab_layout layout;
    struct mgc_buf out = {0};
    assert_true(mgc_lab_layout_fill(&layout, "/s", "/b", NULL));
    const struct mgc_lab_site site = {.layout = &layout,
        .roster = &one,
        .fixtures = &fixtures,
        .client = "/b/mobilegl_trace_replay",
        .library = "/b/libMobileGL.so"};
    assert_true(mgc_lab_site_print(&site, &out));
    assert_string_equal(mgc_buf_text(&out), expected);
    mgc_buf_destroy(&out);
}

static void liveness_stands_there_only_when_asked_for(void **state)
{
    struct mgc_lab_layout layout;
    struct mgc_buf out = {0};
    assert_true(mgc_lab_layout_fill(&layout, "/s", "/b", NULL));
    const struct mgc_lab_site site = {.layout = &layout,
        .roster = &one,
        .fixtures = &fixtures,
        .client = "/c",
        .library = "/l",
        .silence_ms = 1500};
    assert_true(mgc_lab_site_print(&site, &out));
    assert_non_null(strstr(mgc_buf_text(&out), "liveness:\n  silence_ms: 1500\nphone:\n"));
    assert_null(strstr(mgc_buf_text(&out), "heartbeat_ms"));
    mgc_buf_destroy(&out);
}

static void odd_paths_are_quoted(void **state)
{
    struct mgc_lab_layout layout;
    struct mgc_buf out = {0};
    assert_true(mgc_lab_layout_fill(&layout, "/it's: #1", "/b", NULL));
    const struct mgc_lab_site site = {
        .layout = &layout, .roster = &one, .fixtures = &fixtures, .client = "/c", .library = "/l"};
    assert_true(mgc_lab_site_print(&site, &out));
    assert_non_null(strstr(mgc_buf_text(&out), "results: '/it''s: #1/results'\n"));
    mgc_buf_destroy(&out);
}

static void several_phones_have_names_ports_and_workers(void **state)
{
    static const struct mgc_lab_roster three = {.phones = 3, .pairs = 2, .loopback = true};
    struct mgc_lab_layout layout;
    struct mgc_buf out = {0};
    assert_true(mgc_lab_layout_fill(&layout, "/s", "/b", NULL));
    const struct mgc_lab_site site = {.layout = &layout,
        .roster = &three,
        .fixtures = &fixtures,
        .client = "/c",
        .library = "/l"};
    assert_true(mgc_lab_site_print(&site, &out));
    assert_non_null(strstr(mgc_buf_text(&out), "bind: tcp://127.0.0.1:20700\n"));
    assert_non_null(strstr(mgc_buf_text(&out), "  host2:\n    role: host\n"
                                               "  wsl2:\n    role: wsl\n"));
    assert_non_null(strstr(mgc_buf_text(&out), "\nphones:\n  p1:\n"));
    assert_non_null(strstr(mgc_buf_text(&out), "  p3:\n"
                                               "    serial: \"127.0.1.3:5555\"\n"
                                               "    address: 127.0.1.3\n"
                                               "    port: 21003\n"
                                               "    sink_port: 21103\n"
                                               "    package: top.mobilegl.plugin.trace\n"
                                               "    host: host1\n"
                                               "    wsl: wsl1\n"
                                               "route:\n  mode: none\n"));
    mgc_buf_destroy(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_file),
        cmocka_unit_test(liveness_stands_there_only_when_asked_for),
        cmocka_unit_test(odd_paths_are_quoted),
        cmocka_unit_test(several_phones_have_names_ports_and_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
