#include "common/plat/process.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/plat/unix/group.h"
#include "common/plat/unix/procfs.h"
#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"

static int64_t soon(void)
{
    return mgc_deadline_in_ms(60000);
}

static struct mgc_process *start(const struct mgc_process_spec *spec)
{
    struct mgc_error err = {0};
    struct mgc_process *process = mgc_process_start(spec, &err);
    if (!process)
        fail_msg("%s", err.text);
    return process;
}

static struct mgc_process *start_sh(const char *script, struct mgc_process_spec spec)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    spec.argv = argv;
    return start(&spec);
}

static struct mgc_exit finish(struct mgc_process *process)
{
    struct mgc_exit exit = {0};
    struct mgc_error err = {0};
    if (!mgc_process_wait(process, soon(), &exit, &err))
        fail_msg("%s", err.text);
    return exit;
}

/* Text of the stdout pipe until its end. */
static const char *drain(struct mgc_process *process)
{
    static char text[4096];
    size_t len = 0;
    ssize_t got;
    while ((got = read(mgc_process_stdout(process), text + len, sizeof(text) - 1 - len)) > 0)
        len += (size_t)got;
    text[len] = '\0';
    return text;
}

/* First line of the pipe, while the writer lives on. */
static void await_line(struct mgc_process *process, char *line, size_t size)
{
    size_t len = 0;
    while (len + 1 < size && read(mgc_process_stdout(process), line + len, 1) == 1 &&
           line[len] != '\n')
        len++;
    line[len] = '\0';
}

static void assert_content(const char *path, const char *want)
{
    struct mgc_buf buf = {0};
    assert_true(mgc_file_read(path, 4096, &buf, NULL));
    assert_string_equal(mgc_buf_text(&buf), want);
    mgc_buf_destroy(&buf);
}

