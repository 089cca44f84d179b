/* Golden bytes of adb's protocols, both directions. */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"
#include "worker-host/adb/wire.h"

static void test_request(void **state)
{
    struct mgc_buf out = {0};
    assert_true(mgc_adb_wire_request(&out, "host:version", NULL));
    assert_string_equal(mgc_buf_text(&out), "000chost:version");
    mgc_buf_clear(&out);
    assert_false(mgc_adb_wire_request(&out, "", NULL));
    char *longest = calloc(1, 0x10001);
    assert_non_null(longest);
    memset(longest, 'x', 0x10000);
    assert_false(mgc_adb_wire_request(&out, longest, NULL));
    assert_true(mgc_adb_wire_request(&out, longest + 1, NULL));
    assert_int_equal(out.len, 4 + 0xffff);
    assert_memory_equal(out.data, "ffffx", 5);
    free(longest);
    mgc_buf_destroy(&out);
}

static void test_hex4(void **state)
{
    size_t value = 4242;
    assert_true(mgc_adb_wire_hex4("00fF", &value));
    assert_int_equal(value, 255);
    assert_false(mgc_adb_wire_hex4("0x10", &value));
    assert_false(mgc_adb_wire_hex4(" 010", &value));
    assert_false(mgc_adb_wire_hex4("+010", &value));
    assert_int_equal(value, 255);
}

static void test_status(void **state)
{
    bool okay = false;
    struct mgc_error err = {0};
    assert_true(mgc_adb_wire_status("OKAY", &okay, NULL) && okay);
    assert_true(mgc_adb_wire_status("FAIL", &okay, NULL) && !okay);
    assert_false(mgc_adb_wire_status("HTTP", &okay, &err));
    assert_int_equal(err.code, MGC_E_PROTOCOL);
    assert_non_null(strstr(err.text, "HTTP"));
}

static void test_fail_texts(void **state)
{
    assert_int_equal(mgc_adb_wire_fail_code("device offline"), MGC_E_LOST);
    assert_int_equal(mgc_adb_wire_fail_code("device 'x' not found"), MGC_E_LOST);
    assert_int_equal(
        mgc_adb_wire_fail_code("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS"),
        MGC_E_DENIED);
    assert_int_equal(mgc_adb_wire_fail_code("closed"), MGC_E_UNSUPPORTED);
    assert_int_equal(mgc_adb_wire_fail_code("anything"), MGC_E_FAILED);
}

/* Feed all bytes in steps of `step`; collect what comes out as text, one letter per piece's id. */
static void shell_feed(const char *bytes, size_t len, size_t step, struct mgc_buf *out)
{
    struct mgc_adb_shell_parser parser = {0};
    struct mgc_adb_shell_piece piece;
    static const char letter[] = "?oex";
    for (size_t at = 0; at < len;) {
        size_t chunk = step < len - at ? step : len - at, used = 0;
        for (size_t in = 0; in < chunk; in += used) {
            assert_true(
                mgc_adb_wire_shell_next(&parser, bytes + at + in, chunk - in, &used, &piece, NULL));
            for (size_t i = 0; i < piece.len; i++) {
                mgc_buf_putc(out, letter[piece.id]);
                mgc_buf_putc(out, piece.data[i]);
            }
        }
        at += chunk;
    }
}

static void test_shell_packets(void **state)
{
    static const char bytes[] = "\1\3\0\0\0abc\1\0\0\0\0\2\1\0\0\0E\5\2\0\0\0zz\3\1\0\0\0x";
    for (size_t step = 1; step < sizeof(bytes); step++) {
        struct mgc_buf out = {0};
        shell_feed(bytes, sizeof(bytes) - 1, step, &out);
        assert_string_equal(mgc_buf_text(&out), "oaoboceExx");
        mgc_buf_destroy(&out);
    }
    unsigned char head[MGC_ADB_SHELL_HEAD];
    mgc_adb_wire_shell_head(head, MGC_ADB_CLOSE_STDIN, 0x01020304);
    assert_memory_equal(head, "\4\4\3\2\1", 5);
}

