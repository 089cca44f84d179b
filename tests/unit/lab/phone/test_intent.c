#include "tests/lib/check.h"

#include <string.h>

#include "lab/phone/commands/intent.h"

#define COUNT(words) (int)(sizeof(words) / sizeof((words)[0]))

static bool parse(
    int count, const char *const *words, struct mgl_intent *ret, struct mgc_error *err)
{
    return mgl_intent_parse(count, (char **)(uintptr_t)words, ret, err);
}

static void parses_the_server_start(void **state)
{
    static const char *const words[] = {"-n", "a.b.trace/a.b.MobileGLServerService", "--es",
        "listen", "tcp://0.0.0.0:40613", "--es", "env", "A=1;B=", "--ez", "onscreen", "false",
        "--ei", "n", "-5", "--el", "target_call", "4660351000", "--ed", "ssim", "0.99"};
    static const char types[] = "sszild";
    struct mgl_intent intent;
    assert_true(parse(COUNT(words), words, &intent, NULL));
    assert_string_equal(intent.package, "a.b.trace");
    assert_string_equal(intent.class_name, "a.b.MobileGLServerService");
    assert_int_equal(intent.extra_count, 6);
    for (size_t i = 0; i < intent.extra_count; i++)
        assert_int_equal(intent.extras[i].type, types[i]);
    assert_string_equal(intent.extras[1].key, "env");
    assert_string_equal(intent.extras[1].value, "A=1;B=");
    assert_string_equal(intent.extras[4].value, "4660351000");
}

static void check_text(int count, const char *const *words, const char *expected)
{
    struct mgl_intent intent;
    struct mgc_buf out = {0};
    assert_true(parse(count, words, &intent, NULL));
    mgl_intent_print(&intent, &out);
    assert_string_equal(mgc_buf_text(&out), expected);
    mgc_buf_destroy(&out);
}

static void prints_as_android(void **state)
{
    static const char *const short_name[] = {"-a", "x.Y", "-n", "a.b/.C", "--es", "k", "v"};
    static const char *const inside[] = {"-n", "a.b/a.b.C"};
    static const char *const outside[] = {"a.b/x.C"};
    static const char *const action[] = {"-a", "x.Y", "-d", "file:///z"};
    check_text(COUNT(short_name), short_name, "Intent { act=x.Y cmp=a.b/.C (has extras) }");
    check_text(COUNT(inside), inside, "Intent { cmp=a.b/.C }");
    check_text(COUNT(outside), outside, "Intent { cmp=a.b/x.C }");
    check_text(COUNT(action), action, "Intent { act=x.Y dat=file:///z }");
}

static void fills_in_the_package(void **state)
{
    static const char *const words[] = {"-n", "a.b/.C"};
    struct mgl_intent intent;
    char name[64];
    assert_true(parse(COUNT(words), words, &intent, NULL));
    mgl_intent_full_class(&intent, name, sizeof(name));
    assert_string_equal(name, "a.b.C");
}

static void check_bad(int count, const char *const *words, const char *sentence)
{
    struct mgl_intent intent;
    struct mgc_error err = {0};
    assert_false(parse(count, words, &intent, &err));
    assert_non_null(strstr(err.text, sentence));
}

static void refuses_with_androids_words(void **state)
{
    check_bad(1, (const char *const[]){"--nope"}, "Error: Unknown option: --nope");
    check_bad(2, (const char *const[]){"-n", "noslash"}, "Bad component name: noslash");
    check_bad(2, (const char *const[]){"-n", "a/"}, "Bad component name: a/");
    check_bad(3, (const char *const[]){"--ei", "k", "1.5"}, "For input string: \"1.5\"");
    check_bad(3, (const char *const[]){"--ei", "k", "4660351000"}, "For input string");
    check_bad(3, (const char *const[]){"--ez", "k", "maybe"}, "Invalid boolean value: maybe");
    check_bad(2, (const char *const[]){"--es", "k"}, "Argument expected after");
    check_bad(1, (const char *const[]){"-n"}, "Argument expected after");
}

static void knows_wait_and_stop(void **state)
{
    static const char *const words[] = {"-W", "-S", "-n", "a.b/a.b.C"};
    static const char *const plain[] = {"-n", "a.b/x.C"};
    struct mgl_intent intent;
    struct mgc_buf out = {0};
    assert_true(parse(COUNT(words), words, &intent, NULL));
    assert_true(intent.wait && intent.stop);
    mgl_intent_print_component(&intent, &out);
    assert_string_equal(mgc_buf_text(&out), "a.b/.C");
    assert_true(parse(COUNT(plain), plain, &intent, NULL));
    assert_false(intent.wait || intent.stop);
    mgc_buf_destroy(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_the_server_start),
        cmocka_unit_test(prints_as_android),
        cmocka_unit_test(knows_wait_and_stop),
        cmocka_unit_test(fills_in_the_package),
        cmocka_unit_test(refuses_with_androids_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