static void test_exit_kinds(void **state)
{
    static const struct {
        const char *script;
        enum mgc_exit_kind kind;
        int value;
        const char *text;
    } rows[] = {
        {"exit 0", MGC_EXIT_CODE, 0, "exit code 0"},
        {"exit 7", MGC_EXIT_CODE, 7, "exit code 7"},
        {"kill -KILL $$", MGC_EXIT_SIGNAL, SIGKILL, "signal 9 (Killed)"},
        {"kill -TERM $$", MGC_EXIT_SIGNAL, SIGTERM, "signal 15 (Terminated)"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mgc_process *process = start_sh(rows[i].script, (struct mgc_process_spec){0});
        struct mgc_exit exit = finish(process), again = finish(process);
        char text[64];
        assert_int_equal(exit.kind, rows[i].kind);
        assert_int_equal(exit.value, rows[i].value);
        assert_int_equal(again.value, rows[i].value);
        assert_string_equal(mgc_exit_text(&exit, text, sizeof(text)), rows[i].text);
        mgc_process_free(process);
    }
}

static void test_start_failures_name_the_cause(void **state)
{
    assert_true(mgc_file_write(tmpdir_file("plain"), "not a program", 13, 0644, NULL));
    assert_true(mgc_file_write(tmpdir_file("text"), "just text", 9, 0755, NULL));
    struct {
        const char *program, *cwd, *out;
        enum mgc_code code;
        const char *says;
    } rows[] = {
        {"no-such-program-here", NULL, NULL, MGC_E_NOT_FOUND, "no-such-program-here"},
        {"/no/such/program", NULL, NULL, MGC_E_NOT_FOUND, "/no/such/program"},
        {"", NULL, NULL, MGC_E_NOT_FOUND, "no such program"},
        {tmpdir_file("plain"), NULL, NULL, MGC_E_DENIED, "execute"},
        {tmpdir_file("text"), NULL, NULL, MGC_E_IO, "execute"},
        {"true", "/no/such/dir", NULL, MGC_E_NOT_FOUND, "/no/such/dir"},
        {"true", NULL, "/no/such/dir/out", MGC_E_NOT_FOUND, "/no/such/dir/out"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *const argv[] = {rows[i].program, NULL};
        struct mgc_process_spec spec = {
            .argv = argv, .cwd = rows[i].cwd, .stdout_path = rows[i].out};
        struct mgc_error err = {0};
        assert_null(mgc_process_start(&spec, &err));
        assert_int_equal(err.code, rows[i].code);
        if (!strstr(err.text, rows[i].says))
            fail_msg("row %zu: '%s' lacks '%s'", i, err.text, rows[i].says);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie is left */
    assert_int_equal(errno, ECHILD);
}

static void test_streams_env_and_cwd(void **state)
{
    const char *const env[] = {"PATH=/usr/bin:/bin", "COLOUR=red", NULL};
    struct mgc_process_spec spec = {
        .env = env,
        .cwd = tmpdir_path,
        .stdout_path = tmpdir_file("out"),
        .stderr_path = tmpdir_file("err"),
    };
    struct mgc_process *process =
        start_sh("echo $COLOUR $HOME; pwd -P >&2; if read x; then exit 1; fi", spec);
    assert_int_equal(finish(process).value, 0);
    mgc_process_free(process);
    assert_content(tmpdir_file("out"), "red\n");
    char want[300];
    snprintf(want, sizeof(want), "%s\n", tmpdir_path);
    assert_content(tmpdir_file("err"), want);
}

static void test_both_streams_into_one_file(void **state)
{
    const char *path = tmpdir_file("both");
    struct mgc_process_spec spec = {.stdout_path = path, .stderr_path = path};
    struct mgc_process *process = start_sh("echo 1; echo 2 >&2; echo 3; echo 4 >&2", spec);
    finish(process);
    mgc_process_free(process);
    assert_content(path, "1\n2\n3\n4\n");
}

static void test_limits(void **state)
{
    const char *path = tmpdir_file("big");
    struct mgc_process_spec spec = {.stdout_path = path, .file_size_max = 65536, .no_core = true};
    struct mgc_process *process = start_sh("exec cat /dev/zero", spec);
    struct mgc_exit exit = finish(process);
    uint64_t size;
    assert_int_equal(exit.kind, MGC_EXIT_SIGNAL);
    assert_int_equal(exit.value, SIGXFSZ);
    assert_true(mgc_file_size(path, &size, NULL) && size == 65536);
    mgc_process_free(process);
    spec = (struct mgc_process_spec){.stdout_pipe = true, .no_core = true};
    process = start_sh("ulimit -c; ulimit -H -c", spec);
    assert_string_equal(drain(process), "0\n0\n");
    finish(process);
    mgc_process_free(process);
}

/* 32 and 33 belong to glibc, which lets nobody set them; who starts us with posix_spawn, as make
 * does, may start us with both ignored. */
static const unsigned long long c_library_signals = 3ULL << 31;

static void test_pipe_and_clean_inheritance(void **state)
{
    /* A descriptor that a library forgot to mark, and signal settings of our own, stay here. */
    int leaky = dup(1);
    assert_true(leaky > 2);
    signal(SIGPIPE, SIG_IGN);
    char script[200];
    snprintf(script, sizeof(script),
        "[ -e /proc/$$/fd/%d ] && echo leaked; grep SigIgn /proc/$$/status; echo end", leaky);
    struct mgc_process *process = start_sh(script, (struct mgc_process_spec){.stdout_pipe = true});
    unsigned long long ignored = ~0ULL;
    assert_int_equal(sscanf(drain(process), "SigIgn:\t%llx\nend\n", &ignored), 1);
    assert_true((ignored & ~c_library_signals) == 0);
    assert_int_equal(finish(process).value, 0);
    mgc_process_free(process);
    signal(SIGPIPE, SIG_DFL);
    close(leaky);
}

static void test_wait_has_a_deadline(void **state)
{
    struct mgc_process *process = start_sh("exec sleep 1000", (struct mgc_process_spec){0});
    struct mgc_error err = {0};
    struct mgc_exit exit = {.value = 99};
    assert_false(mgc_process_wait(process, mgc_deadline_in_ms(20), &exit, &err));
    assert_int_equal(err.code, MGC_E_TIMEOUT);
    assert_int_equal(exit.value, 99);
    mgc_process_kill_tree(process);
    assert_true(mgc_process_wait(process, soon(), &exit, &err));
    assert_int_equal(exit.value, SIGKILL);
    mgc_process_free(process);
    mgc_process_free(NULL);
}

static void test_group_of_its_own(void **state)
{
    struct mgc_process *process = start_sh("exec sleep 1000", (struct mgc_process_spec){0});
    assert_int_equal(getpgid((pid_t)mgc_process_pid(process)), mgc_process_pid(process));
    mgc_process_free(process);
}

static void test_stop_gives_grace(void **state)
{
    struct mgc_process_spec spec = {.stdout_pipe = true};
    struct mgc_process *process =
        start_sh("trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.01; done", spec);
    char line[32];
    await_line(process, line, sizeof(line));
    assert_string_equal(line, "ready");
    mgc_process_stop(process, 60000);
    assert_string_equal(drain(process), "bye\n");
    assert_int_equal(finish(process).value, 5); /* still known after the stop */
    mgc_process_stop(process, 60000);
    mgc_process_kill_tree(process);
    mgc_process_free(process);
}

static void test_stop_kills_what_ignores_term(void **state)
{
    struct mgc_process_spec spec = {.stdout_pipe = true};
    struct mgc_process *process =
        start_sh("trap '' TERM; echo ready; while :; do sleep 0.01; done", spec);
    char line[32];
    await_line(process, line, sizeof(line));
    mgc_process_stop(process, 50);
    struct mgc_exit exit = finish(process);
    assert_int_equal(exit.kind, MGC_EXIT_SIGNAL);
    assert_int_equal(exit.value, SIGKILL);
    mgc_process_free(process);
}

/* A pidfd is readable once its process has ended. */
static void assert_ends(int pidfd)
{
    struct pollfd fd = {.fd = pidfd, .events = POLLIN};
    assert_int_equal(poll(&fd, 1, 60000), 1);
    close(pidfd);
}

static void test_stop_ends_members_that_outlive_the_child(void **state)
{
    struct mgc_process_spec spec = {.stdout_pipe = true};
    struct mgc_process *process =
        start_sh("sh -c 'trap \"\" TERM; echo $$; exec sleep 1000' & exit 0", spec);
    char line[32];
    await_line(process, line, sizeof(line));
    pid_t member = (pid_t)atol(line);
    assert_int_equal(finish(process).value, 0);
    int pidfd = mgc_plat_pidfd_open(member);
    assert_true(pidfd >= 0);
    mgc_process_stop(process, 50);
    assert_ends(pidfd);
    mgc_process_free(process);
}

static void *kill_from_thread(void *arg)
{
    mgc_process_kill_tree(arg);
    return NULL;
}

static void test_kill_tree_from_another_thread(void **state)
{
    struct mgc_process *process = start_sh("sleep 1000 & wait", (struct mgc_process_spec){0});
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, kill_from_thread, process), 0);
    assert_int_equal(finish(process).value, SIGKILL);
    pthread_join(thread, NULL);
    mgc_process_free(process);
}

/* A middle process starts the child and dies by SIGKILL; the child must go with it. */
static void test_die_with_us(void **state)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t middle = fork();
    assert_true(middle >= 0);
    if (middle == 0) {
        const char *const argv[] = {"sleep", "1000", NULL};
        struct mgc_process_spec spec = {.argv = argv, .die_with_us = true};
        struct mgc_process *process = mgc_process_start(&spec, NULL);
        int64_t pid = process ? mgc_process_pid(process) : -1;
        if (write(fds[1], &pid, sizeof(pid)) != (ssize_t)sizeof(pid))
            _exit(1);
        for (;;)
            pause();
    }
    int64_t pid = -1;
    assert_int_equal(read(fds[0], &pid, sizeof(pid)), sizeof(pid));
    assert_true(pid > 0);
    int pidfd = mgc_plat_pidfd_open((pid_t)pid);
    assert_true(pidfd >= 0);
    kill(middle, SIGKILL);
    waitpid(middle, NULL, 0);
    assert_ends(pidfd);
    close(fds[0]);
    close(fds[1]);
}

