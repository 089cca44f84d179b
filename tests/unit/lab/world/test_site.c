#include "lab/world/site.h"

#include <string.h>

#include "tests/lib/check.h"

static const struct mgc_lab_fixtures fixtures = {
    .items = {{"openra", "openra.trace", "openra.png", 16}, {"rd12", "rd12.trace", "rd12.png", 31}},
    .count = 2};

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
        .layout = &layout, .fixtures = &fixtures, .client = "/c", .library = "/l"};
    assert_true(mgc_lab_site_print(&site, &out));
    assert_non_null(strstr(mgc_buf_text(&out), "results: '/it''s: #1/results'\n"));
    mgc_buf_destroy(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_file),
        cmocka_unit_test(liveness_stands_there_only_when_asked_for),
        cmocka_unit_test(odd_paths_are_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
