/* The device protocol's bytes: every message once, there and back, and what is refused. */
#include <string.h>

#include "common/base/clock.h"
#include "common/device/errnum.h"
#include "common/device/sink.h"
#include "common/device/stream.h"
#include "tests/lib/check.h"

/* --- exact bytes ------------------------------------------------------------------------------ */

struct golden {
    struct mgc_device_msg msg;
    const char *bytes; /* head and payload */
    size_t size;
};
#define GOLDEN(text) .bytes = text, .size = sizeof(text) - 1

static const unsigned char hash[32] = "0123456789abcdef0123456789abcdef";
static const char two_names[] = "a\0b c";

static const struct golden goldens[] = {
    {{.type = MGC_DEVICE_HELLO, .id = 1, .hello = {1, 2, "0.1"}},
        GOLDEN("\x0a\0\0\0\x01\0\0\0\x01\0\0\0"
               "\x01\0\x02\0\x03\0"
               "0.1\0")},
    {{.type = MGC_DEVICE_CANCEL, .id = 0x01020304, .cancel = {7}},
        GOLDEN("\x04\0\0\0\x02\0\0\0\x04\x03\x02\x01\x07\0\0\0")},
    {{.type = MGC_DEVICE_CLOCK, .id = 2, .clock = {-2}},
        GOLDEN("\x08\0\0\0\x03\0\0\0\x02\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff")},
    {{.type = MGC_DEVICE_REMOVE, .id = 3, .remove = {"/d", {two_names, 6, 2}}},
        GOLDEN("\x11\0\0\0\x04\0\0\0\x03\0\0\0"
               "\x02\0/d\0"
               "\x02\0\x06\0\0\0"
               "a\0b c\0")},
    {{.type = MGC_DEVICE_WATCH, .id = 4, .watch = {"", {0}, "p.q", 5, 50}},
        GOLDEN("\x17\0\0\0\x05\0\0\0\x04\0\0\0"
               "\0\0\0"
               "\0\0\0\0\0\0"
               "\x03\0p.q\0"
               "\x05\0\0\0\x32\0\0\0")},
    {{.type = MGC_DEVICE_READ, .id = 5, .read = {"", {two_names, 2, 1}, 256, 1}},
        GOLDEN("\x15\0\0\0\x06\0\0\0\x05\0\0\0"
               "\0\0\0"
               "\x01\0\x02\0\0\0a\0"
               "\0\x01\0\0\0\0\0\0\x01\0")},
    {{.type = MGC_DEVICE_PUT, .id = 6, .put = {"/f", 3, 0644, {hash, 4}}},
        GOLDEN("\x17\0\0\0\x07\0\0\0\x06\0\0\0"
               "\x02\0/f\0"
               "\x03\0\0\0\0\0\0\0\xa4\x01"
               "\x04\0\0\0"
               "0123")},
    {{.type = MGC_DEVICE_PUT_DATA, .id = 6, .put_data = {{hash, 2}}},
        GOLDEN("\x06\0\0\0\x08\0\0\0\x06\0\0\0\x02\0\0\0"
               "01")},
    {{.type = MGC_DEVICE_SAMPLE, .id = 7, .sample = {1000, 0, {two_names, 2, 1}}},
        GOLDEN("\x10\0\0\0\x09\0\0\0\x07\0\0\0"
               "\xe8\x03\0\0\0\0\0\0"
               "\x01\0\x02\0\0\0a\0")},
    {{.type = MGC_DEVICE_PROCS, .id = 8, .procs = {"p"}}, GOLDEN("\x04\0\0\0\x0a\0\0\0\x08\0\0\0"
                                                                 "\x01\0p\0")},
    {{.type = MGC_DEVICE_SAMPLE_NOW, .id = 9, .sample_now = {7, 6, 40}},
        GOLDEN("\x0c\0\0\0\x0b\0\0\0\x09\0\0\0"
               "\x07\0\0\0\x06\0\0\0\x28\0\0\0")},
    {{.type = MGC_DEVICE_WELCOME, .id = 1, .welcome = {1, "0", "x", "", 9, 10, 11, 12, 1}},
        GOLDEN("\x27\0\0\0\x81\0\0\0\x01\0\0\0"
               "\x01\0"
               "\x01\0"
               "0\0"
               "\x01\0x\0"
               "\0\0\0"
               "\x09\0\0\0\x0a\0\0\0"
               "\x0b\0\0\0\0\0\0\0\x0c\0\0\0\0\0\0\0"
               "\x01\0")},
    {{.type = MGC_DEVICE_DONE, .id = 9}, GOLDEN("\0\0\0\0\x82\0\0\0\x09\0\0\0")},
    {{.type = MGC_DEVICE_FAILED, .id = 9, .failed = {7, 2, "no"}},
        GOLDEN("\x0b\0\0\0\x83\0\0\0\x09\0\0\0"
               "\x07\0\x02\0\0\0\x02\0no\0")},
    {{.type = MGC_DEVICE_BEGUN, .id = 9}, GOLDEN("\0\0\0\0\x84\0\0\0\x09\0\0\0")},
    {{.type = MGC_DEVICE_CLOCK_REPLY, .id = 2, .clock_reply = {1, 2, 3}},
        GOLDEN("\x18\0\0\0\x85\0\0\0\x02\0\0\0"
               "\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0")},
    {{.type = MGC_DEVICE_REMOVED, .id = 3, .removed = {"a", MGC_DEVICE_ABSENT, 2, -1, -1}},
        GOLDEN("\x1a\0\0\0\x86\0\0\0\x03\0\0\0"
               "\x01\0"
               "a\0\x02\0\x02\0\0\0"
               "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")},
    {{.type = MGC_DEVICE_FILE, .id = 4, .file = {MGC_DEVICE_FILE_REPLACED, "r", 1, 2, 3, 4}},
        GOLDEN("\x26\0\0\0\x87\0\0\0\x04\0\0\0"
               "\x04\0\x01\0r\0"
               "\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0")},
    {{.type = MGC_DEVICE_PROC, .id = 4, .proc = {MGC_DEVICE_PROC_ENDED, 1, 2, 3, 4, 5, "c", "l"}},
        GOLDEN("\x26\0\0\0\x88\0\0\0\x04\0\0\0"
               "\x03\0\x01\0\0\0\x02\0\0\0\x03\0\0\0"
               "\x04\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0"
               "\x01\0"
               "c\0\x01\0l\0")},
    {{.type = MGC_DEVICE_FILE_HEAD, .id = 5, .file_head = {1, MGC_DEVICE_UNUSABLE, 13, -1, -1}},
        GOLDEN("\x18\0\0\0\x89\0\0\0\x05\0\0\0"
               "\x01\0\x03\0\x0d\0\0\0"
               "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")},
    {{.type = MGC_DEVICE_FILE_DATA, .id = 5, .file_data = {1, {hash, 3}}},
        GOLDEN("\x09\0\0\0\x8a\0\0\0\x05\0\0\0"
               "\x01\0\x03\0\0\0"
               "012")},
    {{.type = MGC_DEVICE_FILE_END, .id = 5, .file_end = {1, 5, 0, 3, {hash, 2}}},
        GOLDEN("\x16\0\0\0\x8b\0\0\0\x05\0\0\0"
               "\x01\0\x05\0\0\0\0\0\x03\0\0\0\0\0\0\0\x02\0\0\0"
               "01")},
    {{.type = MGC_DEVICE_PUT_READY, .id = 6, .put_ready = {5}},
        GOLDEN("\x08\0\0\0\x8c\0\0\0\x06\0\0\0\x05\0\0\0\0\0\0\0")},
    {{.type = MGC_DEVICE_ROW, .id = 7, .row = {1, 2, 3, 4, 5, {"=x\0!2", 6, 2}}},
        GOLDEN("\x2c\0\0\0\x8d\0\0\0\x07\0\0\0"
               "\x01\0\0\0\x02\0\0\0"
               "\x03\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0"
               "\x02\0\x06\0\0\0=x\0!2\0")},
    {{.type = MGC_DEVICE_SAMPLE_END, .id = 7, .sample_end = {1, 2, 3, 4, 5}},
        GOLDEN("\x1c\0\0\0\x8e\0\0\0\x07\0\0\0"
               "\x01\0\0\0\x02\0\0\0\x03\0\0\0"
               "\x04\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0")},
    {{.type = MGC_DEVICE_SINK, .id = 8, .sink = {40614, 1000, {hash, 16}}},
        GOLDEN("\x1c\0\0\0\x0c\0\0\0\x08\0\0\0"
               "\xa6\x9e\0\0\xe8\x03\0\0\x10\0\0\0"
               "0123456789abcdef")},
    {{.type = MGC_DEVICE_SINK_READY, .id = 8, .sink_ready = {40614}},
        GOLDEN("\x04\0\0\0\x8f\0\0\0\x08\0\0\0\xa6\x9e\0\0")},
    {{.type = MGC_DEVICE_SINK_TOLD,
         .id = 8,
         .sink_told = {MGC_DEVICE_SINK_STRANGER, 0x7f000001, 2, 3}},
        GOLDEN("\x12\0\0\0\x90\0\0\0\x08\0\0\0"
               "\x03\0\x01\0\0\x7f\x02\0\0\0"
               "\x03\0\0\0\0\0\0\0")},
    {{.type = MGC_DEVICE_SINK_END, .id = 8, .sink_end = {1, 2, 3, 4}},
        GOLDEN("\x18\0\0\0\x91\0\0\0\x08\0\0\0"
               "\x01\0\0\0\x02\0\0\0"
               "\x03\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0")},
    {{.type = MGC_DEVICE_SINK_HELLO, .id = 1, .sink_hello = {{hash, 16}, -2, 3}},
        GOLDEN("\x1e\0\0\0\x40\0\0\0\x01\0\0\0"
               "\x10\0\0\0"
               "0123456789abcdef"
               "\xfe\xff\xff\xff\xff\xff\xff\xff\x03\0")},
    {{.type = MGC_DEVICE_SINK_RUN, .id = 2, .sink_run = {MGC_DEVICE_SINK_DOWN, 4, 256, 16, "bbr"}},
        GOLDEN("\x12\0\0\0\x41\0\0\0\x02\0\0\0"
               "\x02\0\x04\0\0\x01\0\0\x10\0\0\0"
               "\x03\0"
               "bbr\0")},
    {{.type = MGC_DEVICE_SINK_STOP, .id = 3}, GOLDEN("\0\0\0\0\x42\0\0\0\x03\0\0\0")},
    {{.type = MGC_DEVICE_SINK_SEEN, .id = 1, .sink_seen = {0x0a000001, 2, 1191, 7, 1, 5}},
        GOLDEN("\x18\0\0\0\xc0\0\0\0\x01\0\0\0"
               "\x01\0\0\x0a\x02\0\0\0\xa7\x04\0\0\x07\0\x01\0"
               "\x05\0\0\0\0\0\0\0")},
    {{.type = MGC_DEVICE_SINK_OVER, .id = 2}, GOLDEN("\0\0\0\0\xc1\0\0\0\x02\0\0\0")},
    {{.type = MGC_DEVICE_SINK_STREAM, .id = 2, .sink_stream = {1, 2, -1, 4, "cubic"}},
        GOLDEN("\x22\0\0\0\xc2\0\0\0\x02\0\0\0"
               "\x01\0\x02\0\0\0\0\0\0\0"
               "\xff\xff\xff\xff\xff\xff\xff\xff"
               "\x04\0\0\0\0\0\0\0"
               "\x05\0"
               "cubic\0")},
    {{.type = MGC_DEVICE_SINK_INTERVAL, .id = 2, .sink_interval = {1, 2}},
        GOLDEN("\x0c\0\0\0\xc3\0\0\0\x02\0\0\0"
               "\x01\0\0\0\x02\0\0\0\0\0\0\0")},
    {{.type = MGC_DEVICE_SINK_RESULT, .id = 2, .sink_result = {1, 2, 3, 4}},
        GOLDEN("\x1c\0\0\0\xc4\0\0\0\x02\0\0\0"
               "\x01\0\0\0\x02\0\0\0\0\0\0\0"
               "\x03\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0")},
};
enum { COUNT = sizeof(goldens) / sizeof(goldens[0]) };

