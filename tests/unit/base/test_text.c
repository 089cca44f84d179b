#include "common/base/text.h"

#include <string.h>

#include "tests/lib/check.h"

static void test_one_line(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", ""},
        {"plain text, 12 %", "plain text, 12 %"},
        {"two\nlines\r\n", "two lines"},
        {"\n \r\n", ""},
        {"\n\n  Error: \n\tNot found;  no service.\n\n", "Error: Not found;  no service."},
        {" kept ", " kept "},
        {"\033[2Jtab\there\x7f", "?[2Jtab here?"},
        {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"}, /* ü and ß: not control characters */
        {"csi \xc2\x9b"
         "31m",
            "csi ?31m"},
        {"no-break\xc2\xa0space", "no-break\xc2\xa0space"},
        {"cut \xc2", "cut \xc2"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[64];
        strcpy(text, rows[i].text);
        mgc_text_one_line(text);
        assert_string_equal(text, rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
