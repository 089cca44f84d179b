#include "common/base/winpath.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/utf16.h"
#include "tests/lib/check.h"

static void assert_extended(const char *full, const char *want)
{
    uint16_t *wide = mgc_utf16_from_utf8(full, NULL);
    assert_non_null(wide);
    uint16_t *extended = mgc_winpath_extended(wide);
    assert_non_null(extended);
    char *got = mgc_utf8_from_utf16(extended, NULL);
    assert_string_equal(got, want);
    free(wide);
    free(extended);
    free(got);
}

static void test_extended(void **state)
{
    static const struct {
        const char *full, *want;
    } rows[] = {
        {"C:\\dir\\file", "\\\\?\\C:\\dir\\file"},
        {"C:\\", "\\\\?\\C:\\"},
        {"D:\\\xC3\xA4\\\xF0\x9F\x93\xB1", "\\\\?\\D:\\\xC3\xA4\\\xF0\x9F\x93\xB1"},
        {"\\\\server\\share\\x", "\\\\?\\UNC\\server\\share\\x"},
        {"\\\\?\\C:\\already", "\\\\?\\C:\\already"},
        {"\\\\?\\UNC\\server\\share", "\\\\?\\UNC\\server\\share"},
        {"\\\\.\\COM5", "\\\\.\\COM5"},
        {"\\\\.\\NUL", "\\\\.\\NUL"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_extended(rows[i].full, rows[i].want);
}

#ifdef _WIN32
static void test_any_path_of_ours(void **state)
{
    static const struct {
        const char *path, *want;
    } rows[] = {
        {"C:/dir//x/../file", "\\\\?\\C:\\dir\\file"},
        {"C:\\dir/file", "\\\\?\\C:\\dir\\file"},
        {"NUL", "\\\\.\\NUL"},
        {"//server/share/x", "\\\\?\\UNC\\server\\share\\x"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint16_t *wide = mgc_winpath_new(rows[i].path);
        assert_non_null(wide);
        char *got = mgc_utf8_from_utf16(wide, NULL);
        assert_string_equal(got, rows[i].want);
        free(wide);
        free(got);
    }
    assert_null(mgc_winpath_new(""));
    assert_null(mgc_winpath_new("C:/\xFF"));
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extended),
#ifdef _WIN32
        cmocka_unit_test(test_any_path_of_ours),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