static void test_bytes(void **state)
{
    for (size_t i = 0; i < COUNT; i++) {
        struct mgc_buf out = {0};
        assert_true(mgc_device_put_message(&out, &goldens[i].msg));
        if (out.len != goldens[i].size || memcmp(out.data, goldens[i].bytes, out.len) != 0)
            fail_msg(
                "%s: %zu bytes, or others", mgc_device_type_name(goldens[i].msg.type), out.len);
        mgc_buf_destroy(&out);
    }
}

/* All goldens, a byte at a time, as one stream; each comes out as it went in. */
static void test_there_and_back(void **state)
{
    struct mgc_device_stream stream = {0};
    struct mgc_device_msg msg;
    struct mgc_buf out = {0}, again = {0};
    size_t seen = 0;
    assert_true(mgc_device_put_preamble(&out));
    assert_memory_equal(out.data, "\x89mgdev\r\n", 8);
    for (size_t i = 0; i < COUNT; i++)
        mgc_buf_append(&out, goldens[i].bytes, goldens[i].size);
    for (size_t i = 0; i < out.len; i++) {
        assert_true(mgc_device_stream_feed(&stream, out.data + i, 1, NULL));
        while (mgc_device_stream_next(&stream, &msg, NULL) == MGC_DEVICE_MESSAGE) {
            assert_int_equal(msg.id, goldens[seen].msg.id);
            mgc_buf_clear(&again);
            assert_true(mgc_device_put_message(&again, &msg));
            assert_int_equal(again.len, goldens[seen].size);
            assert_memory_equal(again.data, goldens[seen].bytes, again.len);
            seen++;
        }
    }
    assert_int_equal(seen, COUNT);
    mgc_buf_destroy(&again);
    mgc_buf_destroy(&out);
    mgc_device_stream_destroy(&stream);
}

