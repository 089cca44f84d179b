/* process.h as every system must do it, with a program of our own as the child. What only one
 * system has (signals, groups, /proc) is in test_process.c. */
#include "common/plat/process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef _WIN32
#include <windows.h>
#endif

#include "common/base/clock.h"
#include "tests/lib/check.h"
#include "tests/lib/env.h"
#include "tests/lib/tmpdir.h"

static const char *child_program; /* from argv */

static int64_t soon(void)
{
    return mgc_deadline_in_ms(60000);
}

/* Words up to a NULL after the program's name. */
static struct mgc_process *start(const char *const *words, struct mgc_process_spec spec)
{
    const char *argv[16] = {child_program};
    struct mgc_error err = {0};
    for (size_t i = 0; words[i]; i++)
        argv[i + 1] = words[i];
    spec.argv = argv;
    struct mgc_process *process = mgc_process_start(&spec, &err);
    if (!process)
        fail_msg("%s", err.text);
    return process;
}

#define START(spec, ...) start((const char *const[]){__VA_ARGS__, NULL}, spec)
#define PLAIN            ((struct mgc_process_spec){0})
#define PIPED            ((struct mgc_process_spec){.stdout_pipe = true})

static struct mgc_exit finish(struct mgc_process *process)
{
    struct mgc_exit exit = {0};
    struct mgc_error err = {0};
    if (!mgc_process_wait(process, soon(), &exit, &err))
        fail_msg("%s", err.text);
    return exit;
}

static const char *drain(struct mgc_process *process)
{
    static char text[4096];
    size_t len = 0;
    long got;
    while ((got = (long)read(
                mgc_process_stdout(process), text + len, (unsigned)(sizeof(text) - 1 - len))) > 0)
        len += (size_t)got;
    text[len] = '\0';
    return text;
}

/* First line of the pipe, while the writer lives on. */
static const char *await_line(struct mgc_process *process)
{
    static char line[256];
    size_t len = 0;
    while (len + 1 < sizeof(line) && read(mgc_process_stdout(process), line + len, 1) == 1 &&
           line[len] != '\n')
        len++;
    line[len] = '\0';
    return line;
}

static void assert_content(const char *path, const char *want)
{
    struct mgc_buf buf = {0};
    struct mgc_error err = {0};
    if (!mgc_file_read(path, 4096, &buf, &err))
        fail_msg("%s", err.text);
    assert_string_equal(mgc_buf_text(&buf), want);
    mgc_buf_destroy(&buf);
}

/* Every process here has a deadline to be gone by, and no event that a stranger could wait for. */
static void assert_gone(int64_t pid, uint64_t ticks)
{
    int64_t deadline_ns = soon();
    uint64_t now;
    while (mgc_process_start_time(pid, &now) && now == ticks) {
        assert_false(mgc_deadline_past(deadline_ns));
        mgc_sleep_ms(10);
    }
}

static void test_exit_codes(void **state)
{
    static const char *const codes[] = {"0", "1", "7", "255"};
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        struct mgc_process *process = START(PLAIN, "exit", codes[i]);
        struct mgc_exit exit = finish(process), again = finish(process);
        char text[64], want[64];
        assert_int_equal(exit.kind, MGC_EXIT_CODE);
        assert_int_equal(exit.value, atoi(codes[i]));
        assert_int_equal(again.value, exit.value);
        snprintf(want, sizeof(want), "exit code %s", codes[i]);
        assert_string_equal(mgc_exit_text(&exit, text, sizeof(text)), want);
        mgc_process_free(process);
    }
}

static void test_arguments_arrive_as_they_are(void **state)
{
    struct mgc_process *process = START(PIPED, "args", "", "a b", "say \"hi\"", "C:\\dir\\",
        "C:\\my dir\\", "\\\\\"x", "%PATH%", "*.c", "\xC3\xA4-\xE6\xB5\x8B-\xF0\x9F\x93\xB1");
    assert_string_equal(drain(process),
        "[]\n[a b]\n[say \"hi\"]\n[C:\\dir\\]\n[C:\\my dir\\]\n[\\\\\"x]\n[%PATH%]\n[*.c]\n"
        "[\xC3\xA4-\xE6\xB5\x8B-\xF0\x9F\x93\xB1]\n");
    assert_int_equal(finish(process).value, 0);
    mgc_process_free(process);
}