static void test_shell_bad(void **state)
{
    struct mgc_adb_shell_parser parser = {0};
    struct mgc_adb_shell_piece piece;
    size_t used;
    struct mgc_error err = {0};
    assert_false(mgc_adb_wire_shell_next(&parser, "\1\1\0\0\x7f", 5, &used, &piece, &err));
    assert_int_equal(err.code, MGC_E_PROTOCOL);
    parser = (struct mgc_adb_shell_parser){0};
    assert_false(mgc_adb_wire_shell_next(&parser, "\3\2\0\0\0", 5, &used, &piece, NULL));
}

static void sync_feed(const char *bytes, size_t len, size_t step, struct mgc_buf *out)
{
    struct mgc_adb_sync_parser parser = {0};
    enum mgc_adb_sync_event event;
    for (size_t at = 0; at < len;) {
        size_t chunk = step < len - at ? step : len - at, used = 0, piece_len;
        const char *piece;
        for (size_t in = 0; in < chunk; in += used) {
            assert_true(mgc_adb_wire_sync_next(
                &parser, bytes + at + in, chunk - in, &used, &event, &piece, &piece_len, NULL));
            mgc_buf_append(out, piece, piece_len);
            if (event == MGC_ADB_SYNC_DONE)
                mgc_buf_puts(out, "<done>");
            if (event == MGC_ADB_SYNC_OKAY)
                mgc_buf_puts(out, "<okay>");
            if (event == MGC_ADB_SYNC_FAIL)
                mgc_buf_printf(out, "<fail %s>", parser.fail);
        }
        at += chunk;
    }
}

static void sync_gives(const char *bytes, size_t len, const char *want)
{
    for (size_t step = 1; step <= len; step++) {
        struct mgc_buf out = {0};
        sync_feed(bytes, len, step, &out);
        assert_string_equal(mgc_buf_text(&out), want);
        mgc_buf_destroy(&out);
    }
}

static void test_sync_packets(void **state)
{
    static const char pull[] = "DATA\3\0\0\0abcDATA\0\0\0\0DATA\1\0\0\0dDONE\0\0\0\0";
    static const char push[] = "OKAY\0\0\0\0";
    static const char fail[] = "FAIL\4\0\0\0oops";
    static const char empty[] = "FAIL\0\0\0\0";
    sync_gives(pull, sizeof(pull) - 1, "abcd<done>");
    sync_gives(push, sizeof(push) - 1, "<okay>");
    sync_gives(fail, sizeof(fail) - 1, "<fail oops>");
    sync_gives(empty, sizeof(empty) - 1, "<fail >");
    unsigned char head[MGC_ADB_SYNC_HEAD];
    mgc_adb_wire_sync_head(head, "SEND", 0x01020304);
    assert_memory_equal(head, "SEND\4\3\2\1", 8);
}

static void test_sync_bad(void **state)
{
    static const char *const heads[] = {"DATA\1\0\1\0", "FAIL\0\0\0\1", "DENT\0\0\0\0"};
    for (size_t i = 0; i < 3; i++) {
        struct mgc_adb_sync_parser parser = {0};
        enum mgc_adb_sync_event event;
        const char *piece;
        size_t used, piece_len;
        struct mgc_error err = {0};
        assert_false(
            mgc_adb_wire_sync_next(&parser, heads[i], 8, &used, &event, &piece, &piece_len, &err));
        assert_int_equal(err.code, MGC_E_PROTOCOL);
    }
}

static void test_stat(void **state)
{
    struct mgc_adb_stat stat;
    assert_true(mgc_adb_wire_sync_stat(
        (const unsigned char *)"STAT\xa4\x81\0\0\5\0\0\0\1\0\0\0", &stat, NULL));
    assert_true(stat.exists);
    assert_int_equal(stat.mode, 0100644);
    assert_int_equal(stat.size, 5);
    assert_int_equal(stat.mtime, 1);
    assert_true(
        mgc_adb_wire_sync_stat((const unsigned char *)"STAT\0\0\0\0\0\0\0\0\0\0\0\0", &stat, NULL));
    assert_false(stat.exists);
    assert_false(
        mgc_adb_wire_sync_stat((const unsigned char *)"FAIL\0\0\0\0\0\0\0\0\0\0\0\0", &stat, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request),
        cmocka_unit_test(test_hex4),
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_fail_texts),
        cmocka_unit_test(test_shell_packets),
        cmocka_unit_test(test_shell_bad),
        cmocka_unit_test(test_sync_packets),
        cmocka_unit_test(test_sync_bad),
        cmocka_unit_test(test_stat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
