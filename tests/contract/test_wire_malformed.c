/* Bytes no honest peer sends. Each must end in the named error, and none may make the decoder
 * reserve memory beyond what a frame of the allowed size can need. */
#include "tests/lib/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/wire/msg.h"
#include "tests/contract/wire_bytes.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN 1
#endif
#endif

#ifdef HAVE_ASAN
/* The sanitizer reserves address space by the terabyte, so its own limit stands in: one larger
 * allocation ends the test. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "max_allocation_size_mb=8";
}
#elif !defined(_WIN32)
#include <sys/resource.h>

static unsigned long address_space_bytes(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * 4096;
}
#endif

/* From here on a request for some more megabytes fails, and with it the test. */
static void limit_memory(void)
{
#if !defined(HAVE_ASAN) && !defined(_WIN32)
    unsigned long now = address_space_bytes();
    assert_true(now > 0);
    struct rlimit limit = {.rlim_cur = now + (8UL << 20), .rlim_max = RLIM_INFINITY};
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
#endif
}

static enum mgc_code decode_code(const void *data, size_t len, struct mgc_error *err)
{
    struct mgc_msg msg;
    *err = (struct mgc_error){0};
    /* A copy of the exact size, so that the sanitizer sees a read past the end. */
    void *copy = malloc(len ? len : 1);
    assert_non_null(copy);
    if (len)
        memcpy(copy, data, len);
    bool ok = mgc_msg_decode(copy, len, &msg, err);
    free(copy);
    if (!ok)
        return err->code;
    mgc_msg_destroy(&msg);
    return MGC_OK;
}

/* clang-format off */

#define FRAME(literal) {(literal), sizeof(literal) - 1}
#define HELLO                                                                                      \
    "\x00\x01" "\x01\x07" "\x10\x01" "\x11\x01" "\x12\xa3" "wsl" "\x13\xa1" "b" "\x14\xa1" "h"     \
    "\x15\xa1" "o" "\x16\xa0"
#define PING "\x00\x05" "\x01\x07" "\x10\x03" "\x11\x01" "\x12\x00"
#define HEX64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define RESULT                                                                                     \
    "\x00\x14" "\x01\x07" "\x02\x06" "\x10\x09" "\x11\xa2" "r1" "\x12\x01" "\x13\xa1" "w"          \
    "\x14\x0a" "\x15\x14" "\x16\x00" "\x17\x00" "\x18\xa0"
#define ARTIFACT(name) "\x85" "\x00" name "\x01\x02" "\x02\xd9\x40" HEX64 "\x03\xd9\x40" HEX64 "\x04\x00"

