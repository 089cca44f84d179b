/* Whatever stands in a log, what comes out is characters that XML 1.0 has. */
#include <string.h>

#include "coordinator/report/xml.h"
#include "tests/lib/check.h"

static void assert_text(const char *text, const char *expected)
{
    struct mgc_buf out = {0};
    mgc_xml_text(&out, text);
    assert_string_equal(mgc_buf_text(&out), expected);
    mgc_buf_destroy(&out);
}

static void assert_attribute(const char *text, const char *expected)
{
    struct mgc_buf out = {0};
    mgc_xml_attribute(&out, "a", text);
    assert_string_equal(mgc_buf_text(&out), expected);
    mgc_buf_destroy(&out);
}

static void markup_is_escaped(void **state)
{
    (void)state;
    assert_text("a <b> & \"c\" 'd' ]]>", "a &lt;b&gt; &amp; &quot;c&quot; 'd' ]]&gt;");
    assert_attribute("<\"&", " a=\"&lt;&quot;&amp;\"");
}

static void control_characters_are_blanks(void **state)
{
    (void)state;
    assert_text("\x01\x08\x0b\x1b[31m\x7f", "    [31m ");
    assert_text("a\tb\rc\nd", "a b c\nd");
    assert_attribute("a\tb\rc\nd", " a=\"a b c d\"");
    assert_text("\xc2\x85|\xc2\x9b|\xc2\xa0", " | |\xc2\xa0");
}

static void what_is_no_character_is_a_question_mark(void **state)
{
    (void)state;
    assert_text("\xff|\xc3|\xed\xa0\x80|\xf5\x80\x80\x80", "?|?|???|????");
    assert_text("\xef\xbf\xbe|\xef\xbf\xbf|\xef\xbf\xbd", "?|?|\xef\xbf\xbd");
    assert_text("\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80");
    assert_text("cut off \xf0\x9f\x98", "cut off ???");
}

/* Every pair of bytes, also such as are half a character. */
static void nothing_forbidden_comes_out(void **state)
{
    (void)state;
    for (int first = 1; first < 256; first++) {
        for (int second = 1; second < 256; second++) {
            char text[] = {'x', (char)first, (char)second, '\0'};
            struct mgc_buf out = {0};
            mgc_xml_text(&out, text);
            for (size_t i = 0; i < out.len; i++) {
                unsigned char byte = (unsigned char)out.data[i];
                if ((byte < 0x20 && byte != '\n') || byte == 0x7f || byte == '<' || byte == '"')
                    fail_msg("%02x %02x becomes %s", first, second, out.data);
            }
            mgc_buf_destroy(&out);
        }
    }
}

static void absent_is_nothing(void **state)
{
    (void)state;
    assert_text(NULL, "");
    assert_attribute(NULL, "");
    assert_attribute("", " a=\"\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_is_escaped),
        cmocka_unit_test(control_characters_are_blanks),
        cmocka_unit_test(what_is_no_character_is_a_question_mark),
        cmocka_unit_test(nothing_forbidden_comes_out),
        cmocka_unit_test(absent_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
