#include "common/cli/cli.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/help.h"
#include "tests/lib/capture.h"

struct options {
    bool verbose, quiet;
    const char *file;
    int64_t count;
    int64_t wait_ms;
    const char *mode;
    struct mgc_cli_strings names;
};

static const struct mgc_cli_range count_range = {1, 9};
static const char *const modes[] = {"fast", "slow", NULL};

static const struct mgc_cli_option table[] = {
    {"verbose", 'v', NULL, "say more", mgc_cli_flag, offsetof(struct options, verbose)},
    {"quiet", 'q', NULL, "say less", mgc_cli_flag, offsetof(struct options, quiet)},
    {"file", 'f', "FILE", "where to write", mgc_cli_string, offsetof(struct options, file)},
    {"count", 'n', "N", "how many", mgc_cli_int, offsetof(struct options, count), &count_range},
    {"wait", 0, "TIME", "how long", mgc_cli_duration_ms, offsetof(struct options, wait_ms)},
    {"mode", 0, "MODE", "fast or slow", mgc_cli_choice, offsetof(struct options, mode), modes},
    {"name", 0, "NAME", "may be given again", mgc_cli_list, offsetof(struct options, names)},
    {0},
};

static const struct mgc_cli two_operands = {
    .program = "prog", .synopsis = "[options] FROM TO", .options = table, .max_operands = 2};

/* Parse a command line of at most 15 words, given as one text. */
static enum mgc_cli_outcome parse(const struct mgc_cli *cli, const char *line,
    struct options *options, char *ret_operands, struct mgc_error *err)
{
    static char words[512];
    static char *argv[16];
    snprintf(words, sizeof(words), "prog %s", line);
    int argc = 0;
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    char **operands = NULL;
    int count = 0;
    *options = (struct options){0};
    enum mgc_cli_outcome outcome =
        mgc_cli_parse_args(cli, argc, argv, options, &operands, &count, err);
    ret_operands[0] = '\0';
    for (int i = 0; i < count; i++) {
        strcat(ret_operands, i ? " " : "");
        strcat(ret_operands, operands[i]);
    }
    return outcome;
}