static const struct {
    const char *what;
    struct bytes frame;
    enum mgc_code code;
    const char *says; /* part of the sentence */
} cases[] = {
    /* not our format */
    {"nothing", FRAME(""), MGC_E_PROTOCOL, "0 bytes"},
    {"no map", FRAME("\x01"), MGC_E_PROTOCOL, "expected a map"},
    {"array", FRAME("\x91\x01"), MGC_E_PROTOCOL, "expected a map"},
    {"text", FRAME("GET / HTTP/1.1\r\n"), MGC_E_PROTOCOL, "expected a map"},
    {"bytes after the end", FRAME("\x80\x00"), MGC_E_PROTOCOL, "follow the end"},
    {"type byte nobody uses", FRAME("\x81\x00\xc1"), MGC_E_PROTOCOL, "0xc1"},
    {"extension", FRAME("\x81\x00\xd4\x01\x02"), MGC_E_PROTOCOL, "0xd4"},
    {"extension 32", FRAME("\x81\x00\xc9\xff\xff\xff\xff\x01"), MGC_E_PROTOCOL, "0xc9"},
    /* counts that msgpack-c would believe */
    {"map 32 of 4 G", FRAME("\xdf\xff\xff\xff\xff"), MGC_E_PROTOCOL, "declared"},
    {"map 16 of 64 k", FRAME("\xde\xff\xff"), MGC_E_PROTOCOL, "declared"},
    {"array 32 of 4 G", FRAME("\x81\x17\xdd\xff\xff\xff\xff"), MGC_E_PROTOCOL, "declared"},
    {"array 16 of 64 k", FRAME("\x81\x17\xdc\xff\xff"), MGC_E_PROTOCOL, "declared"},
    {"map whose pairs do not fit", FRAME("\x82\x00\x01\x01"), MGC_E_PROTOCOL, "declared"},
    {"text 32 of 4 G", FRAME("\x81\x12\xdb\xff\xff\xff\xff"), MGC_E_PROTOCOL, "ends inside"},
    {"binary 32 of 4 G", FRAME("\x81\x12\xc6\xff\xff\xff\xff"), MGC_E_PROTOCOL, "ends inside"},
    {"length cut", FRAME("\x81\x12\xdb\xff"), MGC_E_PROTOCOL, "ends inside"},
    /* envelope */
    {"empty map", FRAME("\x80"), MGC_E_PROTOCOL, "key 0 (kind) is missing"},
    {"kind 0", FRAME("\x81\x00\x00"), MGC_E_PROTOCOL, "no message kind"},
    {"kind negative", FRAME("\x81\x00\xff"), MGC_E_PROTOCOL, "key 0 (kind)"},
    {"kind text", FRAME("\x81\x00\xa1" "x"), MGC_E_PROTOCOL, "key 0 (kind)"},
    {"kind huge", FRAME("\x81\x00\xce\xff\xff\xff\xff"), MGC_E_PROTOCOL, "no message kind"},
    {"kind unknown", FRAME("\x82\x00\x64\x01\x07"), MGC_E_UNSUPPORTED, "kind 100"},
    {"kind twice", FRAME("\x82\x00\x05\x00\x05"), MGC_E_PROTOCOL, "key 0 (kind) occurs twice"},
    {"epoch text", FRAME("\x82\x00\x05\x01\xa0"), MGC_E_PROTOCOL, "key 1 (epoch)"},
    {"mid negative", FRAME("\x82\x00\x05\x02\xff"), MGC_E_PROTOCOL, "key 2 (mid)"},
    {"key is text", FRAME("\x86" PING "\xa1" "x" "\x00"), MGC_E_PROTOCOL, "a key is text"},
    {"key is negative", FRAME("\x86" PING "\xff\x00"), MGC_E_PROTOCOL, "a key is an integer"},
    {"key is a map", FRAME("\x86" PING "\x80\x00"), MGC_E_PROTOCOL, "a key is a map"},
    /* fields */
    {"missing key", FRAME("\x84\x00\x05\x01\x07\x10\x03\x11\x01"), MGC_E_PROTOCOL,
        "ping message: key 18 (boot_ns) is missing"},
    {"key twice", FRAME("\x86" PING "\x12\x00"), MGC_E_PROTOCOL,
        "ping message: key 18 (boot_ns) occurs twice"},
    {"text for a number", FRAME("\x85\x00\x05\x01\x07\x10\xa1" "3" "\x11\x01\x12\x00"),
        MGC_E_PROTOCOL, "key 16 (seq): expected an integer"},
    {"float for a number", FRAME("\x85\x00\x05\x01\x07\x10\xca\0\0\0\0\x11\x01\x12\x00"),
        MGC_E_PROTOCOL, "found a float"},
    {"nil for a number", FRAME("\x85\x00\x05\x01\x07\x10\xc0\x11\x01\x12\x00"), MGC_E_PROTOCOL,
        "found nil"},
    {"number past 63 bits",
        FRAME("\x85\x00\x05\x01\x07\x10\x01\x11\xcf\xff\xff\xff\xff\xff\xff\xff\xff\x12\x00"),
        MGC_E_PROTOCOL, "key 17 (sent_ns): expected an integer of 64 bits with sign"},
    {"number below its least", FRAME("\x85\x00\x05\x01\x07\x10\xff\x11\x01\x12\x00"),
        MGC_E_PROTOCOL, "expected at least 0, found -1"},
    {"limit past 30 days",
        FRAME("\x87\x00\x10\x02\x01\x10\x09\x11\xa1" "k" "\x12\xa0\x13\xcf\0\0\0\1\0\0\0\0\x14\x00"),
        MGC_E_PROTOCOL, "task message: key 19 (deadline_ms): expected at most 2592000000"},
    {"negative where only positive is", FRAME("\x83\x00\x08\x01\x07\x10\xff"), MGC_E_PROTOCOL,
        "ack message: key 16 (upto)"},
    {"number for text", FRAME("\x83\x00\x09\x10\x01\x11\x05"), MGC_E_PROTOCOL,
        "error message: key 17 (text): expected text, found an integer"},
    {"binary for text", FRAME("\x83\x00\x09\x10\x01\x11\xc4\x01" "x"), MGC_E_PROTOCOL, "found binary"},
    {"NUL in text", FRAME("\x83\x00\x09\x10\x01\x11\xa3" "a\0b"), MGC_E_PROTOCOL, "without NUL"},
    {"no UTF-8", FRAME("\x83\x00\x09\x10\x01\x11\xa2\xc3\x28"), MGC_E_PROTOCOL, "UTF-8"},
    {"overlong UTF-8", FRAME("\x83\x00\x09\x10\x01\x11\xa2\xc0\x80"), MGC_E_PROTOCOL, "UTF-8"},
    {"surrogate", FRAME("\x83\x00\x09\x10\x01\x11\xa3\xed\xa0\x80"), MGC_E_PROTOCOL, "UTF-8"},
    {"code out of range", FRAME("\x83\x00\x09\x10\x15\x11\xa0"), MGC_E_PROTOCOL,
        "error message: key 16 (code): expected a code below 21, found 21"},
    /* maps of named values */
    {"facts no map", FRAME("\x8a" HELLO "\x17\x05"), MGC_E_PROTOCOL,
        "hello message: key 23 (facts): expected a map of named values"},
    {"name no text", FRAME("\x8a" HELLO "\x17\x81\x05\x05"), MGC_E_PROTOCOL, "name of an entry"},
    {"value a map", FRAME("\x8a" HELLO "\x17\x81\xa1" "a" "\x80"), MGC_E_PROTOCOL,
        "value of 'a': expected a bool, number or text, found a map"},
    {"value not a number", FRAME("\x8a" HELLO "\x17\x81\xa1" "a" "\xcb\x7f\xf8\0\0\0\0\0\0"),
        MGC_E_PROTOCOL, "value of 'a': expected a finite number"},
    {"value infinite", FRAME("\x8a" HELLO "\x17\x81\xa1" "a" "\xca\xff\x80\0\0"),
        MGC_E_PROTOCOL, "value of 'a': expected a finite number"},
    {"name twice", FRAME("\x8a" HELLO "\x17\x82\xa1" "a" "\x01\xa1" "a" "\x02"), MGC_E_PROTOCOL,
        "name 'a' occurs twice"},
    {"value of 64 bits without sign",
        FRAME("\x8a" HELLO "\x17\x81\xa1" "a" "\xcf\xff\xff\xff\xff\xff\xff\xff\xff"),
        MGC_E_PROTOCOL, "value of 'a'"},
    /* artifacts */
    {"artifacts no array", FRAME("\x8d" RESULT "\x1a\x80"), MGC_E_PROTOCOL,
        "result message: key 26 (artifacts): expected an array"},
    {"artifact no map", FRAME("\x8d" RESULT "\x1a\x91\x05"), MGC_E_PROTOCOL, "a map for each"},
    {"artifact empty", FRAME("\x8d" RESULT "\x1a\x91\x80"), MGC_E_PROTOCOL,
        "key 0 (artifact name) is missing"},
    {"second artifact bad", FRAME("\x8d" RESULT "\x1a\x92" ARTIFACT("\xa1" "a") "\xc0"),
        MGC_E_PROTOCOL, "a map for each"},
    {"path that climbs", FRAME("\x8d" RESULT "\x1a\x91" ARTIFACT("\xa4" "../a")), MGC_E_PROTOCOL,
        "plain relative path"},
    {"chunk of an absolute path", FRAME("\x85\x00\x30\x01\x07\x10\x09\x11\xa2" "/a" "\x12\x00"),
        MGC_E_PROTOCOL, "chunk message: key 17 (name): expected a plain relative path"},
};

