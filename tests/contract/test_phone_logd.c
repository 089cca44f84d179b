/* The datagrams of the phone's log. */
#include "tests/lib/check.h"

#include <string.h>

#include "lab/phone/logd.h"

/* clang-format off */
static const uint8_t golden[] = {
    1, 4,                         /* version, info */
    0x2a, 0x00, 0x00, 0x00,       /* thread 42 */
    0x08, 7, 6, 5, 4, 3, 2, 0x01, /* 0x0102030405060708 ns */
    'M', 'G', 0,                  /* tag */
    'h', 'i',                     /* text */
};
/* clang-format on */

static void encodes(void **state)
{
    struct mgl_logd_entry entry = {MGL_LOG_INFO, 42, INT64_C(0x0102030405060708), "MG", "hi", 2};
    uint8_t bytes[MGL_LOGD_DATAGRAM_MAX];
    assert_int_equal(mgl_logd_encode(bytes, &entry), sizeof(golden));
    assert_memory_equal(bytes, golden, sizeof(golden));
}

static void decodes(void **state)
{
    struct mgl_logd_entry entry;
    assert_true(mgl_logd_decode(golden, sizeof(golden), &entry));
    assert_int_equal(entry.prio, MGL_LOG_INFO);
    assert_int_equal(entry.tid, 42);
    assert_true(entry.wall_ns == INT64_C(0x0102030405060708));
    assert_string_equal(entry.tag, "MG");
    assert_int_equal(entry.text_len, 2);
    assert_memory_equal(entry.text, "hi", 2);
}

static void refuses_broken_datagrams(void **state)
{
    struct mgl_logd_entry entry;
    uint8_t bytes[sizeof(golden)];
    for (size_t len = 0; len < sizeof(golden) - 2; len++) /* up to the end of the tag */
        assert_false(mgl_logd_decode(golden, len, &entry));
    memcpy(bytes, golden, sizeof(bytes));
    bytes[0] = 2;
    assert_false(mgl_logd_decode(bytes, sizeof(bytes), &entry));
    bytes[0] = 1;
    bytes[1] = 8;
    assert_false(mgl_logd_decode(bytes, sizeof(bytes), &entry));
}

static void cuts_long_text(void **state)
{
    static char text[10000], tag[500];
    memset(text, 'x', sizeof(text));
    memset(tag, 't', sizeof(tag) - 1);
    struct mgl_logd_entry entry = {MGL_LOG_WARN, 1, 2, tag, text, sizeof(text)}, back;
    uint8_t bytes[MGL_LOGD_DATAGRAM_MAX];
    size_t len = mgl_logd_encode(bytes, &entry);
    assert_int_equal(len, sizeof(bytes));
    assert_true(mgl_logd_decode(bytes, len, &back));
    assert_int_equal(back.text_len, MGL_LOGD_TEXT_MAX);
    assert_int_equal(strlen(back.tag), MGL_LOGD_TAG_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes),
        cmocka_unit_test(decodes),
        cmocka_unit_test(refuses_broken_datagrams),
        cmocka_unit_test(cuts_long_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