/* --- refused ---------------------------------------------------------------------------------- */

/* No golden's payload can lose or gain a byte. */
static void test_cut_and_stretched(void **state)
{
    for (size_t i = 0; i < COUNT; i++) {
        const char *payload = goldens[i].bytes + MGC_DEVICE_HEAD_SIZE;
        size_t size = goldens[i].size - MGC_DEVICE_HEAD_SIZE;
        unsigned type = goldens[i].msg.type;
        struct mgc_device_msg msg;
        char longer[128] = {0};
        for (size_t cut = 0; cut < size; cut++)
            assert_false(mgc_device_decode(type, 1, payload, cut, &msg, NULL));
        memcpy(longer, payload, size);
        assert_true(mgc_device_decode(type, 1, longer, size, &msg, NULL));
        assert_false(mgc_device_decode(type, 1, longer, size + 1, &msg, NULL));
    }
}

static void refuse(const char *bytes, size_t size, const char *words)
{
    struct mgc_device_stream stream = {0};
    struct mgc_device_msg msg;
    struct mgc_error err = {0};
    assert_true(mgc_device_stream_feed(&stream, bytes, size, NULL));
    assert_int_equal(mgc_device_stream_next(&stream, &msg, &err), MGC_DEVICE_BROKEN);
    assert_int_equal(err.code, MGC_E_PROTOCOL);
    if (!strstr(err.text, words))
        fail_msg("\"%s\" is not in \"%s\"", words, err.text);
    mgc_device_stream_destroy(&stream);
}
#define REFUSE(bytes, words) refuse(bytes, sizeof(bytes) - 1, words)