/* clang-format on */

static void test_table(void **state)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mgc_error err;
        enum mgc_code code = decode_code(cases[i].frame.data, cases[i].frame.len, &err);
        if (code != cases[i].code || !strstr(err.text, cases[i].says))
            fail_msg("%s: got %s \"%s\", expected %s with \"%s\"", cases[i].what,
                mgc_code_name(code), err.text, mgc_code_name(cases[i].code), cases[i].says);
    }
}

static void test_cut_at_every_byte(void **state)
{
    struct bytes whole = BYTES("\x8d" RESULT "\x1a\x91" ARTIFACT("\xa1"
                                                                 "a"));
    struct mgc_error err;
    assert_int_equal(decode_code(whole.data, whole.len, &err), MGC_OK);
    for (size_t len = 0; len < whole.len; len++)
        assert_int_equal(decode_code(whole.data, len, &err), MGC_E_PROTOCOL);
}

static void test_every_byte_changed(void **state)
{
    struct bytes whole = BYTES("\x8d" RESULT "\x1a\x91" ARTIFACT("\xa1"
                                                                 "a"));
    char frame[256];
    struct mgc_error err;
    assert_true(whole.len < sizeof(frame));
    for (size_t at = 0; at < whole.len; at++) {
        for (int value = 0; value < 256; value++) {
            memcpy(frame, whole.data, whole.len);
            frame[at] = (char)value;
            enum mgc_code code = decode_code(frame, whole.len, &err);
            assert_true(code == MGC_OK || code == MGC_E_PROTOCOL || code == MGC_E_UNSUPPORTED);
        }
    }
}