static void test_kill_stale_checks_the_start_time(void **state)
{
    struct mgc_process_spec spec = {.stdout_pipe = true};
    struct mgc_process *process = start_sh("sleep 1000 & echo $!; wait", spec);
    char line[32];
    await_line(process, line, sizeof(line));
    int member = mgc_plat_pidfd_open((pid_t)atol(line));
    int64_t pid = mgc_process_pid(process);
    uint64_t ticks = 0;
    struct mgc_error err = {0};
    assert_true(mgc_process_start_time(pid, &ticks));

    assert_true(mgc_process_kill_stale(pid, ticks + 1, NULL, &err)); /* somebody else's number */
    assert_false(mgc_process_wait(process, mgc_deadline_in_ms(0), NULL, NULL));
    assert_true(mgc_process_kill_stale(pid, ticks, NULL, &err));
    assert_int_equal(finish(process).value, SIGKILL);
    assert_ends(member);
    mgc_process_free(process);
    assert_false(mgc_process_start_time(pid, &ticks));
    assert_true(mgc_process_kill_stale(pid, ticks, NULL, &err));
}

/* As PDEATHSIG leaves it: the leader alone is dead and reaped. */
static void check_orphans(const char *script, const char *cwd, const char *dir, bool expect_end)
{
    struct mgc_process_spec spec = {.stdout_pipe = true, .cwd = cwd};
    struct mgc_process *process = start_sh(script, spec);
    char line[32];
    uint64_t ticks = 0;
    struct mgc_error err = {0};
    await_line(process, line, sizeof(line));
    pid_t member = (pid_t)atol(line), leader = (pid_t)mgc_process_pid(process);
    int member_fd = mgc_plat_pidfd_open(member);
    assert_true(mgc_process_start_time(leader, &ticks));
    kill(leader, SIGKILL);
    waitpid(leader, NULL, 0);
    if (!mgc_process_kill_stale(leader, ticks, dir, &err))
        fail_msg("%s", err.text);
    if (expect_end) {
        assert_ends(member_fd);
    } else {
        assert_int_equal(kill(member, 0), 0);
        kill(member, SIGKILL);
        close(member_fd);
    }
    mgc_process_free(process);
}