static void test_strange_streams(void **state)
{
    REFUSE("r", "it said \"r\" instead");
    REFUSE("run-as: unknown package: x\n", "it said \"run-as: unknown package: x\" instead");
    REFUSE("\x89mgdev\r\r\n", "instead of");                             /* a terminal */
    REFUSE("\x89mgdev\r\n\x01\0\x40\0\x02\0\0\0\x01\0\0\0", "no frame"); /* 4 MiB */
    REFUSE("\x89mgdev\r\n\0\0\0\0\x82\0\x01\0\x01\0\0\0", "no frame");   /* reserved */
    REFUSE("\x89mgdev\r\n\0\0\0\0\x63\0\0\0\x01\0\0\0", "message 99 of 0 bytes");
    REFUSE("\x89mgdev\r\n\x01\0\0\0\x82\0\0\0\x01\0\0\0x", "done of 1 bytes");
}

static bool decodes(unsigned type, const char *payload, size_t size)
{
    struct mgc_device_msg msg;
    return mgc_device_decode(type, 1, payload, size, &msg, NULL);
}
#define DECODES(type, payload) decodes(type, payload, sizeof(payload) - 1)

static void test_texts_and_lists(void **state)
{
    assert_true(DECODES(MGC_DEVICE_PROCS, "\x01\0p\0"));
    assert_false(DECODES(MGC_DEVICE_PROCS, "\x01\0pq"));    /* no 0 at its end */
    assert_false(DECODES(MGC_DEVICE_PROCS, "\x02\0p\0\0")); /* a 0 within */
    assert_true(DECODES(MGC_DEVICE_REMOVE, "\0\0\0\x01\0\x02\0\0\0a\0"));
    assert_false(DECODES(MGC_DEVICE_REMOVE, "\0\0\0\x02\0\x02\0\0\0a\0")); /* count */
    assert_false(DECODES(MGC_DEVICE_REMOVE, "\0\0\0\x01\0\x02\0\0\0ab"));
    assert_false(DECODES(MGC_DEVICE_REMOVE, "\0\0\0\x01\0\0\0\0\0"));
    assert_false(DECODES(MGC_DEVICE_REMOVE, "\0\0\0\0\0\x02\0\0\0a\0"));
    assert_false(DECODES(MGC_DEVICE_REMOVE, "\0\0\0\x01\0\xff\xff\xff\xff"
                                            "a\0"));
}

