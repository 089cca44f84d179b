#include "worker-host/adb/appfile.h"

#include <string.h>

#include "tests/lib/check.h"

/* Figures of coreutils' cksum. */
static void test_cksum(void **state)
{
    assert_int_equal(mgc_adb_cksum_finish(0, 0), 4294967295u);
    uint32_t crc = mgc_adb_cksum_update(0, "123456789", 9);
    assert_int_equal(mgc_adb_cksum_finish(crc, 9), 930766865u);
    crc = mgc_adb_cksum_update(0, "1234", 4);
    crc = mgc_adb_cksum_update(crc, "56789", 5);
    assert_int_equal(mgc_adb_cksum_finish(crc, 9), 930766865u);
    char zeros[300] = {0};
    assert_int_equal(
        mgc_adb_cksum_finish(mgc_adb_cksum_update(0, zeros, sizeof(zeros)), sizeof(zeros)),
        351385237u);
}

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_measure(void **state)
{
    struct mgc_adb_measure measure;
    mgc_adb_measure_parse("mgc-size 12\nmgc-sha256 " HEX "\n", &measure);
    assert_true(measure.has_size && measure.has_sha256 && !measure.has_cksum);
    assert_int_equal(measure.size, 12);
    assert_string_equal(measure.sha256, HEX);

    mgc_adb_measure_parse("noise\r\nmgc-size 0\r\nmgc-cksum 4294967295", &measure);
    assert_true(measure.has_size && !measure.has_sha256 && measure.has_cksum);
    assert_int_equal(measure.cksum, 4294967295u);
}

static void test_bad_measures(void **state)
{
    static const char *const texts[] = {"", "mgc-size", "mgc-size -1", "mgc-size 1x", "xmgc-size 1",
        "mgc-sha256 " HEX "0", "mgc-sha256 0123", "mgc-cksum 4294967296",
        "cat: /x: No such file or directory"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct mgc_adb_measure measure;
        mgc_adb_measure_parse(texts[i], &measure);
        if (measure.has_size || measure.has_sha256 || measure.has_cksum)
            fail_msg("took '%s'", texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cksum),
        cmocka_unit_test(test_measure),
        cmocka_unit_test(test_bad_measures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
