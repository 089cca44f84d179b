/* Render records: exact bytes, round trips, and what is refused. */
#include "tests/lib/check.h"

#include <string.h>

#include "lab/replay/record.h"

static enum mgr_decode decode(const struct mgc_buf *buf, struct mgr_record *record)
{
    size_t used;
    return mgr_record_decode(buf->data, buf->len, record, &used, NULL);
}

static void assert_bytes(const struct mgr_record *record, const void *bytes, size_t len)
{
    struct mgc_buf buf = {0};
    mgr_record_encode(&buf, record);
    assert_int_equal(buf.len, len);
    assert_memory_equal(buf.data, bytes, len);
    mgc_buf_destroy(&buf);
}

static void test_golden_bytes(void **state)
{
    struct mgr_record clear = {.kind = MGR_CLEAR, .colour = 0x44332211};
    assert_bytes(&clear, "\x01\0\0\0\x04\0\0\0\x11\x22\x33\x44", 12);
    struct mgr_record present = {.kind = MGR_PRESENT, .frame = 7, .call = 31249};
    assert_bytes(&present, "\x06\0\0\0\x0c\0\0\0\x07\0\0\0\x11\x7a\0\0\0\0\0\0", 20);
    struct mgr_record tris = {.kind = MGR_TRIS, .slot = 1, .reach = 10, .first = 2, .count = 3};
    assert_bytes(&tris, "\x05\0\0\0\x0c\0\0\0\x01\0\x0a\0\x02\0\0\0\x03\0\0\0", 20);
    struct mgr_record buffer = {
        .kind = MGR_BUFFER, .slot = 2, .bytes = 3, .data = (const uint8_t *)"abc"};
    assert_bytes(&buffer, "\x09\0\0\0\x0b\0\0\0\x02\0\0\0\x03\0\0\0abc", 19);
    struct mgr_record seed = {
        .kind = MGR_TEXTURE_SEED, .slot = 4, .width = 2, .height = 1, .seed = 5};
    assert_bytes(&seed, "\x02\0\0\0\x10\0\0\0\x04\0\x02\0\x01\0\0\0\x05\0\0\0\0\0\0\0", 24);
}

static void test_rects_round_trip(void **state)
{
    struct mgr_rect rect = {-3, 5, 6, 7, 8, 9, 0xff112233};
    struct mgc_buf rects = {0}, buf = {0};
    mgr_rect_encode(&rects, &rect);
    mgr_rect_encode(&rects, &rect);
    struct mgr_record record = {
        .kind = MGR_RECTS, .slot = 9, .count = 2, .data = (const uint8_t *)rects.data};
    mgr_record_encode(&buf, &record);
    struct mgr_record back;
    assert_int_equal(decode(&buf, &back), MGR_DECODE_OK);
    assert_int_equal(back.count, 2);
    struct mgr_rect second = mgr_record_rect(&back, 1);
    assert_memory_equal(&second, &rect, sizeof(rect));
    mgc_buf_destroy(&rects);
    mgc_buf_destroy(&buf);
}

static void test_expansion_makes_the_bytes(void **state)
{
    struct mgr_record seed = {.kind = MGR_BUFFER_SEED, .slot = 1, .bytes = 20, .seed = 42};
    struct mgc_buf buf = {0};
    mgr_record_expand(&buf, &seed);
    struct mgr_record wire;
    assert_int_equal(decode(&buf, &wire), MGR_DECODE_OK);
    assert_int_equal(wire.kind, MGR_BUFFER);
    assert_int_equal(wire.bytes, 20);
    uint8_t expected[20];
    mgr_seed_fill(42, expected, sizeof(expected));
    assert_memory_equal(wire.data, expected, sizeof(expected));
    /* First word of splitmix64 for seed 42, as published. */
    assert_memory_equal(expected, "\x95\x6e\xeb\x2f\x26\x32\xd7\xbd", 8);
    mgc_buf_destroy(&buf);
}

static void test_every_cut_asks_for_more(void **state)
{
    struct mgr_record buffer = {
        .kind = MGR_BUFFER, .slot = 2, .bytes = 3, .data = (const uint8_t *)"abc"};
    struct mgc_buf buf = {0};
    mgr_record_encode(&buf, &buffer);
    for (size_t len = 0; len < buf.len; len++) {
        struct mgr_record record;
        size_t used;
        assert_int_equal(mgr_record_decode(buf.data, len, &record, &used, NULL), MGR_DECODE_MORE);
    }
    mgc_buf_destroy(&buf);
}

static void test_malformed_records(void **state)
{
    static const struct {
        const char *bytes, *words;
        size_t len;
    } cases[] = {
        {"\x63\0\0\0\0\0\0\0", "unknown kind", 8},
        {"\x01\x01\0\0\x04\0\0\0", "reserved", 8},
        {"\x01\0\0\0\0\0\0\x7f", "over 4 MiB", 8},
        {"\x01\0\0\0\x05\0\0\0\0\0\0\0\0", "length", 13},
        {"\x01\0\0\0\x03\0\0\0\0\0\0", "length", 11},
        {"\x02\0\0\0\x10\0\0\0\0\0\x01\x02\x01\0\0\0\0\0\0\0\0\0\0\0", "1..512", 24},
        {"\x02\0\0\0\x10\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0", "1..512", 24},
        {"\x03\0\0\0\x10\0\0\0\0\0\0\0\x01\0\x20\0\0\0\0\0\0\0\0\0", "2 MiB", 24},
        {"\x04\0\0\0\x04\0\0\0\0\0\x01\0", "length", 12},
        {"\x05\0\0\0\x0c\0\0\0\0\0\x41\0\0\0\0\0\0\0\0\0", "64 pixels", 20},
        {"\x05\0\0\0\x0c\0\0\0\x40\0\x01\0\0\0\0\0\0\0\0\0", "slot", 20},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mgr_record record;
        size_t used;
        struct mgc_error err = {0};
        assert_int_equal(
            mgr_record_decode(cases[i].bytes, cases[i].len, &record, &used, &err), MGR_DECODE_BAD);
        assert_int_equal(err.code, MGC_E_PROTOCOL);
        if (!strstr(err.text, cases[i].words))
            fail_msg("case %zu: \"%s\"", i, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_bytes),
        cmocka_unit_test(test_rects_round_trip),
        cmocka_unit_test(test_expansion_makes_the_bytes),
        cmocka_unit_test(test_every_cut_asks_for_more),
        cmocka_unit_test(test_malformed_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