static void test_list_walk_and_caps(void **state)
{
    struct mgc_device_list list = {0}, none = {0};
    struct mgc_buf buf = {0};
    assert_true(mgc_device_list_add(&list, &buf, "one"));
    assert_true(mgc_device_list_add(&list, &buf, ""));
    const char *text = mgc_device_list_next(&list, NULL);
    assert_string_equal(text, "one");
    text = mgc_device_list_next(&list, text);
    assert_string_equal(text, "");
    assert_null(mgc_device_list_next(&list, text));
    assert_null(mgc_device_list_next(&none, NULL));
    while (mgc_device_list_add(&list, &buf, "x"))
        continue;
    assert_int_equal(list.count, MGC_DEVICE_LIST_MAX);
    mgc_buf_destroy(&buf);

    static unsigned char much[MGC_DEVICE_PAYLOAD_MAX];
    struct mgc_buf out = {0};
    mgc_buf_puts(&out, "kept");
    struct mgc_device_msg msg = {
        .type = MGC_DEVICE_PUT_DATA, .id = 1, .put_data = {{much, sizeof(much)}}};
    assert_false(mgc_device_put_message(&out, &msg));
    assert_int_equal(out.len, 4);
    msg.put_data.data.size -= 4;
    assert_true(mgc_device_put_message(&out, &msg));
    mgc_buf_destroy(&out);
}

static void test_values_and_numbers(void **state)
{
    const char *text = NULL;
    int errnum = -1;
    assert_true(mgc_device_value("=12", &text, &errnum));
    assert_string_equal(text, "12");
    assert_false(mgc_device_value("!13", &text, &errnum));
    assert_int_equal(errnum, 13);
    assert_false(mgc_device_value("", &text, &errnum));
    assert_int_equal(errnum, 0);
    assert_string_equal(mgc_device_errnum_name(2), "ENOENT");
    assert_string_equal(mgc_device_errnum_name(999), "errno 999");
    assert_int_equal(mgc_device_errnum_code(28), MGC_E_NO_SPACE);
    assert_int_equal(mgc_device_errnum_code(999), MGC_E_IO);
    assert_string_equal(mgc_device_state_name(MGC_DEVICE_NO_FILE), "no-file");
    assert_string_equal(mgc_device_state_name(0), "unknown");
    assert_string_equal(mgc_device_state_name(7), "unknown");
    assert_string_equal(mgc_device_sink_what_name(MGC_DEVICE_SINK_GARBAGE), "garbage");
    assert_string_equal(mgc_device_sink_what_name(6), "unknown");
}