static void test_environment(void **state)
{
    env_set("MGC_TEST_OURS", "inherited");
    struct mgc_process *process = START(PIPED, "env", "MGC_TEST_OURS", "COLOUR");
    assert_string_equal(drain(process), "inherited\n(unset)\n");
    mgc_process_free(process);

    const char *const env[] = {"COLOUR=\xC3\xA4 red", "SystemRoot=C:\\windows", NULL};
    struct mgc_process_spec spec = {.env = env, .stdout_pipe = true};
    process = START(spec, "env", "MGC_TEST_OURS", "COLOUR");
    assert_string_equal(drain(process), "(unset)\n\xC3\xA4 red\n");
    mgc_process_free(process);
}

static void test_working_directory(void **state)
{
    struct mgc_process_spec spec = {.cwd = tmpdir_path};
    struct mgc_process *process = START(spec, "mark", "relative");
    assert_int_equal(finish(process).value, 0);
    assert_content(tmpdir_file("relative"), "here");
    mgc_process_free(process);
}

static void test_streams(void **state)
{
    struct mgc_process_spec apart = {
        .stdout_path = tmpdir_file("out"), .stderr_path = tmpdir_file("err")};
    struct mgc_process *process = START(apart, "both");
    assert_int_equal(finish(process).value, 0);
    mgc_process_free(process);
    assert_content(tmpdir_file("out"), "1\n3\n");
    assert_content(tmpdir_file("err"), "2\n");

    struct mgc_process_spec one = {
        .stdout_path = tmpdir_file("one"), .stderr_path = tmpdir_file("one")};
    process = START(one, "both");
    assert_int_equal(finish(process).value, 0);
    mgc_process_free(process);
    assert_content(tmpdir_file("one"), "1\n2\n3\n");
}

