#include "coordinator/session/masked.h"

#include "tests/lib/check.h"

static void becomes(const char *text, const char *secret, const char *expected)
{
    struct mgc_buf out = {0};
    bool ok = mgc_masked(text, "token", secret, &out);
    assert_int_equal(ok, expected != NULL);
    assert_string_equal(mgc_buf_text(&out), expected ? expected : "");
    mgc_buf_destroy(&out);
}

static void a_text_without_secrets_stays(void **state)
{
    becomes("plan: a\n# tokens: many\nretries: 1", NULL, "plan: a\n# tokens: many\nretries: 1");
    becomes("", NULL, "");
}

static void the_value_goes(void **state)
{
    becomes("plan: a\ntoken: abc # def\nb: 1\n", "abc", "plan: a\ntoken: (secret)\nb: 1\n");
    becomes("{plan: a, \"token\" : 'abc', b: 1}\n", "abc", "{plan: a, \"token\" : (secret)\n");
    becomes("# token: old\n", NULL, "# token: (secret)\n");
    becomes("token: other\n", "abc", "token: (secret)\n"); /* of a source that lost */
}

static void what_cannot_be_masked_is_not_kept(void **state)
{
    becomes("token:\n  abc\n", NULL, NULL);
    becomes("token: |\n  abc\n", NULL, NULL);
    becomes("token: *t\n", NULL, NULL);
    becomes("name: abc\n", "abc", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_without_secrets_stays),
        cmocka_unit_test(the_value_goes),
        cmocka_unit_test(what_cannot_be_masked_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
