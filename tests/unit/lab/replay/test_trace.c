#include "tests/lib/check.h"

#include <string.h>

#include "common/base/hash.h"
#include "lab/replay/scene.h"
#include "lab/replay/trace.h"

static struct mgc_buf small_trace(struct mgr_trace_head *head)
{
    struct mgc_buf buf = {0};
    mgr_scene_write(&mgr_scenes[0], 64, &buf, head);
    assert_true(mgc_buf_ok(&buf));
    return buf;
}

static void test_reduced_sets(void **state)
{
    static const struct {
        int scene;
        uint32_t divisor, frames;
    } cases[] = {{0, 1, 128}, {0, 8, 16}, {1, 8, 31}, {1, 1000, 2}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mgc_buf buf = {0};
        struct mgr_trace_head wrote, read;
        struct mgc_error err = {0};
        mgr_scene_write(&mgr_scenes[cases[i].scene], cases[i].divisor, &buf, &wrote);
        assert_true(mgr_trace_check(buf.data, buf.len, &read, &err));
        assert_int_equal(read.frames, cases[i].frames);
        assert_int_equal(read.divisor, cases[i].divisor);
        assert_int_equal(read.full_frames, mgr_scenes[cases[i].scene].head.frames);
        assert_int_equal(read.target_call, mgr_scenes[cases[i].scene].head.target_call);
        assert_string_equal(read.name, mgr_scenes[cases[i].scene].head.name);
        mgc_buf_destroy(&buf);
    }
}

static void test_last_present_is_the_target(void **state)
{
    struct mgr_trace_head head;
    struct mgc_buf buf = small_trace(&head);
    struct mgr_record record;
    uint64_t call = 0;
    uint32_t frames = 0;
    for (size_t at = MGR_TRACE_HEAD; mgr_trace_next(buf.data, buf.len, &at, &record);) {
        if (record.kind != MGR_PRESENT)
            continue;
        assert_true(record.call > call);
        assert_int_equal(record.frame, frames++);
        call = record.call;
    }
    assert_int_equal(call, 31249);
    mgc_buf_destroy(&buf);
}

/* What the contract's workloads stage per frame, in proportion. */
static void test_staged_bytes_per_frame(void **state)
{
    static const uint64_t low[] = {100000, 1300000}, high[] = {300000, 1700000};
    for (int scene = 0; scene < MGR_SCENE_COUNT; scene++) {
        struct mgc_buf buf = {0}, wire = {0};
        struct mgr_trace_head head;
        struct mgr_record record;
        uint64_t first = 0;
        uint32_t frame = 0;
        mgr_scene_write(&mgr_scenes[scene], 32, &buf, &head);
        for (size_t at = MGR_TRACE_HEAD; mgr_trace_next(buf.data, buf.len, &at, &record);) {
            mgr_record_expand(&wire, &record);
            if (record.kind != MGR_PRESENT)
                continue;
            if (frame++ == 0)
                first = wire.len;
            else
                assert_in_range(wire.len, low[scene], high[scene]);
            mgc_buf_clear(&wire);
        }
        assert_true(first > high[scene]);
        mgc_buf_destroy(&buf);
        mgc_buf_destroy(&wire);
    }
}

static void test_every_cut_is_refused(void **state)
{
    struct mgr_trace_head head;
    struct mgc_buf buf = small_trace(&head);
    struct mgc_error err;
    for (size_t len = 0; len < buf.len; len += len < 200 ? 1 : 37) {
        mgc_error_clear(&err);
        assert_false(mgr_trace_check(buf.data, len, &head, &err));
        assert_non_null(strstr(err.text, "trace"));
    }
    mgc_buf_destroy(&buf);
}

/* Write `value` over the header's u32 at that place. */
static void refuse_patched(size_t at, uint32_t value, enum mgc_code code)
{
    struct mgr_trace_head head;
    struct mgc_buf buf = small_trace(&head);
    struct mgc_error err = {0};
    memcpy(buf.data + at, &value, sizeof(value));
    assert_false(mgr_trace_check(buf.data, buf.len, &head, &err));
    assert_int_equal(err.code, code);
    mgc_buf_destroy(&buf);
}

static void test_wrong_headers(void **state)
{
    refuse_patched(0, 0, MGC_E_PROTOCOL);           /* magic */
    refuse_patched(8, 2, MGC_E_VERSION);            /* version */
    refuse_patched(16, 0, MGC_E_PROTOCOL);          /* width */
    refuse_patched(20, 5000, MGC_E_PROTOCOL);       /* height */
    refuse_patched(24, 3, MGC_E_PROTOCOL);          /* frames: two are there */
    refuse_patched(24, 0xffffffff, MGC_E_PROTOCOL); /* frames */
    refuse_patched(28, 0, MGC_E_PROTOCOL);          /* divisor */
    refuse_patched(56, 0xffffffff, MGC_E_PROTOCOL); /* crop width */
    refuse_patched(96, 0x63, MGC_E_PROTOCOL);       /* kind of the first record */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduced_sets),
        cmocka_unit_test(test_last_present_is_the_target),
        cmocka_unit_test(test_staged_bytes_per_frame),
        cmocka_unit_test(test_every_cut_is_refused),
        cmocka_unit_test(test_wrong_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