static void test_kill_stale_finds_what_outlived_the_leader(void **state)
{
    const char *dir = tmpdir_path;
    char script[MGC_PATH_MAX], other[MGC_PATH_MAX];
    check_orphans("sleep 1000 & echo $!; wait", dir, dir, true);
    /* It speaks itself, and does not exec any more: meanwhile the environment cannot be read. */
    snprintf(script, sizeof(script), "TMPDIR='%s' sh -c 'echo $$; sleep 1000; :' & wait", dir);
    check_orphans(script, "/", dir, true);
    snprintf(other, sizeof(other), "%s2", dir); /* of strangers who got the number */
    check_orphans("sleep 1000 & echo $!; wait", dir, other, false);
    check_orphans(script, "/", other, false);
    check_orphans(script, dir, NULL, false);
}

static void test_kill_stale_refuses_who_leads_no_group(void **state)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (;;)
            pause();
    }
    uint64_t ticks;
    struct mgc_error err = {0};
    assert_true(mgc_process_start_time(child, &ticks));
    assert_false(mgc_process_kill_stale(child, ticks, NULL, &err));
    assert_int_equal(kill(child, 0), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_true(mgc_process_start_time(getpid(), &ticks));
    assert_false(mgc_process_start_time(INT32_MAX, &ticks));
}

static void test_stat_parse(void **state)
{
    static const char rest[] = " S 1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 10 11";
    static const char *const names[] = {"(sh)", "(a b)", "(x) R 9 9 (y)", "())"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char text[256];
        snprintf(text, sizeof(text), "77 %s%s", names[i], rest);
        struct mgc_procfs_stat stat;
        assert_true(mgc_procfs_stat_parse(text, &stat));
        assert_int_equal(stat.state, 'S');
        assert_int_equal(stat.group, 42);
        assert_int_equal(stat.start_ticks, 987654);
    }
    static const char *const bad[] = {"", "77", "77 (sh)", "77 (sh) S 1", "77 (sh) S x y",
        "77 (sh) S 1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0"};
    struct mgc_procfs_stat stat;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(mgc_procfs_stat_parse(bad[i], &stat));
}

enum { STARTS = 50 };

/* In a group of its own, whose other member sends hangups to it without pause; we ignore them. The
 * number of children that did not end with code 0. */
static int start_in_a_storm(void)
{
    int bad = 0;
    setpgid(0, 0);
    signal(SIGHUP, SIG_IGN);
    pid_t storm = fork();
    if (storm == 0)
        for (;;)
            kill(0, SIGHUP);
    for (int i = 0; i < STARTS; i++) {
        const char *const argv[] = {"true", NULL};
        const struct mgc_process_spec spec = {.argv = argv};
        struct mgc_process *process = mgc_process_start(&spec, NULL);
        struct mgc_exit ending = {0};
        bad += !process || !mgc_process_wait(process, soon(), &ending, NULL) ||
               ending.kind != MGC_EXIT_CODE || ending.value != 0;
        mgc_process_free(process);
    }
    kill(storm, SIGKILL);
    waitpid(storm, NULL, 0);
    return bad;
}

static void test_a_signal_to_our_group_spares_a_new_child(void **state)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(start_in_a_storm());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit_kinds),
        cmocka_unit_test(test_start_failures_name_the_cause),
        cmocka_unit_test(test_streams_env_and_cwd),
        cmocka_unit_test(test_both_streams_into_one_file),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_pipe_and_clean_inheritance),
        cmocka_unit_test(test_wait_has_a_deadline),
        cmocka_unit_test(test_group_of_its_own),
        cmocka_unit_test(test_a_signal_to_our_group_spares_a_new_child),
        cmocka_unit_test(test_stop_gives_grace),
        cmocka_unit_test(test_stop_kills_what_ignores_term),
        cmocka_unit_test(test_stop_ends_members_that_outlive_the_child),
        cmocka_unit_test(test_kill_tree_from_another_thread),
        cmocka_unit_test(test_die_with_us),
        cmocka_unit_test(test_kill_stale_checks_the_start_time),
        cmocka_unit_test(test_kill_stale_finds_what_outlived_the_leader),
        cmocka_unit_test(test_kill_stale_refuses_who_leads_no_group),
        cmocka_unit_test(test_stat_parse),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
