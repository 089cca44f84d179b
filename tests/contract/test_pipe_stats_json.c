/* Dumps of MGPipe's counters, and how two roles' go together (contract sections 3.2, 4.3, 9). */
#include "tests/lib/check.h"

#include <string.h>

#include "common/contract/pipe_stats.h"

static bool parse(const char *text, struct mgc_pipe_stats *stats, struct mgc_error *err)
{
    return mgc_pipe_stats_parse(text, strlen(text), stats, err);
}

static const char client[] =
    "{\"frames\": 0, \"bytes\": {\"stage-buffer\": 100, \"persistent-map-push\": 40, "
    "\"stage-segment-bytes\": 7},\r\n \"calls\": {\"draws\": 9, \"wire-records\": 30, \"new\": 1}, "
    "\"gates\": {\"espryt-render-state\": {\"hit\": 4, \"miss\": 1}, \"other\": {}}, "
    "\"wire\": {\"max-record-bytes\": 1808, \"max-record-bytes-cap\": 4096, \"client-waits\": 5}, "
    "\"cmd-bytes-per-draw-histogram\": [0, 2, 3], \"later\": []}";
static const char server[] =
    "{\"frames\": 251, \"bytes\": {\"stage-buffer\": 1}, \"gates\": {\"espryt-render-state\": "
    "{\"hit\": 1, \"miss\": 1}}, \"wire\": {\"max-record-bytes\": 900, \"max-record-bytes-cap\": "
    "4096, \"server-waits\": 11}, \"cmd-bytes-per-draw-histogram\": [1, 0, 0, 4]}";

static void one_dump(void **state)
{
    struct mgc_pipe_stats stats;
    (void)state;
    assert_true(parse(client, &stats, NULL));
    assert_true(stats.has_frames && stats.frames == 0);
    assert_int_equal(stats.values[MGC_PIPE_STAGE_BUFFER], 100);
    assert_int_equal(stats.values[MGC_PIPE_WIRE_RECORDS], 30);
    assert_false(stats.has[MGC_PIPE_STAGE_TEXTURE]);
    assert_false(stats.has[MGC_PIPE_SERVER_WAITS]);
    assert_true(stats.gates[0].present && stats.gates[0].hit == 4 && stats.gates[0].miss == 1);
    assert_int_equal(stats.cmd_bytes_per_draw.count, 3);
    assert_int_equal(stats.staged_blob_bytes.count, 0);
    assert_int_equal(stats.unknown_keys, 3);
}

static void both_roles(void **state)
{
    struct mgc_pipe_stats all = {0}, stats;
    (void)state;
    assert_true(parse(client, &stats, NULL));
    mgc_pipe_stats_merge(&all, &stats);
    assert_true(parse(server, &stats, NULL));
    mgc_pipe_stats_merge(&all, &stats);
    assert_int_equal(all.frames, 251);
    assert_int_equal(all.values[MGC_PIPE_STAGE_BUFFER], 101);
    assert_int_equal(all.values[MGC_PIPE_MAX_RECORD_BYTES], 1808); /* not 2708 */
    assert_int_equal(all.values[MGC_PIPE_MAX_RECORD_BYTES_CAP], 4096);
    assert_int_equal(all.values[MGC_PIPE_CLIENT_WAITS], 5);
    assert_int_equal(all.values[MGC_PIPE_SERVER_WAITS], 11);
    assert_false(all.has[MGC_PIPE_RING_WAITS]);
    assert_int_equal(all.gates[0].hit, 5);
    assert_int_equal(all.cmd_bytes_per_draw.count, 4);
    assert_int_equal(all.cmd_bytes_per_draw.bins[0], 1);
    assert_int_equal(all.cmd_bytes_per_draw.bins[1], 2);
    assert_int_equal(all.cmd_bytes_per_draw.bins[3], 4);
}

static void sums_do_not_overflow(void **state)
{
    struct mgc_pipe_stats all, stats;
    (void)state;
    assert_true(parse("{\"calls\": {\"draws\": 9223372036854775807}}", &all, NULL));
    assert_true(parse("{\"calls\": {\"draws\": 2}}", &stats, NULL));
    mgc_pipe_stats_merge(&all, &stats);
    assert_int_equal(all.values[MGC_PIPE_DRAWS], INT64_MAX);
}

static const struct {
    const char *text, *sentence;
} wrong[] = {
    {"[]", "pipe stats: not a JSON object"},
    {"{\"frames\": -1}", "pipe stats: dump.frames is not a count of 0 or more"},
    {"{\"frames\": 1.5}", "pipe stats: dump.frames is not a count of 0 or more"},
    {"{\"bytes\": []}", "pipe stats: \"bytes\" is not an object"},
    {"{\"wire\": {\"ring-waits\": \"1\"}}",
        "pipe stats: wire.ring-waits is not a count of 0 or more"},
    {"{\"gates\": {\"espryt-render-state\": {\"hit\": 1}}}",
        "pipe stats: espryt-render-state.miss is not a count of 0 or more"},
    {"{\"staged-blob-bytes-histogram\": 1}",
        "pipe stats: \"staged-blob-bytes-histogram\" is not a list of at most 65 counts"},
};

static void what_is_wrong(void **state)
{
    struct mgc_pipe_stats stats;
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct mgc_error err = {0};
        assert_false(parse(wrong[i].text, &stats, &err));
        assert_string_equal(err.text, wrong[i].sentence);
        assert_false(stats.has_frames);
    }
    for (size_t len = 0; len + 1 < sizeof(client); len++)
        assert_false(mgc_pipe_stats_parse(client, len, &stats, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_dump), cmocka_unit_test(both_roles),
        cmocka_unit_test(sums_do_not_overflow), cmocka_unit_test(what_is_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
