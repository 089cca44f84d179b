#include "lab/world/options.h"

#include <string.h>

#include "tests/lib/check.h"

static enum mgc_cli_outcome parse(
    char **argv, struct mgc_lab_run_options *options, char ***ret_command, struct mgc_error *err)
{
    int argc = 0;
    while (argv[argc] != NULL)
        argc++;
    return mgc_lab_run_parse(argc, argv, options, ret_command, err);
}

static void options_end_where_the_command_begins(void **state)
{
    char *argv[] = {(char[]){"run"}, (char[]){"--state"}, (char[]){"/s"}, (char[]){"--no-workers"},
        (char[]){"--fault"}, (char[]){"client-crash=3"}, (char[]){"--"}, (char[]){"sh"},
        (char[]){"-c"}, (char[]){"exit 7"}, NULL};
    struct mgc_lab_run_options options;
    char **command;
    assert_int_equal(parse(argv, &options, &command, NULL), MGC_CLI_RUN);
    assert_string_equal(options.state, "/s");
    assert_true(options.no_workers);
    assert_false(options.no_phone);
    assert_int_equal(options.frames_divisor, 1);
    assert_int_equal(options.heartbeat_ms, 0);
    assert_string_equal(command[0], "sh");
    assert_string_equal(command[1], "-c");
    assert_string_equal(command[2], "exit 7");
    assert_null(command[3]);
}

static void the_code_of_an_interrupt_is_an_exit_code(void **state)
{
    const struct {
        char *text;
        int64_t code; /* 0: refused */
    } rows[] = {{(char[]){"4"}, 4}, {(char[]){"125"}, 125}, {(char[]){"0"}, 0},
        {(char[]){"126"}, 0}, {(char[]){"x"}, 0}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *argv[] = {(char[]){"run"}, (char[]){"--interrupted-code"}, rows[i].text,
            (char[]){"--"}, (char[]){"true"}, NULL};
        struct mgc_lab_run_options options;
        char **command;
        enum mgc_cli_outcome expected = rows[i].code ? MGC_CLI_RUN : MGC_CLI_BAD;
        assert_int_equal(parse(argv, &options, &command, NULL), expected);
        if (rows[i].code)
            assert_int_equal(options.interrupted_code, rows[i].code);
    }
}

static void options_of_the_command_stay_with_it(void **state)
{
    char *argv[] = {(char[]){"run"}, (char[]){"mgcoord"}, (char[]){"--state"}, (char[]){"x"}, NULL};
    struct mgc_lab_run_options options;
    char **command;
    assert_int_equal(parse(argv, &options, &command, NULL), MGC_CLI_RUN);
    assert_null(options.state);
    assert_string_equal(command[1], "--state");
    assert_null(command[3]);
}

static void bad_lines_are_refused(void **state)
{
    char *none[] = {(char[]){"run"}, NULL};
    char *zero[] = {(char[]){"run"}, (char[]){"--frames-divisor=0"}, (char[]){"x"}, NULL};
    char *unknown[] = {(char[]){"run"}, (char[]){"--nope"}, (char[]){"x"}, NULL};
    char **lines[] = {none, zero, unknown};
    for (size_t i = 0; i < 3; i++) {
        struct mgc_lab_run_options options;
        struct mgc_error err = {0};
        char **command;
        assert_int_equal(parse(lines[i], &options, &command, &err), MGC_CLI_BAD);
        assert_int_equal(err.code, MGC_E_USAGE);
    }
}

static void faults_are_checked_one_by_one(void **state)
{
    struct mgc_lab_run_options options = {
        .faults = {.items = {"client-hang=2", "proxy-mode=drop"}, .count = 2}};
    struct mgc_lab_fault faults[2];
    struct mgc_error err = {0};
    size_t count = 0;
    assert_true(mgc_lab_run_faults(&options, faults, 2, &count, NULL));
    assert_int_equal(count, 2);
    assert_string_equal(faults[1].value, "drop");
    assert_false(mgc_lab_run_faults(&options, faults, 1, &count, &err));
    options.faults.items[1] = "client-hangs";
    assert_false(mgc_lab_run_faults(&options, faults, 2, &count, &err));
    assert_non_null(strstr(err.text, "client-hangs"));
}

static void a_link_is_a_profile_or_none(void **state)
{
    char *wifi[] = {(char[]){"run"}, (char[]){"--link=wifi"}, (char[]){"x"}, NULL};
    char *none[] = {(char[]){"run"}, (char[]){"--link=none"}, (char[]){"x"}, NULL};
    char *bad[] = {(char[]){"run"}, (char[]){"--link=lte"}, (char[]){"x"}, NULL};
    char *plain[] = {(char[]){"run"}, (char[]){"x"}, NULL};
    struct mgc_lab_run_options options;
    struct mgc_error err = {0};
    char **command;
    assert_int_equal(parse(wifi, &options, &command, NULL), MGC_CLI_RUN);
    assert_string_equal(options.link, "wifi");
    assert_int_equal(parse(none, &options, &command, NULL), MGC_CLI_RUN);
    assert_null(options.link);
    assert_int_equal(parse(plain, &options, &command, NULL), MGC_CLI_RUN);
    assert_string_equal(options.link, "ethernet");
    assert_int_equal(parse(bad, &options, &command, &err), MGC_CLI_BAD);
    assert_non_null(strstr(err.text, "lte"));
}

static void up_takes_the_same_options_and_an_idle_limit_but_no_command(void **state)
{
    char *line[] = {
        (char[]){"up"}, (char[]){"--idle-limit"}, (char[]){"5m"}, (char[]){"--link=wifi"}, NULL};
    char *extra[] = {(char[]){"up"}, (char[]){"true"}, NULL};
    struct mgc_lab_run_options options;
    assert_int_equal(mgc_lab_up_parse(4, line, &options, NULL), MGC_CLI_RUN);
    assert_int_equal(options.idle_limit_ms, 300000);
    assert_string_equal(options.link, "wifi");
    assert_int_equal(mgc_lab_up_parse(1, line, &options, NULL), MGC_CLI_RUN);
    assert_int_equal(options.idle_limit_ms, 7200000);
    assert_int_equal(mgc_lab_up_parse(2, extra, &options, NULL), MGC_CLI_BAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_end_where_the_command_begins),
        cmocka_unit_test(the_code_of_an_interrupt_is_an_exit_code),
        cmocka_unit_test(options_of_the_command_stay_with_it),
        cmocka_unit_test(bad_lines_are_refused),
        cmocka_unit_test(faults_are_checked_one_by_one),
        cmocka_unit_test(a_link_is_a_profile_or_none),
        cmocka_unit_test(up_takes_the_same_options_and_an_idle_limit_but_no_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
