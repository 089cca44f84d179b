/* adb's file service, version 1, byte by byte. */
#include "tests/lib/check.h"

#include <string.h>

#include "lab/phone/sync.h"

static void decodes_a_request_head(void **state)
{
    static const uint8_t bytes[] = {'S', 'E', 'N', 'D', 0x0b, 0x01, 0x00, 0x00};
    struct mgl_sync_head head;
    mgl_sync_head_decode(bytes, &head);
    assert_int_equal(head.id, MGL_SYNC_SEND);
    assert_int_equal(head.number, 267);
}

static void caps_requests(void **state)
{
    struct mgc_error err;
    struct mgl_sync_head head = {MGL_SYNC_STAT, MGL_SYNC_PATH_MAX};
    assert_true(mgl_sync_check_request(&head, &err));
    head.number++;
    assert_false(mgl_sync_check_request(&head, &err));
    head.number = 0;
    assert_false(mgl_sync_check_request(&head, &err));
    head = (struct mgl_sync_head){MGL_SYNC_QUIT, 0};
    assert_true(mgl_sync_check_request(&head, &err));
    head = (struct mgl_sync_head){MGL_SYNC_ID('S', 'T', 'A', '2'), 4};
    assert_false(mgl_sync_check_request(&head, &err));
    assert_int_equal(err.code, MGC_E_PROTOCOL);
}

static void caps_chunks(void **state)
{
    struct mgl_sync_head head = {MGL_SYNC_DATA, MGL_SYNC_DATA_MAX};
    assert_true(mgl_sync_check_chunk(&head, NULL));
    head.number++;
    assert_false(mgl_sync_check_chunk(&head, NULL));
    head = (struct mgl_sync_head){MGL_SYNC_DONE, UINT32_MAX}; /* a time, not a length */
    assert_true(mgl_sync_check_chunk(&head, NULL));
    head = (struct mgl_sync_head){MGL_SYNC_STAT, 1};
    assert_false(mgl_sync_check_chunk(&head, NULL));
}

static void parses_send(void **state)
{
    char spec[] = "/data/local/tmp/a,b.txt,33206"; /* 0100666 */
    const char *path;
    uint32_t mode;
    assert_true(mgl_sync_parse_send(spec, &path, &mode));
    assert_string_equal(path, "/data/local/tmp/a,b.txt");
    assert_int_equal(mode, 0100666);
}

static void refuses_bad_send(void **state)
{
    static const char *const bad[] = {"", "/a", "/a,", ",420", "/a,-1", "/a,420x", "/a,999999999"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char spec[64];
        const char *path;
        uint32_t mode;
        strcpy(spec, bad[i]);
        assert_false(mgl_sync_parse_send(spec, &path, &mode));
    }
}

static void encodes_answers(void **state)
{
    /* clang-format off */
    static const uint8_t expected[] = {
        'D', 'E', 'N', 'T', 0xb4, 0x81, 0, 0,  /* 0100664 */
        0x05, 0, 0, 0, 0x00, 0x00, 0x00, 0x60, /* 5 bytes, time 0x60000000 */
        0x02, 0, 0, 0, 'h', 'i',               /* name */
        'D', 'O', 'N', 'E', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        'F', 'A', 'I', 'L', 0x02, 0, 0, 0, 'n', 'o',
        'S', 'T', 'A', 'T', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    };
    /* clang-format on */
    struct mgc_buf out = {0};
    const struct mgl_sync_stat file = {0100664, 5, 0x60000000}, absent = {0};
    mgl_sync_append_dent(&out, &file, "hi");
    mgl_sync_append_list_end(&out);
    mgl_sync_append_fail(&out, "no");
    assert_true(mgl_sync_append_stat(&out, &absent));
    assert_int_equal(out.len, sizeof(expected));
    assert_memory_equal(out.data, expected, sizeof(expected));
    mgc_buf_destroy(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_a_request_head),
        cmocka_unit_test(caps_requests),
        cmocka_unit_test(caps_chunks),
        cmocka_unit_test(parses_send),
        cmocka_unit_test(refuses_bad_send),
        cmocka_unit_test(encodes_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
