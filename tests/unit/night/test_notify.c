/* The command that is run at a run's end: what it is given, and what it cannot do. */
#include "coordinator/night/notify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plat/file.h"
#include "coordinator/plan/schema.h"
#include "tests/lib/check.h"
#include "tests/lib/env.h"
#include "tests/lib/tmpdir.h"

static void put(struct mgc_settings *settings, const char *key, const char *const *texts, size_t n)
{
    struct mgc_problems problems = {0};
    struct mgc_source source = {.rank = MGC_RANK_PLAN, .origin = "p.yaml:3"};
    mgc_settings_put(
        settings, mgc_schema_find(&mgc_schema_plan, key), key, &source, texts, n, &problems);
    assert_int_equal(problems.errors.total, 0);
}

/* `sh -c SCRIPT sh ARG` with the tmpdir as the run's directory. */
static bool notify(const char *script, const char *timeout, struct mgc_error *err)
{
    struct mgc_settings settings = {0};
    const char *const argv[] = {"sh", "-c", script, "sh", "two words; $(false)"};
    struct mgc_notification notification = {.run_id = "r1",
        .dir = tmpdir_path,
        .report = "/r/REPORT.md",
        .summary = "p on \"phone\": 1 of 2",
        .exit_code = 3};
    put(&settings, "notify", argv, sizeof(argv) / sizeof(argv[0]));
    put(&settings, "notify_timeout", &timeout, 1);
    bool ok = mgc_notify(&settings, &notification, err);
    mgc_settings_destroy(&settings);
    return ok;
}

static const char *log_text(struct mgc_buf *text)
{
    mgc_buf_clear(text);
    assert_true(mgc_file_read(tmpdir_file("notify.log"), 65536, text, NULL));
    return mgc_buf_text(text);
}

/* A zombie, which only waits for whoever adopted it, has no command line. */
static bool is_alive(int pid)
{
    char path[64], first = '\0';
    snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
    FILE *file = fopen(path, "re");
    size_t got = file ? fread(&first, 1, 1, file) : 0;
    if (file)
        fclose(file);
    return got == 1;
}

static void the_command_is_told_how_it_went(void **state)
{
    struct mgc_buf text = {0};
    (void)state;
    env_set("TOKEN", "secret-secret-secret");
    env_set("MGC_RUN_ID", "of somebody above");
    assert_true(notify("echo \"$MGC_RUN_ID|$MGC_RUN_DIR|$MGC_EXIT|$MGC_SUMMARY|$MGC_REPORT|$1\"; "
                       "echo \"token ${TOKEN-none}\" >&2; [ -n \"$PATH\" ]",
        "60s", NULL));
    char expected[MGC_PATH_MAX];
    snprintf(expected, sizeof(expected),
        "r1|%s|3|p on \"phone\": 1 of 2|/r/REPORT.md|two words; $(false)\ntoken none\n",
        tmpdir_path);
    assert_string_equal(log_text(&text), expected);
    env_unset("TOKEN");
    env_unset("MGC_RUN_ID");
    mgc_buf_destroy(&text);
}

static void its_failure_is_told_and_logged(void **state)
{
    struct mgc_error err = {0};
    struct mgc_buf text = {0};
    (void)state;
    assert_false(notify("echo before; exit 7", "60s", &err));
    assert_string_equal(err.text, "notification command 'sh': it ended with exit code 7");
    assert_string_equal(
        log_text(&text), "before\nmgcoord: notification command 'sh': it ended with exit code 7\n");
    mgc_buf_destroy(&text);
}

/* Its children too: whoever waits for the run waits for the deadline and no longer. */
static void one_that_hangs_is_ended_with_all_that_it_started(void **state)
{
    struct mgc_error err = {0};
    struct mgc_buf text = {0};
    int child = 0;
    (void)state;
    assert_false(notify("sleep 600 & echo $!; wait", "1s", &err));
    assert_int_equal(err.code, MGC_E_TIMEOUT);
    assert_non_null(strstr(err.text, "longer than 1 s"));
    assert_int_equal(sscanf(log_text(&text), "%d", &child), 1);
    assert_true(child > 1);
    assert_false(is_alive(child));
    mgc_buf_destroy(&text);
}

static void one_that_leaves_a_child_behind_has_it_ended(void **state)
{
    struct mgc_buf text = {0};
    int child = 0;
    (void)state;
    assert_true(notify("sleep 600 & echo $!", "60s", NULL));
    assert_int_equal(sscanf(log_text(&text), "%d", &child), 1);
    assert_true(child > 1);
    assert_false(is_alive(child));
    mgc_buf_destroy(&text);
}

static void without_a_command_nothing_happens(void **state)
{
    struct mgc_settings settings = {0};
    struct mgc_notification notification = {.run_id = "r", .summary = "s"};
    (void)state;
    assert_true(mgc_notify(&settings, &notification, NULL));
    assert_true(mgc_notify_check(&settings, NULL));
    mgc_settings_destroy(&settings);
}

static void a_program_that_is_not_there_is_told(void **state)
{
    struct mgc_settings settings = {0};
    struct mgc_error err = {0};
    const char *const argv[] = {"/nowhere/notify", "x"};
    const char *timeout = "5s";
    struct mgc_notification notification = {
        .run_id = "r", .dir = tmpdir_path, .summary = "s", .exit_code = 0};
    (void)state;
    put(&settings, "notify", argv, 2);
    put(&settings, "notify_timeout", &timeout, 1);
    assert_false(mgc_notify_check(&settings, &err));
    assert_non_null(strstr(err.text, "p.yaml:3: notify: program '/nowhere/notify'"));
    err = (struct mgc_error){0};
    assert_false(mgc_notify(&settings, &notification, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    mgc_settings_destroy(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_command_is_told_how_it_went),
        cmocka_unit_test(its_failure_is_told_and_logged),
        cmocka_unit_test(one_that_hangs_is_ended_with_all_that_it_started),
        cmocka_unit_test(one_that_leaves_a_child_behind_has_it_ended),
        cmocka_unit_test(without_a_command_nothing_happens),
        cmocka_unit_test(a_program_that_is_not_there_is_told),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
