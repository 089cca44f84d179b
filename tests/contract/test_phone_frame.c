/* Shell v2 frames, whole and in pieces. */
#include "tests/lib/check.h"

#include <string.h>

#include "lab/phone/frame.h"

static void encodes_frames(void **state)
{
    static const uint8_t expected[] = {1, 2, 0, 0, 0, 'o', 'k', 3, 1, 0, 0, 0, 137};
    struct mgc_buf out = {0};
    mgl_frame_append(&out, MGL_FRAME_STDOUT, "ok", 2);
    assert_true(mgl_frame_append(&out, MGL_FRAME_EXIT, "\211", 1));
    assert_int_equal(out.len, sizeof(expected));
    assert_memory_equal(out.data, expected, sizeof(expected));
    mgc_buf_destroy(&out);
}

/* "abc" to stdin, window size, close stdin. */
static const uint8_t input[] = {0, 3, 0, 0, 0, 'a', 'b', 'c', 5, 9, 0, 0, 0, '2', '4', 'x', '8',
    '0', ',', '0', 'x', '0', 4, 0, 0, 0, 0};

/* Feed `input` in pieces of `step` bytes and write down what came out. */
static void parse_in_steps(size_t step, char *ret_trace)
{
    struct mgl_frame_parser parser = {0};
    *ret_trace = 0;
    for (size_t at = 0; at < sizeof(input); at += step) {
        const uint8_t *data = input + at;
        size_t len = sizeof(input) - at < step ? sizeof(input) - at : step;
        struct mgl_frame_piece piece;
        while (mgl_frame_next(&parser, &data, &len, &piece)) {
            char *end = ret_trace + strlen(ret_trace);
            memcpy(end, piece.data, piece.len);
            end[piece.len] = 0;
            if (piece.last)
                strcat(end, (const char[]){'<', (char)('0' + piece.id), '>', 0});
        }
        assert_int_equal(len, 0);
    }
}

static void parses_in_any_pieces(void **state)
{
    for (size_t step = 1; step <= sizeof(input); step++) {
        char trace[128];
        parse_in_steps(step, trace);
        assert_string_equal(trace, "abc<0>24x80,0x0<5><4>");
    }
}

static void needs_no_memory_for_a_huge_frame(void **state)
{
    const uint8_t head[] = {0, 0xff, 0xff, 0xff, 0xff, 'x'};
    const uint8_t *data = head;
    size_t len = sizeof(head);
    struct mgl_frame_parser parser = {0};
    struct mgl_frame_piece piece;
    assert_true(mgl_frame_next(&parser, &data, &len, &piece));
    assert_int_equal(piece.len, 1);
    assert_false(piece.last);
    assert_false(mgl_frame_next(&parser, &data, &len, &piece));
}

static void parses_window_sizes(void **state)
{
    unsigned rows = 1, cols = 1;
    assert_true(mgl_frame_parse_window("24x80,640x480", 13, &rows, &cols));
    assert_int_equal(rows, 24);
    assert_int_equal(cols, 80);
    assert_false(mgl_frame_parse_window("24", 2, &rows, &cols));
    assert_false(mgl_frame_parse_window("-1x80,0x0", 9, &rows, &cols));
    assert_false(mgl_frame_parse_window("99999x80,0x0", 12, &rows, &cols));
    assert_int_equal(rows, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes_frames),
        cmocka_unit_test(parses_in_any_pieces),
        cmocka_unit_test(needs_no_memory_for_a_huge_frame),
        cmocka_unit_test(parses_window_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