static void test_good_lines(void **state)
{
    static const struct {
        const char *line;
        struct options want;
        const char *operands;
    } rows[] = {
        {"", {0}, ""},
        {"--verbose", {.verbose = true}, ""},
        {"-v -q", {.verbose = true, .quiet = true}, ""},
        {"-vq", {.verbose = true, .quiet = true}, ""},
        {"--file out", {.file = "out"}, ""},
        {"--file=out", {.file = "out"}, ""},
        {"--file=", {.file = ""}, ""},
        {"--file=a=b", {.file = "a=b"}, ""},
        {"--file --verbose", {.file = "--verbose"}, ""},
        {"-f out", {.file = "out"}, ""},
        {"-fout", {.file = "out"}, ""},
        {"-vfout", {.verbose = true, .file = "out"}, ""},
        {"-n 3", {.count = 3}, ""},
        {"--count=1 --count=9", {.count = 9}, ""},
        {"--wait 1.5s", {.wait_ms = 1500}, ""},
        {"--mode slow", {.mode = "slow"}, ""},
        {"a b", {0}, "a b"},
        {"a -v b", {.verbose = true}, "a b"},
        {"a --file x b -q", {.file = "x", .quiet = true}, "a b"},
        {"-v -- -q --x", {.verbose = true}, "-q --x"},
        {"a -- b", {0}, "a b"},
        {"- a", {0}, "- a"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct options got;
        char operands[256];
        struct mgc_error err = {0};
        if (parse(&two_operands, rows[i].line, &got, operands, &err) != MGC_CLI_RUN)
            fail_msg("'%s': %s", rows[i].line, err.text);
        const struct options *want = &rows[i].want;
        assert_int_equal(got.verbose, want->verbose);
        assert_int_equal(got.quiet, want->quiet);
        assert_int_equal(got.count, want->count);
        assert_int_equal(got.wait_ms, want->wait_ms);
        assert_string_equal(got.file ? got.file : "(none)", want->file ? want->file : "(none)");
        assert_string_equal(got.mode ? got.mode : "(none)", want->mode ? want->mode : "(none)");
        assert_string_equal(operands, rows[i].operands);
    }
}

static void test_bad_lines_name_option_and_value(void **state)
{
    static const struct {
        const char *line, *says;
    } rows[] = {
        {"--nope", "unknown option '--nope'"},
        {"--verb", "unknown option '--verb'"},
        {"--verbosex", "unknown option '--verbosex'"},
        {"-x", "unknown option '-x'"},
        {"-vx", "unknown option '-vx'"},
        {"--verbose=yes", "--verbose takes no value, got 'yes'"},
        {"--file", "--file needs a value: FILE"},
        {"-f", "--file needs a value: FILE"},
        {"-n 0", "--count '0': expected a whole number from 1 to 9"},
        {"-nten", "--count 'ten': expected a whole number"},
        {"--wait soon", "--wait 'soon': expected a duration"},
        {"--mode medium", "--mode 'medium': expected one of fast, slow"},
        {"a b c", "unexpected operand 'c'; usage: prog [options] FROM TO"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct options got;
        char operands[256];
        struct mgc_error err = {0};
        assert_int_equal(parse(&two_operands, rows[i].line, &got, operands, &err), MGC_CLI_BAD);
        assert_int_equal(err.code, MGC_E_USAGE);
        if (!strstr(err.text, rows[i].says))
            fail_msg("'%s': '%s' lacks '%s'", rows[i].line, err.text, rows[i].says);
        assert_int_equal(parse(&two_operands, rows[i].line, &got, operands, NULL), MGC_CLI_BAD);
    }
}

static void test_operand_counts(void **state)
{
    const struct mgc_cli one = {
        .program = "prog", .synopsis = "FILE", .min_operands = 1, .max_operands = 1};
    struct options got;
    char operands[256];
    struct mgc_error err = {0};
    assert_int_equal(parse(&one, "", &got, operands, &err), MGC_CLI_BAD);
    assert_non_null(strstr(err.text, "expected FILE, got 0 operands; see prog --help"));
    assert_int_equal(parse(&one, "a", &got, operands, &err), MGC_CLI_RUN);
    assert_int_equal(parse(&one, "a b", &got, operands, &err), MGC_CLI_BAD);
}

static void test_any_operands_stop_at_the_first(void **state)
{
    struct mgc_cli any = two_operands;
    any.max_operands = -1;
    struct options got;
    char operands[256];
    assert_int_equal(parse(&any, "-v cmd -q --nope -- x", &got, operands, NULL), MGC_CLI_RUN);
    assert_true(got.verbose);
    assert_false(got.quiet);
    assert_string_equal(operands, "cmd -q --nope -- x");
    assert_int_equal(parse(&any, "-v -- -q", &got, operands, NULL), MGC_CLI_RUN);
    assert_string_equal(operands, "-q");
}

static void test_help_wins_where_it_stands(void **state)
{
    struct options got;
    char operands[256];
    assert_int_equal(parse(&two_operands, "-v --help", &got, operands, NULL), MGC_CLI_HELP);
    assert_int_equal(parse(&two_operands, "-h", &got, operands, NULL), MGC_CLI_HELP);
    assert_int_equal(parse(&two_operands, "-- --help", &got, operands, NULL), MGC_CLI_RUN);
    assert_int_equal(parse(&two_operands, "--file --help", &got, operands, NULL), MGC_CLI_RUN);
}

static void test_list_has_a_limit(void **state)
{
    char *argv[2 + 40] = {(char *)"prog"};
    int argc = 1;
    while (argc <= 33)
        argv[argc++] = (char *)"--name=x";
    struct options got = {0};
    struct mgc_error err = {0};
    assert_int_equal(
        mgc_cli_parse_args(&two_operands, argc, argv, &got, NULL, NULL, &err), MGC_CLI_BAD);
    assert_int_equal(got.names.count, 32);
    assert_non_null(strstr(err.text, "more than 32"));
    got = (struct options){0};
    assert_int_equal(
        mgc_cli_parse_args(&two_operands, 3, argv, &got, NULL, NULL, &err), MGC_CLI_RUN);
    assert_int_equal(got.names.count, 2);
}

static void test_nothing_at_all(void **state)
{
    char *none[] = {NULL};
    const struct mgc_cli empty = {.program = "prog", .synopsis = ""};
    char **operands;
    int count = -1;
    assert_int_equal(
        mgc_cli_parse_args(&empty, 0, none, NULL, &operands, &count, NULL), MGC_CLI_RUN);
    assert_int_equal(count, 0);
}

static char *wrapped(const char *text, size_t indent, size_t column)
{
    struct capture capture;
    capture_open(&capture);
    mgc_cli_wrap(capture.file, text, indent, column);
    return capture_take(&capture);
}

static void test_wrap(void **state)
{
    static const char ten[] = "123456789 123456789 123456789 123456789 123456789 123456789 "
                              "123456789 123456789 tail";
    static const struct {
        const char *text;
        size_t indent, column;
        const char *want;
    } rows[] = {
        {"", 0, 0, "\n"},
        {"one two", 0, 0, "one two\n"},
        {"one", 4, 0, "    one\n"},
        {"one", 4, 2, "  one\n"},
        {"a\nb", 2, 0, "  a\n  b\n"},
        {"see:\n  indented", 0, 0, "see:\n  indented\n"},
        {"trailing  ", 0, 0, "trailing\n"},
        {"a\n\nb", 0, 0, "a\n\nb\n"},
        {ten, 0, 0,
            "123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789\n"
            "tail\n"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *got = wrapped(rows[i].text, rows[i].indent, rows[i].column);
        assert_string_equal(got, rows[i].want);
        free(got);
    }
}

static void test_print_help(void **state)
{
    static const struct mgc_cli_option rows[] = {
        {"all", 'a', NULL, "everything", mgc_cli_flag},
        {"a-rather-long-option-name", 0, "VALUE", "stands alone", mgc_cli_string},
        {"out", 0, "FILE",
            "a long explanation that does not fit on the rest of this line and goes on below",
            mgc_cli_string},
        {0},
    };
    const struct mgc_cli cli = {.program = "prog sub",
        .synopsis = "[options] X",
        .summary = "Does it.",
        .options = rows,
        .notes = "Exit 0."};
    struct capture capture;
    capture_open(&capture);
    mgc_cli_print_help(&cli, capture.file);
    char *out = capture_take(&capture);
    assert_string_equal(out,
        "Usage: prog sub [options] X\n"
        "\n"
        "Does it.\n"
        "\n"
        "Options:\n"
        "  -a, --all       everything\n"
        "      --a-rather-long-option-name VALUE\n"
        "                  stands alone\n"
        "      --out FILE  a long explanation that does not fit on the rest of this line\n"
        "                  and goes on below\n"
        "  -h, --help      print this help\n"
        "\n"
        "Exit 0.\n");
    free(out);
}

static int last_argc;

static int run_sub(int argc, char **argv)
{
    last_argc = argc;
    return strcmp(argv[0], "sub") == 0 ? 17 : 99;
}

static void test_dispatch(void **state)
{
    static const struct mgc_cli_command commands[] = {{"sub", "does it", run_sub}, {0}};
    static const struct {
        const char *word;
        int want;
    } rows[] = {
        {"sub", 17}, {"nope", 2}, {"--nope", 2}, {"--version", 0}, {"--help", 0}, {NULL, 2}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *argv[] = {(char *)"prog", (char *)rows[i].word, (char *)"x", NULL};
        int got =
            mgc_cli_dispatch("prog", "Does things.", "1.2", commands, rows[i].word ? 3 : 1, argv);
        assert_int_equal(got, rows[i].want);
    }
    assert_int_equal(last_argc, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_lines),
        cmocka_unit_test(test_bad_lines_name_option_and_value),
        cmocka_unit_test(test_operand_counts),
        cmocka_unit_test(test_any_operands_stop_at_the_first),
        cmocka_unit_test(test_help_wins_where_it_stands),
        cmocka_unit_test(test_list_has_a_limit),
        cmocka_unit_test(test_nothing_at_all),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_print_help),
        cmocka_unit_test(test_dispatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