static void test_unknown_kind_keeps_the_envelope(void **state)
{
    struct bytes frame = BYTES("\x84\x00\x64"
                               "\x01\x07"
                               "\x02\x09"
                               "\x10\x90");
    struct mgc_msg msg;
    struct mgc_error err = {0};
    assert_false(mgc_msg_decode(frame.data, frame.len, &msg, &err));
    assert_int_equal(err.code, MGC_E_UNSUPPORTED);
    assert_int_equal(msg.kind, 100);
    assert_int_equal(msg.epoch, 7);
    assert_int_equal(msg.mid, 9);
    mgc_msg_destroy(&msg);
}

static void test_unknown_keys_are_ignored(void **state)
{
    struct bytes frame = BYTES("\x87" PING "\x3f\x93\xc0\xca\0\0\0\0\x81\xa1"
                               "a"
                               "\xc4\x01"
                               "b"
                               "\xce\x00\x01\x00\x00\xc2");
    struct mgc_msg msg;
    struct mgc_error err = {0};
    if (!mgc_msg_decode(frame.data, frame.len, &msg, &err))
        fail_msg("%s", err.text);
    assert_int_equal(msg.ping.seq, 3);
    mgc_msg_destroy(&msg);
}

/* kind: error, and under an unknown key as many arrays in one another as are asked for. */
static size_t nested(char *frame, size_t levels)
{
    memcpy(frame, "\x84\x00\x09\x10\x01\x11\xa0\x3f", 8);
    memset(frame + 8, 0x91, levels);
    frame[8 + levels] = 0x01;
    return 9 + levels;
}

static void test_nesting(void **state)
{
    static char frame[MGC_WIRE_HEADER_MAX];
    struct mgc_error err;
    size_t len = nested(frame, MGC_WIRE_DEPTH_MAX - 1); /* the message's own map is a level */
    assert_int_equal(decode_code(frame, len, &err), MGC_OK);
    len = nested(frame, MGC_WIRE_DEPTH_MAX);
    assert_int_equal(decode_code(frame, len, &err), MGC_E_PROTOCOL);
    assert_non_null(strstr(err.text, "nested deeper"));
    len = nested(frame, sizeof(frame) - 9);
    assert_int_equal(decode_code(frame, len, &err), MGC_E_PROTOCOL);
}

/* The same with one flat array of nils. */
static size_t crowded(char *frame, size_t count)
{
    memcpy(frame, "\x84\x00\x09\x10\x01\x11\xa0\x3f\xdc", 9);
    frame[9] = (char)(count >> 8);
    frame[10] = (char)count;
    memset(frame + 11, 0xc0, count);
    return 11 + count;
}

static void test_number_of_values(void **state)
{
    static char frame[MGC_WIRE_HEADER_MAX];
    struct mgc_error err;
    size_t own = 9; /* the map, its four keys, and four values of which one is the array */
    size_t len = crowded(frame, MGC_WIRE_ITEMS_MAX - own);
    assert_int_equal(decode_code(frame, len, &err), MGC_OK);
    len = crowded(frame, MGC_WIRE_ITEMS_MAX - own + 1);
    assert_int_equal(decode_code(frame, len, &err), MGC_E_PROTOCOL);
    assert_non_null(strstr(err.text, "more than 4096 values"));
}

