/* adb packets, byte by byte. */
#include "tests/lib/check.h"

#include <string.h>

#include "lab/phone/packet.h"

/* What Debian's adb 29.0.6 sends first, with a shortened banner. */
/* clang-format off */
static const uint8_t connect_bytes[] = {
    'C', 'N', 'X', 'N',     /* command */
    0x01, 0x00, 0x00, 0x01, /* version 0x01000001 */
    0x00, 0x00, 0x10, 0x00, /* 1 MiB payloads */
    0x06, 0x00, 0x00, 0x00, /* payload length */
    0x32, 0x02, 0x00, 0x00, /* sum of the bytes of the payload */
    0xbc, 0xb1, 0xa7, 0xb1, /* ~command */
    'h', 'o', 's', 't', ':', ':',
};
/* clang-format on */

static void encodes_connect(void **state)
{
    struct mgl_packet packet = {
        MGL_ADB_CNXN, MGL_ADB_VERSION_SKIP_CHECKSUM, 1 << 20, (const uint8_t *)"host::", 6};
    struct mgc_buf out = {0};
    assert_true(mgl_packet_encode(&out, &packet, true));
    assert_int_equal(out.len, sizeof(connect_bytes));
    assert_memory_equal(out.data, connect_bytes, sizeof(connect_bytes));
    mgc_buf_destroy(&out);
}

static void decodes_connect_in_any_pieces(void **state)
{
    struct mgl_packet packet;
    for (size_t len = 0; len < sizeof(connect_bytes); len++)
        assert_int_equal(mgl_packet_decode(connect_bytes, len, true, &packet, NULL), 0);
    assert_int_equal(mgl_packet_decode(connect_bytes, sizeof(connect_bytes), true, &packet, NULL),
        sizeof(connect_bytes));
    assert_int_equal(packet.command, MGL_ADB_CNXN);
    assert_int_equal(packet.arg0, MGL_ADB_VERSION_SKIP_CHECKSUM);
    assert_int_equal(packet.arg1, 1 << 20);
    assert_int_equal(packet.payload_len, 6);
    assert_memory_equal(packet.payload, "host::", 6);
}

static long decode_changed(size_t at, uint8_t value, bool check_sum, struct mgc_error *err)
{
    uint8_t bytes[sizeof(connect_bytes)];
    struct mgl_packet packet;
    memcpy(bytes, connect_bytes, sizeof(bytes));
    bytes[at] = value;
    return mgl_packet_decode(bytes, sizeof(bytes), check_sum, &packet, err);
}

static void refuses_what_is_no_packet(void **state)
{
    struct mgc_error err;
    assert_int_equal(decode_changed(0, 'X', true, &err), -1);
    assert_non_null(strstr(err.text, "magic"));
    assert_int_equal(decode_changed(14, 0x11, true, &err), -1); /* 1 MiB and more */
    assert_non_null(strstr(err.text, "at most"));
    assert_int_equal(decode_changed(4, 0x00, true, &err), sizeof(connect_bytes)); /* sum is right */
}

static void refuses_a_wrong_checksum(void **state)
{
    uint8_t bytes[sizeof(connect_bytes)];
    struct mgl_packet packet;
    struct mgc_error err;
    memcpy(bytes, connect_bytes, sizeof(bytes));
    bytes[4] = 0; /* version 0x01000000 has checksums */
    bytes[24] = 'H';
    assert_int_equal(mgl_packet_decode(bytes, sizeof(bytes), true, &packet, &err), -1);
    assert_non_null(strstr(err.text, "checksum"));
}

/* Seen from adb 29.0.6 when it connects again: version 0x01000001 and a sum of 0. */
static void takes_a_connect_without_checksum(void **state)
{
    uint8_t bytes[sizeof(connect_bytes)];
    struct mgl_packet packet;
    memcpy(bytes, connect_bytes, sizeof(bytes));
    bytes[16] = bytes[17] = 0;
    assert_int_equal(mgl_packet_decode(bytes, sizeof(bytes), true, &packet, NULL), sizeof(bytes));
}

static void ignores_the_checksum_when_told(void **state)
{
    assert_int_equal(decode_changed(24, 'H', false, NULL), sizeof(connect_bytes));
}

static void leaves_the_checksum_out_when_told(void **state)
{
    struct mgl_packet packet = {MGL_ADB_WRTE, 1, 2, (const uint8_t *)"a", 1};
    static const uint8_t expected[] = {'W', 'R', 'T', 'E', 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0,
        0, 0, 0xa8, 0xad, 0xab, 0xba, 'a'};
    struct mgc_buf out = {0};
    assert_true(mgl_packet_encode(&out, &packet, false));
    assert_int_equal(out.len, sizeof(expected));
    assert_memory_equal(out.data, expected, sizeof(expected));
    mgc_buf_destroy(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes_connect),
        cmocka_unit_test(decodes_connect_in_any_pieces),
        cmocka_unit_test(refuses_what_is_no_packet),
        cmocka_unit_test(refuses_a_wrong_checksum),
        cmocka_unit_test(takes_a_connect_without_checksum),
        cmocka_unit_test(ignores_the_checksum_when_told),
        cmocka_unit_test(leaves_the_checksum_out_when_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
