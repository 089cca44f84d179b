#include "common/base/utf16.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"

static size_t units_of(const uint16_t *text)
{
    size_t count = 0;
    while (text[count])
        count++;
    return count;
}

static void test_both_ways(void **state)
{
    static const struct {
        const char *narrow;
        uint16_t wide[8];
    } rows[] = {
        {"", {0}},
        {"a/b", {'a', '/', 'b', 0}},
        {"\x7F\xC2\x80\xDF\xBF", {0x7F, 0x80, 0x7FF, 0}},
        {"\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF", {0x800, 0xD7FF, 0xE000, 0xFFFF, 0}},
        {"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", {0xD800, 0xDC00, 0xDBFF, 0xDFFF, 0}},
        {"x\xF0\x9F\x93\xB1y", {'x', 0xD83D, 0xDCF1, 'y', 0}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t units = 99, bytes = 99;
        uint16_t *wide = mgc_utf16_from_utf8(rows[i].narrow, &units);
        assert_non_null(wide);
        assert_int_equal(units, units_of(rows[i].wide));
        assert_memory_equal(wide, rows[i].wide, (units + 1) * sizeof(*wide));
        char *narrow = mgc_utf8_from_utf16(rows[i].wide, &bytes);
        assert_non_null(narrow);
        assert_string_equal(narrow, rows[i].narrow);
        assert_int_equal(bytes, strlen(rows[i].narrow));
        free(wide);
        free(narrow);
    }
}

static void test_bad_utf8_is_refused(void **state)
{
    static const char *const rows[] = {
        "\x80",             /* continues nothing */
        "a\xC3",            /* ends too early */
        "a\xE6\xB5",        /* likewise */
        "\xF0\x9F\x93/",    /* something else inside */
        "\xC0\x80",         /* overlong NUL */
        "\xC0\xAF",         /* overlong '/' */
        "\xE0\x9F\xBF",     /* overlong U+07FF */
        "\xF0\x8F\xBF\xBF", /* overlong U+FFFF */
        "\xED\xA0\x80",     /* a surrogate */
        "\xED\xBF\xBF",     /* the last one */
        "\xF4\x90\x80\x80", /* past U+10FFFF */
        "\xF8\x88\x80\x80\x80",
        "\xFE",
        "\xFF",
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        errno = 0;
        if (mgc_utf16_from_utf8(rows[i], NULL) || errno != EILSEQ)
            fail_msg("row %zu was taken", i);
    }
}

static void test_lone_surrogates_are_refused(void **state)
{
    static const uint16_t rows[][4] = {
        {0xD800, 0}, {0xDC00, 0}, {'a', 0xDBFF, 'b', 0}, {0xDC00, 0xD800, 0}, {0xD800, 0xD800, 0}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        errno = 0;
        assert_null(mgc_utf8_from_utf16(rows[i], NULL));
        assert_int_equal(errno, EILSEQ);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_bad_utf8_is_refused),
        cmocka_unit_test(test_lone_surrogates_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