/* --- sink ------------------------------------------------------------------------------------- */

static void test_sink_tests(void **state)
{
    struct mgc_device_sink_run run = {MGC_DEVICE_SINK_UP, 1, 1000, 100, ""};
    assert_true(mgc_sink_run_check(&run, NULL));
    run.congestion = "bbr2_x-y";
    assert_true(mgc_sink_run_check(&run, NULL));
    run.congestion = "no such";
    assert_false(mgc_sink_run_check(&run, NULL));
    run = (struct mgc_device_sink_run){3, 1, 1000, 100, ""};
    assert_false(mgc_sink_run_check(&run, NULL));
    run = (struct mgc_device_sink_run){1, 0, 1000, 100, ""};
    assert_false(mgc_sink_run_check(&run, NULL));
    run = (struct mgc_device_sink_run){1, 17, 1000, 100, ""};
    assert_false(mgc_sink_run_check(&run, NULL));
    run = (struct mgc_device_sink_run){1, 1, 600001, 1000, ""};
    assert_false(mgc_sink_run_check(&run, NULL));
    run = (struct mgc_device_sink_run){1, 1, 1000, 1001, ""};
    assert_false(mgc_sink_run_check(&run, NULL));
    run = (struct mgc_device_sink_run){1, 1, 600000, 10, ""}; /* too many intervals */
    assert_false(mgc_sink_run_check(&run, NULL));
}

static void test_sink_tokens(void **state)
{
    /* sha256sum of "mgcoord link test" and the secret, on two lines without an end of the second */
    static const unsigned char expected[] = {0xd1, 0x7f, 0x28, 0x9a, 0x08, 0xab, 0x76, 0x33, 0x57,
        0x4e, 0xe9, 0x57, 0x05, 0xb2, 0x4c, 0xb3};
    unsigned char one[MGC_DEVICE_TOKEN_SIZE], two[MGC_DEVICE_TOKEN_SIZE];
    mgc_sink_token("0123456789abcdef", one);
    assert_memory_equal(one, expected, sizeof(one));
    memcpy(two, one, sizeof(two));
    assert_true(mgc_sink_token_equal(one, two));
    for (size_t i = 0; i < sizeof(two); i++) {
        two[i] ^= 0x80;
        assert_false(mgc_sink_token_equal(one, two));
        two[i] ^= 0x80;
    }
}

/* 250 ms in intervals of 100 ms, begun by the first byte; what comes later is not counted. */
static void test_sink_series(void **state)
{
    const struct mgc_device_sink_run run = {MGC_DEVICE_SINK_UP, 1, 250, 100, ""};
    struct mgc_sink_series series;
    const int64_t ms = MGC_NS_PER_MS, first = 7 * ms;
    assert_true(mgc_sink_series_make(&series, &run));
    assert_int_equal(series.count, 3);
    assert_true(mgc_sink_series_end_ns(&series) == MGC_NEVER);
    mgc_sink_series_add(&series, first, 1);
    assert_true(mgc_sink_series_end_ns(&series) == first + 250 * ms);
    mgc_sink_series_add(&series, first + 100 * ms - 1, 2);
    mgc_sink_series_add(&series, first + 100 * ms, 4);
    mgc_sink_series_add(&series, first + 250 * ms - 1, 8);
    mgc_sink_series_add(&series, first + 250 * ms, 16);
    mgc_sink_series_add(&series, first - 1, 32);
    assert_int_equal(series.bytes[0], 3);
    assert_int_equal(series.bytes[1], 4);
    assert_int_equal(series.bytes[2], 8);
    assert_int_equal(mgc_sink_series_total(&series), 15);
    mgc_sink_series_destroy(&series);
    mgc_sink_series_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_cut_and_stretched),
        cmocka_unit_test(test_strange_streams),
        cmocka_unit_test(test_texts_and_lists),
        cmocka_unit_test(test_list_walk_and_caps),
        cmocka_unit_test(test_values_and_numbers),
        cmocka_unit_test(test_sink_tests),
        cmocka_unit_test(test_sink_tokens),
        cmocka_unit_test(test_sink_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
