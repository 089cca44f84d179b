#include "worker-host/adb/quote.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/check.h"

static void quote_is(const char *argument, const char *want)
{
    struct mgc_buf out = {0};
    assert_true(mgc_adb_quote(&out, argument));
    assert_string_equal(mgc_buf_text(&out), want);
    mgc_buf_destroy(&out);
}

static void test_text(void **state)
{
    quote_is("", "''");
    quote_is("plain", "'plain'");
    quote_is("a b", "'a b'");
    quote_is("A=1;B=2", "'A=1;B=2'");
    quote_is("it's", "'it'\\''s'");
    quote_is("'", "''\\'''");
    quote_is("$(reboot)`x`\\", "'$(reboot)`x`\\'");
    quote_is("line\nline", "'line\nline'");
    quote_is("\xc3\xa4\xe2\x82\xac", "'\xc3\xa4\xe2\x82\xac'");
}

/* What a real shell makes of it; %s of printf prints the word's bytes as they are. */
static void shell_reads(const char *argument)
{
    const char *const argv[] = {"printf", "%s|", argument, "end", NULL};
    struct mgc_buf command = {0};
    char got[256] = {0};
    assert_true(mgc_adb_quote_all(&command, argv));
    FILE *pipe = popen(mgc_buf_text(&command), "r");
    assert_non_null(pipe);
    size_t len = fread(got, 1, sizeof(got) - 1, pipe);
    assert_int_equal(pclose(pipe), 0);
    char want[256];
    assert_int_equal(snprintf(want, sizeof(want), "%s|end|", argument), len);
    assert_string_equal(got, want);
    mgc_buf_destroy(&command);
}

static void test_real_shell(void **state)
{
#ifdef _WIN32
    skip(); /* a Windows host has no such shell; the text is the same everywhere */
#endif
    static const char *const words[] = {"", " ", "a b", "a;b", "a\nb", "'", "''", "it's \"so\"",
        "$HOME", "`id`", "$(id)", "\\", "\\n", "*", "~", "#x", "-n", "a&b|c>d<e", "!x", "\t",
        "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "A=1;B='2'"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        shell_reads(words[i]);
}

typedef bool check_fn(const char *text, struct mgc_error *err);

static void accepts(check_fn *check, const char *const *texts)
{
    for (; *texts; texts++) {
        struct mgc_error err = {0};
        if (!check(*texts, &err))
            fail_msg("refused '%s': %s", *texts, err.text);
    }
}

static void refuses(check_fn *check, const char *const *texts)
{
    for (; *texts; texts++) {
        struct mgc_error err = {0};
        if (check(*texts, &err))
            fail_msg("accepted '%s'", *texts);
        assert_int_equal(err.code, MGC_E_USAGE);
        assert_null(strchr(err.text, '\n'));
    }
}

static void test_serial(void **state)
{
    accepts(
        mgc_adb_check_serial, (const char *const[]){"2f7cbe2e", "10.99.0.2:5555", "emulator-5554",
                                  "adb-X1._adb-tls-connect._tcp.", "[fe80::1%eth0]:5555", NULL});
    refuses(mgc_adb_check_serial,
        (const char *const[]){"", "-s", "a b", "a;b", "a'b", "a\tb", "$x", "x/y", NULL});
    char longest[129];
    memset(longest, 'a', 128);
    longest[128] = '\0';
    assert_false(mgc_adb_check_serial(longest, NULL));
    assert_true(mgc_adb_check_serial(longest + 1, NULL));
}

static void test_package(void **state)
{
    accepts(mgc_adb_check_package,
        (const char *const[]){"top.mobilegl.plugin.trace", "a.b", "A1_.b2", NULL});
    refuses(mgc_adb_check_package, (const char *const[]){"", "abc", "a.", ".a.b", "a..b", "1a.b",
                                       "a.1b", "a.b;c", "a.b c", "a.b/c", "a.b'", "-a.b", NULL});
}

static void test_path(void **state)
{
    accepts(mgc_adb_check_path, (const char *const[]){"/data/local/tmp/x", "/sdcard/a b'c;d",
                                    "/a/..b/c", "/a/b..", "/\xc3\xa4", NULL});
    refuses(mgc_adb_check_path, (const char *const[]){"", "/", "a", "./a", "/a/../b", "/..",
                                    "/a/..", "/a\nb", "/a\x01", NULL});
}

static void test_env(void **state)
{
    accepts(mgc_adb_check_env, (const char *const[]){"", "A=1", "A=1;B=2", "A=;B", ";A=1;;",
                                   "_x=tcp://0.0.0.0:1", "A=a=b 'c'", NULL});
    refuses(mgc_adb_check_env,
        (const char *const[]){"=1", "1A=2", "A B=1", "A=1;b-c=2", "A=1\nB=2", " A=1", NULL});
}

static void test_env_error_hides_the_value(void **state)
{
    struct mgc_error err = {0};
    assert_false(mgc_adb_check_env("BAD-NAME=secret", &err));
    assert_null(strstr(err.text, "secret"));
    assert_non_null(strstr(err.text, "BAD-NAME"));
}

static void test_endpoint(void **state)
{
    accepts(mgc_adb_check_endpoint, (const char *const[]){"tcp://0.0.0.0:40613",
                                        "tcp://phone.lan:1", "tcp://[::]:65535", NULL});
    refuses(mgc_adb_check_endpoint,
        (const char *const[]){"", "tcp://", "tcp://:1", "0.0.0.0:1", "tcp://h", "tcp://h:0",
            "tcp://h:65536", "tcp://h:1x", "tcp://a b:1", "tcp://a;b:1", "unix://h:1", NULL});
}

static void test_filter(void **state)
{
    accepts(mgc_adb_check_filter,
        (const char *const[]){"", "MobileGL:V", "MobileGL:V MobileGLServer:V *:S", NULL});
    refuses(mgc_adb_check_filter, (const char *const[]){"MobileGL", "MobileGL:", "a:X", "-f:V",
                                      "a:V;reboot", " a:V", "a:VV", "a:V  b:V", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_real_shell),
        cmocka_unit_test(test_serial),
        cmocka_unit_test(test_package),
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_env),
        cmocka_unit_test(test_env_error_hides_the_value),
        cmocka_unit_test(test_endpoint),
        cmocka_unit_test(test_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
