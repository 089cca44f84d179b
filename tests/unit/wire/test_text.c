#include "tests/lib/check.h"

#include <string.h>

#include "common/wire/text.h"

static const struct {
    const char *text;
    size_t len;
    bool valid;
    const char *repaired;
} cases[] = {
    {"", 0, true, ""},
    {"plain", 5, true, "plain"},
    {"\xc3\xbc", 2, true, "\xc3\xbc"},                 /* two bytes */
    {"\xe2\x82\xac", 3, true, "\xe2\x82\xac"},         /* three */
    {"\xf0\x9f\x98\x80", 4, true, "\xf0\x9f\x98\x80"}, /* four */
    {"\xf4\x8f\xbf\xbf", 4, true, "\xf4\x8f\xbf\xbf"}, /* the last code point */
    {"a\0b", 3, false,
        "a\xef\xbf\xbd"
        "b"},
    {"\x80", 1, false, "\xef\xbf\xbd"},                 /* tail without a head */
    {"\xc3", 1, false, "\xef\xbf\xbd"},                 /* head without a tail */
    {"\xc0\xaf", 2, false, "\xef\xbf\xbd\xef\xbf\xbd"}, /* overlong */
    {"\xe0\x80\xaf", 3, false, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    {"\xed\xa0\x80", 3, false, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* surrogate */
    {"\xf4\x90\x80\x80", 4, false, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    {"\xe2\x82", 2, false, "\xef\xbf\xbd\xef\xbf\xbd"}, /* cut */
    {"x\xffy", 3, false, "x\xef\xbf\xbdy"},
};

static void test_table(void **state)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mgc_buf out = {0};
        if (mgc_text_is_valid(cases[i].text, cases[i].len) != cases[i].valid)
            fail_msg("case %zu: validity", i);
        assert_true(mgc_text_repair(&out, cases[i].text, cases[i].len));
        assert_string_equal(mgc_buf_text(&out), cases[i].repaired);
        assert_true(mgc_text_is_valid(mgc_buf_text(&out), out.len));
        mgc_buf_destroy(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
