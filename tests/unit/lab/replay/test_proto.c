/* Session messages: exact bytes, round trips of every kind, and what is refused. */
#include "tests/lib/check.h"

#include <stdio.h>
#include <string.h>

#include "lab/replay/proto.h"

static void assert_bytes(const struct mgr_msg *msg, const void *bytes, size_t len)
{
    struct mgc_buf buf = {0};
    mgr_msg_encode(&buf, msg);
    assert_int_equal(buf.len, len);
    assert_memory_equal(buf.data, bytes, len);
    mgc_buf_destroy(&buf);
}

static void test_golden_bytes(void **state)
{
    struct mgr_msg hello = {.kind = MGR_MSG_HELLO,
        .version = 1,
        .flags = MGR_HELLO_RUN_AHEAD | MGR_HELLO_LOG_FORWARD,
        .credit = 2,
        .width = 640,
        .height = 480,
        .backend = "GL",
        .token = "secret",
        .build = "b1"};
    static const char bytes[] = "\x01\0\0\0\x1d\0\0\0"       /* kind, length 29 */
                                "MGLR\x01\0\x03\0"           /* magic, version, flags */
                                "\x02\0\x80\x02\xe0\x01\0\0" /* credit, 640, 480, 0 */
                                "\x02GL\x06secret\x02"
                                "b1";
    assert_bytes(&hello, bytes, sizeof(bytes) - 1);

    struct mgr_msg data = {.kind = MGR_MSG_DATA, .version = 1, .nonce = 0x0102};
    assert_bytes(&data, "\x04\0\0\0\x10\0\0\0MGLR\x01\0\0\0\x02\x01\0\0\0\0\0\0", 24);
    struct mgr_msg credit = {.kind = MGR_MSG_CREDIT, .frame = 3, .position = 9};
    assert_bytes(&credit, "\x06\0\0\0\x0c\0\0\0\x03\0\0\0\x09\0\0\0\0\0\0\0", 20);
    struct mgr_msg refuse = {.kind = MGR_MSG_REFUSE, .expected = 1, .code = "Busy", .detail = "x"};
    assert_bytes(&refuse,
        "\x03\0\0\0\x0f\0\0\0\x01\0\0\0\0\0\0\0\x04"
        "Busy\x01x",
        23);
}

static struct mgr_msg round_trip(const struct mgr_msg *msg, struct mgc_buf *buf)
{
    struct mgr_msg back;
    size_t used;
    mgc_buf_clear(buf);
    mgr_msg_encode(buf, msg);
    struct mgc_error err = {0};
    if (mgr_msg_decode(buf->data, buf->len, &back, &used, &err) != MGR_DECODE_OK)
        fail_msg("kind %d: %s", (int)msg->kind, err.text);
    assert_int_equal(used, buf->len);
    for (size_t len = 0; len < buf->len; len++)
        assert_int_equal(mgr_msg_decode(buf->data, len, &back, &used, NULL), MGR_DECODE_MORE);
    assert_int_equal(mgr_msg_decode(buf->data, buf->len, &back, &used, NULL), MGR_DECODE_OK);
    return back;
}

static void test_round_trips(void **state)
{
    struct mgc_buf buf = {0};
    uint8_t pixels[2 * 1 * 4] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int kind = MGR_MSG_HELLO; kind <= MGR_MSG_BYE; kind++) {
        struct mgr_msg msg = {.kind = (enum mgr_msg_kind)kind,
            .version = 1,
            .width = 2,
            .height = 1,
            .pid = 77,
            .frame = 5,
            .position = 1000,
            .nonce = 42,
            .backend = "DirectGLES",
            .code = "Busy",
            .data = pixels,
            .data_len = sizeof(pixels)};
        struct mgr_msg back = round_trip(&msg, &buf);
        assert_int_equal(back.kind, kind);
        if (kind == MGR_MSG_PIXELS || kind == MGR_MSG_LOG)
            assert_memory_equal(back.data, pixels, sizeof(pixels));
        if (kind == MGR_MSG_READY)
            assert_int_equal(back.pid, 77);
        if (kind == MGR_MSG_WELCOME)
            assert_string_equal(back.backend, "DirectGLES");
        if (kind == MGR_MSG_SYNC || kind == MGR_MSG_BYE)
            assert_int_equal(back.position, 1000);
    }
    mgc_buf_destroy(&buf);
}

static void test_malformed_messages(void **state)
{
    static const struct {
        const char *bytes, *words;
        size_t len;
    } cases[] = {
        {"\x63\0\0\0\0\0\0\0", "unknown kind", 8},
        {"\0\0\0\0\0\0\0\0", "unknown kind", 8},
        {"\x01\0\x01\0\0\0\0\0", "reserved", 8},
        {"\x01\0\0\0\xff\xff\xff\xff", "too long", 8},
        {"\x0a\0\0\0\xff\xff\xff\xff", "too long", 8},
        {"GET / HTTP/1.1\r\n", "reserved", 16},
        {"\x01\0\0\0\x04\0\0\0HTTP", "magic", 12},
        {"\x01\0\0\0\x04\0\0\0MGLR", "length", 12},
        {"\x07\0\0\0\x09\0\0\0\0\0\0\0\0\0\0\0\0", "length", 17},
        /* a string of 200 bytes that are not there; one that is too long for its field */
        {"\x03\0\0\0\x0a\0\0\0\0\0\0\0\0\0\0\0\xc8x", "length", 18},
        {"\x03\0\0\0\x0b\0\0\0\0\0\0\0\0\0\0\0\x01\0\0", "length", 19},
        {"\x0a\0\0\0\x04\0\0\0\xff\xff\xff\xff", "length", 12},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mgr_msg msg;
        size_t used;
        struct mgc_error err = {0};
        assert_int_equal(
            mgr_msg_decode(cases[i].bytes, cases[i].len, &msg, &used, &err), MGR_DECODE_BAD);
        assert_int_equal(err.code, MGC_E_PROTOCOL);
        if (!strstr(err.text, cases[i].words))
            fail_msg("case %zu: \"%s\"", i, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_bytes),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_malformed_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
