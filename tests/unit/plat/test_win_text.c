/* The pure half of plat/win: command lines, environments, error numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plat/win/codes.h"
#include "common/plat/win/quote.h"
#include "tests/lib/check.h"

enum { WORDS_MAX = 16 };

/* Splits as CommandLineToArgvW and the C runtime do, written down from Microsoft's description
 * ("Parsing C command-line arguments") to check the quoting against. */
static size_t split(const char *line, char words[WORDS_MAX][64])
{
    size_t count = 0;
    const char *p = line;
    if (*p == '"') { /* the program: no escapes */
        size_t len = strcspn(p + 1, "\"");
        snprintf(words[count++], 64, "%.*s", (int)len, p + 1);
        p += len + 2;
    }
    while (*(p += strspn(p, " \t"))) {
        char *out = words[count++];
        bool quoted = false;
        for (; *p && (quoted || (*p != ' ' && *p != '\t'));) {
            size_t slashes = strspn(p, "\\");
            p += slashes;
            bool mark = *p == '"';
            for (size_t i = 0; i < (mark ? slashes / 2 : slashes); i++)
                *out++ = '\\';
            if (mark && slashes % 2 == 0)
                quoted = !quoted, p++;
            else if (mark || (!slashes && *p))
                *out++ = *p++;
        }
        *out = '\0';
    }
    return count;
}

static void assert_round_trip(const char *const *argv, const char *want)
{
    struct mgc_buf line = {0};
    char words[WORDS_MAX][64];
    assert_true(mgc_win_command_line(&line, argv, NULL));
    if (want)
        assert_string_equal(mgc_buf_text(&line), want);
    size_t count = split(mgc_buf_text(&line), words);
    for (size_t i = 0; argv[i]; i++) {
        assert_true(i < count);
        assert_string_equal(words[i], argv[i]);
        if (!argv[i + 1])
            assert_int_equal(count, i + 1);
    }
    mgc_buf_destroy(&line);
}

static void test_golden_lines(void **state)
{
    static const struct {
        const char *argv[6], *want;
    } rows[] = {
        {{"adb", "-P", "5037", "start-server"}, "\"adb\" -P 5037 start-server"},
        {{"C:\\Program Files\\x.exe", "a b"}, "\"C:\\Program Files\\x.exe\" \"a b\""},
        {{"p", ""}, "\"p\" \"\""},
        {{"p", "say \"hi\""}, "\"p\" \"say \\\"hi\\\"\""},
        {{"p", "C:\\dir\\"}, "\"p\" C:\\dir\\"},
        {{"p", "C:\\my dir\\"}, "\"p\" \"C:\\my dir\\\\\""},
        {{"p", "a\\\\\"b"}, "\"p\" \"a\\\\\\\\\\\"b\""},
        {{"p", "a\\b c"}, "\"p\" \"a\\b c\""},
        {{"p", "%PATH%", "^&|<>"}, "\"p\" %PATH% ^&|<>"},
        {{"p", "tab\there"}, "\"p\" \"tab\there\""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_round_trip(rows[i].argv, rows[i].want);
}

/* Every word of up to five of the characters that matter. */
static void test_every_short_word_comes_back(void **state)
{
    static const char alphabet[] = "\\\" a";
    char word[6];
    const char *const argv[] = {"p", word, "next", NULL};
    for (int number = 0; number < 4 * 4 * 4 * 4 * 4; number++) {
        for (size_t len = 0; len <= 5; len++) {
            int rest = number;
            for (size_t i = 0; i < len; i++, rest /= 4)
                word[i] = alphabet[rest % 4];
            word[len] = '\0';
            if (rest == 0)
                assert_round_trip(argv, NULL);
        }
    }
}

static void test_refused_programs(void **state)
{
    static const struct {
        const char *program;
        enum mgc_code code;
    } rows[] = {
        {"a\"b.exe", MGC_E_USAGE}, {"run.bat", MGC_E_UNSUPPORTED},
        {"C:\\x\\RUN.CMD", MGC_E_UNSUPPORTED},
        {"run.bat. .", MGC_E_UNSUPPORTED}, /* Windows opens run.bat */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *const argv[] = {rows[i].program, "x", NULL};
        struct mgc_buf line = {0};
        struct mgc_error err = {0};
        assert_false(mgc_win_command_line(&line, argv, &err));
        assert_int_equal(err.code, rows[i].code);
        assert_non_null(strstr(err.text, rows[i].program));
        mgc_buf_destroy(&line);
    }
}

static void test_length_limit(void **state)
{
    char *big = malloc(32768);
    assert_non_null(big);
    memset(big, 'x', 32767);
    big[32767] = '\0';
    const char *const argv[] = {"p", big, NULL};
    struct mgc_buf line = {0};
    struct mgc_error err = {0};
    assert_false(mgc_win_command_line(&line, argv, &err));
    assert_int_equal(err.code, MGC_E_USAGE);
    mgc_buf_clear(&line);
    big[32000] = '\0';
    assert_true(mgc_win_command_line(&line, argv, &err));
    mgc_buf_destroy(&line);
    free(big);
}

static void assert_block(const char *const *env, const char *more, const char *want, size_t len)
{
    struct mgc_buf block = {0};
    struct mgc_error err = {0};
    if (!mgc_win_environment(&block, env, more, &err))
        fail_msg("%s", err.text);
    assert_int_equal(block.len, len);
    assert_memory_equal(block.data, want, len);
    mgc_buf_destroy(&block);
}

static void test_environment(void **state)
{
    static const char *const some[] = {"b=2", "A=1", "=C:=C:\\x", "c=", NULL};
    static const char *const twice[] = {"Path=old", "X=1", "PATH=new", NULL};
    static const char *const none[] = {NULL};
    static const char some_block[] = "=C:=C:\\x\0A=1\0b=2\0c=\0";
    static const char more_block[] = "=C:=C:\\x\0A=1\0B=3=4\0c=\0";
    static const char twice_block[] = "PATH=new\0X=1\0";
    assert_block(some, NULL, some_block, sizeof(some_block));
    assert_block(some, "B=3=4", more_block, sizeof(more_block));
    assert_block(twice, NULL, twice_block, sizeof(twice_block));
    assert_block(none, NULL, "\0", 2);
}

static void test_bad_environment(void **state)
{
    static const char *const rows[] = {"", "novalue", "=", "=x"};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *const env[] = {"A=1", rows[i], NULL};
        struct mgc_buf block = {0};
        struct mgc_error err = {0};
        assert_false(mgc_win_environment(&block, env, NULL, &err));
        assert_int_equal(err.code, MGC_E_USAGE);
        mgc_buf_destroy(&block);
    }
}

static void test_codes(void **state)
{
    static const struct {
        uint32_t error;
        enum mgc_code code;
    } rows[] = {
        {0, MGC_OK},
        {2, MGC_E_NOT_FOUND},
        {3, MGC_E_NOT_FOUND},
        {5, MGC_E_DENIED},
        {32, MGC_E_BUSY},
        {112, MGC_E_NO_SPACE},
        {183, MGC_E_EXISTS},
        {10054, MGC_E_LOST},
        {10060, MGC_E_TIMEOUT},
        {10061, MGC_E_REFUSED},
        {10051, MGC_E_UNREACHABLE},
        {4711, MGC_E_IO},
        {UINT32_MAX, MGC_E_IO},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(mgc_win_code(rows[i].error), rows[i].code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_lines),
        cmocka_unit_test(test_every_short_word_comes_back),
        cmocka_unit_test(test_refused_programs),
        cmocka_unit_test(test_length_limit),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_bad_environment),
        cmocka_unit_test(test_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
