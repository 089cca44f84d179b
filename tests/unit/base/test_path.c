#include "common/base/path.h"

#include <string.h>

#include "tests/lib/check.h"

static void test_join(void **state)
{
    char path[10];
    assert_true(mgc_path_join(path, sizeof(path), "/a", "b"));
    assert_string_equal(path, "/a/b");
    assert_true(mgc_path_join(path, sizeof(path), "/a/", "b"));
    assert_string_equal(path, "/a/b");
    assert_true(mgc_path_join(path, sizeof(path), "1234", "6789")); /* fits with its end */
    assert_false(mgc_path_join(path, sizeof(path), "1234", "67890"));
    assert_string_equal(path, "");
    assert_false(mgc_path_join(NULL, 0, "a", "b"));
}

static void test_base(void **state)
{
    static const char *const rows[][2] = {
        {"a", "a"}, {"/a", "a"}, {"a/b/c.txt", "c.txt"}, {"a/", ""}, {"", ""}, {"/", ""}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_string_equal(mgc_path_base(rows[i][0]), rows[i][1]);
}

static void test_is_safe(void **state)
{
    static const char *const safe[] = {"a", "a/b", "result.json", "a-b_c+d@e.1/f", "a..b", "A/0"};
    static const char *const unsafe[] = {"", "/a", "a/", "a//b", ".", "..", "../a", "a/../b",
        "a/.b", ".hidden", "a b", "a\\b", "a:b", "a\nb", "a\x80", "a*", "~", "$x"};
    for (size_t i = 0; i < sizeof(safe) / sizeof(safe[0]); i++) {
        if (!mgc_path_is_safe(safe[i]))
            fail_msg("refused '%s'", safe[i]);
    }
    for (size_t i = 0; i < sizeof(unsafe) / sizeof(unsafe[0]); i++) {
        if (mgc_path_is_safe(unsafe[i]))
            fail_msg("accepted '%s'", unsafe[i]);
    }
    char text[202];
    memset(text, 'a', sizeof(text));
    text[200] = '\0';
    assert_true(mgc_path_is_safe(text));
    text[200] = 'a';
    text[201] = '\0';
    assert_false(mgc_path_is_safe(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_base),
        cmocka_unit_test(test_is_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