static void test_size(void **state)
{
    static char frame[MGC_WIRE_HEADER_MAX + 1];
    struct mgc_error err;
    memcpy(frame, "\x83\x00\x09\x10\x01\x11\xdb\x00\x00", 9);
    memset(frame + 11, 'x', sizeof(frame) - 11);
    size_t body = MGC_WIRE_HEADER_MAX - 11;
    frame[9] = (char)(body >> 8);
    frame[10] = (char)body;
    assert_int_equal(decode_code(frame, MGC_WIRE_HEADER_MAX, &err), MGC_OK);
    body++;
    frame[9] = (char)(body >> 8);
    frame[10] = (char)body;
    assert_int_equal(decode_code(frame, sizeof(frame), &err), MGC_E_PROTOCOL);
    assert_non_null(strstr(err.text, "65537 bytes"));
}

static void test_encoder_keeps_the_caps(void **state)
{
    struct mgc_buf out = {0};
    struct mgc_error err = {0};
    char *text = malloc(MGC_WIRE_HEADER_MAX + 1);
    assert_non_null(text);
    memset(text, 'x', MGC_WIRE_HEADER_MAX);
    text[MGC_WIRE_HEADER_MAX] = '\0';
    struct mgc_msg msg = {.kind = MGC_MSG_BYE, .text = {.text = text}};
    mgc_buf_puts(&out, "kept");
    assert_false(mgc_msg_encode(&msg, &out, &err));
    assert_int_equal(err.code, MGC_E_NO_MEMORY);
    assert_string_equal(mgc_buf_text(&out), "kept");
    free(text);

    struct mgc_msg many = {.kind = MGC_MSG_EVENT, .event = {.name = (char *)"n"}};
    char name[16];
    for (int i = 0; i < MGC_WIRE_ITEMS_MAX / 2; i++) {
        snprintf(name, sizeof(name), "%d", i);
        assert_true(mgc_fields_set_bool(&many.event.fields, name, true));
    }
    assert_false(mgc_msg_encode(&many, &out, &err));
    assert_non_null(strstr(err.text, "event message"));
    mgc_fields_destroy(&many.event.fields);

    msg = (struct mgc_msg){.kind = (enum mgc_msg_kind)100};
    assert_false(mgc_msg_encode(&msg, &out, &err));
    assert_int_equal(err.code, MGC_E_UNSUPPORTED);
    mgc_buf_destroy(&out);
}

static void test_encoder_refuses_what_the_decoder_would(void **state)
{
    struct mgc_buf out = {0};
    struct mgc_error err = {0};
    struct mgc_msg task = {.kind = MGC_MSG_TASK,
        .task = {.task_id = 1, .kind = (char *)"k", .deadline_ms = MGC_WIRE_MS_MAX + 1}};
    assert_false(mgc_msg_encode(&task, &out, &err));
    assert_string_equal(err.text,
        "task message: key 19 (deadline_ms): expected at most 2592000000, found 2592000001");
    task.task.deadline_ms = MGC_WIRE_MS_MAX;
    assert_true(mgc_msg_encode(&task, &out, &err));

    struct mgc_msg event = {.kind = MGC_MSG_EVENT, .event = {.name = (char *)"n"}};
    assert_true(mgc_fields_set_double(&event.event.fields, "rate", (double)INFINITY));
    mgc_buf_clear(&out);
    assert_false(mgc_msg_encode(&event, &out, &err));
    assert_non_null(strstr(err.text, "value of 'rate': expected a finite number"));
    assert_int_equal(out.len, 0);
    mgc_fields_destroy(&event.event.fields);
    mgc_buf_destroy(&out);
}

static void test_destroy_takes_anything(void **state)
{
    struct mgc_msg msg = {0};
    mgc_msg_destroy(NULL);
    mgc_msg_destroy(&msg);
    msg.kind = MGC_MSG_RESULT;
    mgc_msg_destroy(&msg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_byte_changed),
        cmocka_unit_test(test_unknown_kind_keeps_the_envelope),
        cmocka_unit_test(test_unknown_keys_are_ignored),
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_number_of_values),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_encoder_keeps_the_caps),
        cmocka_unit_test(test_encoder_refuses_what_the_decoder_would),
        cmocka_unit_test(test_destroy_takes_anything),
    };
    limit_memory();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
