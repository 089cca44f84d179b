/* Lines and dumps of the MGPipe counters. */
#include "tests/lib/check.h"

#include <stdio.h>
#include <string.h>

#include "common/plat/file.h"
#include "lab/replay/pipestats.h"
#include "tests/lib/tmpdir.h"

static void test_line(void **state)
{
    struct mgr_pipestats last = {.frames = 120, .draws = 1200, .buffer_bytes = 1000};
    struct mgr_pipestats now = {.frames = 240,
        .draws = 2400,
        .verbs = 2400,
        .records = 6,
        .buffer_bytes = 1120,
        .segment_bytes = 240,
        .max_record = 9,
        .ring_wraps = 3,
        .ring_pads = 2,
        .ring_waits = 1,
        .server_waits = 7,
        .server_parks = 6,
        .client_waits = 5,
        .client_parks = 4};
    char line[MGR_PIPESTATS_LINE_MAX];
    mgr_pipestats_line(&now, &last, line);
    assert_non_null(strstr(line, "MGPipe stats: frames=240 window=120 draws=1200 draws/f=10.00 "));
    assert_non_null(strstr(line, " bytes/f[buf=1.00 tex=0.00 "));
    assert_non_null(strstr(line, " csob-blob=0.00 seg=2.00] "));
    assert_non_null(strstr(line, " vbs=2400 wrec=6 wrec/f=0.05 maxrec=9 maxcap=4194304 "));
    assert_non_null(strstr(line, " ringwraps=3 ringpads=2 ringwaits=1] "));
    assert_non_null(strstr(line, " wait[srv=7 srvpark=6 cli=5 clipark=4] gates["));
    /* A split client counts no frames: nothing to divide by. */
    mgr_pipestats_line(&(struct mgr_pipestats){.draws = 5}, &(struct mgr_pipestats){0}, line);
    assert_non_null(strstr(line, "frames=0 window=0 draws=5 draws/f=n/a "));
    assert_non_null(strstr(line, " bytes[buf=n/a "));
}

/* A line of readers: those of the product keep 1 KiB. */
static void test_longest_line_fits(void **state)
{
    struct mgr_pipestats now;
    char line[MGR_PIPESTATS_LINE_MAX];
    memset(&now, 0x7f, sizeof(now));
    mgr_pipestats_line(&now, &(struct mgr_pipestats){0}, line);
    assert_non_null(strstr(line, "mdt=0/0]"));
}

static void test_bins(void **state)
{
    static const struct {
        uint64_t value;
        int bin;
    } cases[] = {{0, 0}, {1, 1}, {2, 2}, {3, 2}, {4, 3}, {1023, 10}, {1024, 11},
        {UINT64_MAX, MGR_PIPESTATS_BINS - 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t hist[MGR_PIPESTATS_BINS] = {0};
        mgr_pipestats_bin(hist, cases[i].value);
        assert_int_equal(hist[cases[i].bin], 1);
    }
}

static void test_paths(void **state)
{
    static const struct {
        const char *base, *path;
    } cases[] = {{"/o/pipestats.json", "/o/pipestats.client.json"}, {"/o.d/p", "/o.d/p.client"},
        {"p.a.b", "p.a.client.b"}};
    char path[64];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(mgr_pipestats_path(cases[i].base, "client", path, sizeof(path), NULL));
        assert_string_equal(path, cases[i].path);
    }
    assert_false(mgr_pipestats_path("/o/pipestats.json", "client", path, 24, NULL));
}

static void test_dump(void **state)
{
    struct mgr_pipestats stats = {.frames = 251, .draws = 7, .records = 9, .max_record = 1808};
    struct mgc_buf text = {0};
    stats.blob_hist[2] = 5;
    assert_true(mgr_pipestats_dump(&stats, tmpdir_file("p.json"), NULL));
    assert_true(mgc_file_read(tmpdir_file("p.json"), 1 << 20, &text, NULL));
    assert_non_null(strstr(mgc_buf_text(&text), "{\n  \"frames\": 251,\n  \"bytes\": {\n"));
    assert_non_null(strstr(text.data, "\"draws\": 7,"));
    assert_non_null(strstr(text.data, "\"wire-records\": 9\n"));
    assert_non_null(strstr(text.data, "\"max-record-bytes\": 1808,"));
    assert_non_null(strstr(text.data, "\"espryt-render-state\": {\"hit\": 0, \"miss\": 0},"));
    assert_non_null(strstr(text.data, "\"staged-blob-bytes-histogram\": [0, 0, 5, 0,"));
    mgc_buf_destroy(&text);
    assert_false(mgr_pipestats_dump(&stats, tmpdir_file("no/p.json"), NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_longest_line_fits),
        cmocka_unit_test(test_bins),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_dump),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