static void test_start_failures_name_the_cause(void **state)
{
    struct {
        const char *program, *cwd, *out;
        const char *says;
    } rows[] = {
        {"no-such-program-here", NULL, NULL, "no-such-program-here"},
        {"/no/such/program", NULL, NULL, "/no/such/program"},
        {"", NULL, NULL, "no such program"},
        {child_program, "/no/such/dir", NULL, "/no/such/dir"},
        {child_program, NULL, "/no/such/dir/out", "/no/such/dir/out"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *const argv[] = {rows[i].program, "exit", "0", NULL};
        struct mgc_process_spec spec = {
            .argv = argv, .cwd = rows[i].cwd, .stdout_path = rows[i].out};
        struct mgc_error err = {0};
        assert_null(mgc_process_start(&spec, &err));
        if (err.code != MGC_E_NOT_FOUND || !strstr(err.text, rows[i].says))
            fail_msg("row %zu: %s '%s'", i, mgc_code_name(err.code), err.text);
    }
}

static void test_wait_has_a_deadline(void **state)
{
    struct mgc_process *process = START(PLAIN, "sleep");
    struct mgc_error err = {0};
    struct mgc_exit exit = {.value = 99};
    assert_false(mgc_process_wait(process, mgc_deadline_in_ms(20), &exit, &err));
    assert_int_equal(err.code, MGC_E_TIMEOUT);
    assert_int_equal(exit.value, 99);
    mgc_process_kill_tree(process);
    exit = finish(process);
    char text[64];
    assert_int_equal(exit.kind, MGC_EXIT_SIGNAL);
    assert_string_equal(mgc_exit_text(&exit, text, sizeof(text)), "signal 9 (Killed)");
    mgc_process_free(process);
    mgc_process_free(NULL);
}

static void test_stop_gives_grace(void **state)
{
    struct mgc_process *process = START(PIPED, "polite");
    assert_string_equal(await_line(process), "ready");
    mgc_process_stop(process, 60000);
    assert_string_equal(drain(process), "bye\n");
    assert_int_equal(finish(process).value, 5); /* still known after the stop */
    mgc_process_stop(process, 60000);
    mgc_process_kill_tree(process);
    mgc_process_free(process);
}

static void test_grandchild_ends_with_its_tree(void **state)
{
    struct mgc_process *process = START(PIPED, "parent");
    int64_t pid = atoll(await_line(process));
    uint64_t ticks;
    assert_true(mgc_process_start_time(pid, &ticks));
    mgc_process_kill_tree(process);
    assert_gone(pid, ticks);
    mgc_process_free(process);
}

/* What "adb start-server" leaves behind must outlive the object. */
static void test_spared_children_stay(void **state)
{
    struct mgc_process_spec spec = {.stdout_pipe = true, .spares_children = true};
    struct mgc_process *process = START(spec, "leave");
    int64_t pid = atoll(await_line(process));
    uint64_t ticks = 0;
    assert_int_equal(finish(process).value, 0);
    mgc_process_stop(process, 0);
    mgc_process_free(process);
    assert_true(pid > 0);
    assert_true(mgc_process_start_time(pid, &ticks));
    assert_true(mgc_process_kill_stale(pid, ticks, NULL, NULL));
    assert_gone(pid, ticks);
}

static void test_kill_stale_checks_the_start_time(void **state)
{
    struct mgc_process *process = START(PIPED, "sleep");
    int64_t pid = mgc_process_pid(process);
    uint64_t ticks = 0;
    assert_string_equal(await_line(process), "ready");
    assert_true(mgc_process_start_time(pid, &ticks));
    assert_true(mgc_process_kill_stale(pid, ticks + 1, NULL, NULL)); /* somebody else's number */
    assert_false(mgc_process_wait(process, mgc_deadline_in_ms(0), NULL, NULL));
    assert_true(mgc_process_kill_stale(pid, ticks, NULL, NULL));
    assert_int_equal(finish(process).kind, MGC_EXIT_SIGNAL);
    mgc_process_free(process);
    assert_false(mgc_process_start_time(pid, &ticks));
    assert_true(mgc_process_kill_stale(pid, ticks, NULL, NULL));
}

static void test_lock_ends_with_its_holder(void **state)
{
    struct mgc_lock lock = MGC_LOCK_INIT;
    struct mgc_error err = {0};
    const char *path = tmpdir_file("lock");
    struct mgc_process *process = START(PIPED, "lock", path);
    assert_string_equal(await_line(process), "ready");
    assert_false(mgc_lock_take(&lock, path, &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    char want[64];
    snprintf(want, sizeof(want), "held by process %lld", (long long)mgc_process_pid(process));
    assert_non_null(strstr(err.text, want));
    mgc_process_free(process);
    if (!mgc_lock_take(&lock, path, &err))
        fail_msg("%s", err.text);
    mgc_lock_release(&lock);
}

#ifdef _WIN32
static void test_no_handle_leaks_into_a_child(void **state)
{
    SECURITY_ATTRIBUTES inheritable = {.nLength = sizeof(inheritable), .bInheritHandle = TRUE};
    HANDLE file = CreateFileA(tmpdir_file("leaky"), GENERIC_WRITE, 0, &inheritable, CREATE_ALWAYS,
        FILE_ATTRIBUTE_NORMAL, NULL);
    assert_true(file != INVALID_HANDLE_VALUE);
    char number[32];
    snprintf(number, sizeof(number), "%lld", (long long)(intptr_t)file);
    struct mgc_process *process = START(PIPED, "handle", number);
    assert_string_equal(drain(process), "absent\n");
    mgc_process_free(process);
    CloseHandle(file);
}

static void test_a_crash_has_its_code(void **state)
{
    struct mgc_process *process = START(PLAIN, "crash");
    struct mgc_exit exit = finish(process);
    char text[64];
    assert_string_equal(mgc_exit_text(&exit, text, sizeof(text)), "exit code 0xC0000005");
    mgc_process_free(process);
}
#endif

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s CHILD\n", argv[0]);
        return 2;
    }
    child_program = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit_codes),
        cmocka_unit_test(test_arguments_arrive_as_they_are),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_working_directory),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_start_failures_name_the_cause),
        cmocka_unit_test(test_wait_has_a_deadline),
        cmocka_unit_test(test_stop_gives_grace),
        cmocka_unit_test(test_grandchild_ends_with_its_tree),
        cmocka_unit_test(test_spared_children_stay),
        cmocka_unit_test(test_kill_stale_checks_the_start_time),
        cmocka_unit_test(test_lock_ends_with_its_holder),
#ifdef _WIN32
        cmocka_unit_test(test_no_handle_leaks_into_a_child),
        cmocka_unit_test(test_a_crash_has_its_code),
#endif
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
