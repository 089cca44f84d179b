/* The replay task with a shell script as its client, and the path check task over loopback. */
#include "tests/lib/check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/plat/process.h"
#include "tests/lib/task_run.h"
#include "tests/unit/task/files.h"
#include "worker-wsl/tasks/tasks.h"

static const char token[] = "crosshost-token-2026";
static struct mgc_wsl_worker worker = {"boot-1"};
static struct task_run run;

static int setup(void **state)
{
    if (tmpdir_setup(state) != 0)
        return -1;
    task_run_init(&run, mgc_wsl_kinds, mgc_wsl_undos, &worker);
    put_file(tmpdir_file("lib.so"), "library", 7);
    put_file(tmpdir_file("a.trace"), "trace", 5);
    return 0;
}

static int teardown(void **state)
{
    task_run_destroy(&run);
    return tmpdir_teardown(state);
}

/* Start with `script` as the client, run in the task's directory. */
static void start(const char *script, int64_t timeout_ms, const char *barrier)
{
    struct mgc_fields params = {0}, secrets = {0};
    char text[1024];
    int len = snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
    put_file(tmpdir_file("client"), text, (size_t)len);
    assert_int_equal(chmod(tmpdir_file("client"), 0700), 0);
    mgc_fields_set_str(&params, "client", tmpdir_file("client"));
    mgc_fields_set_str(&params, "library", tmpdir_file("lib.so"));
    mgc_fields_set_str(&params, "trace", tmpdir_file("a.trace"));
    mgc_fields_set_str(&params, "mode", "benchmark");
    mgc_fields_set_str(&params, "address", "127.0.0.1");
    mgc_fields_set_int(&params, "port", 40613);
    mgc_fields_set_int(&params, "credit", 2);
    mgc_fields_set_int(&params, "width", 64);
    mgc_fields_set_int(&params, "height", 48);
    mgc_fields_set_int(&params, "timeout_ms", timeout_ms);
    mgc_fields_set_str(&params, "barrier", barrier);
    mgc_fields_set_str(&secrets, "token", token);
    task_run_start(&run, "wsl.replay", 120000, &params, &secrets);
    mgc_fields_destroy(&params);
    mgc_fields_destroy(&secrets);
}

static const struct mgc_artifact *artifact(const struct mgc_msg_result *result, const char *name)
{
    for (size_t i = 0; i < result->artifact_count; i++) {
        if (strcmp(result->artifacts[i].name, name) == 0)
            return &result->artifacts[i];
    }
    return NULL;
}

static void expect_text(const char *name, const char *want)
{
    size_t len = 0;
    char *text = get_file(task_run_file(name), &len);
    assert_non_null(text);
    assert_string_equal(text, want);
    free(text);
}

static void a_run_leaves_its_files_and_facts(void **state)
{
    (void)state;
    int64_t rc = -1;
    double wall_s = -1;
    start("echo out; echo err >&2; echo \"token $MOBILEGL_IPC_TOKEN\" >> mobilegl.client.log\n"
          "echo '{}' > result.json; exit 3",
        60000, NULL);
    const struct mgc_msg_result *result = task_run_result(&run);
    assert_int_equal(result->code, MGC_OK); /* the verdict is the coordinator's */
    assert_true(mgc_fields_get_int(&result->facts, "rc", &rc) && rc == 3);
    assert_null(mgc_fields_get(&result->facts, "signal"));
    assert_null(mgc_fields_get(&result->facts, "timed_out"));
    assert_true(mgc_fields_get_double(&result->facts, "wall_s", &wall_s) && wall_s >= 0);
    assert_int_equal(strlen(mgc_fields_get_str(&result->facts, "client_sha256")), 64);
    assert_int_equal(strlen(mgc_fields_get_str(&result->facts, "library_sha256")), 64);
    assert_int_equal(strlen(mgc_fields_get_str(&result->facts, "trace_sha256")), 64);
    assert_null(mgc_fields_get(&result->facts, "golden_sha256"));
    expect_text("mobilegl.log", "out\nerr\n");
    expect_text("mobilegl.client.log", "token ********************\n");
    assert_int_equal(artifact(result, "mobilegl.client.log")->masked_count, 1);
    assert_non_null(artifact(result, "rc.txt"));
    assert_non_null(artifact(result, "result.json"));
    assert_null(artifact(result, "benchmark.json")); /* absent is a state */
    assert_int_equal(mgc_journal_count(run.journal), 0);
}

static void the_environment_is_the_contracts_alone(void **state)
{
    (void)state;
    assert_int_equal(setenv("MOBILEGL_IPC_SPIN_US", "2000", 1), 0);
    start("tr '\\0' '\\n' < /proc/$$/environ | cut -d= -f1 | sort | tr '\\n' ' '", 60000, NULL);
    assert_int_equal(task_run_result(&run)->code, MGC_OK);
    expect_text("mobilegl.log", "HOME LANG MOBILEGL_IPC_COLD_START_MS MOBILEGL_IPC_CONTROL "
                                "MOBILEGL_IPC_DATA MOBILEGL_IPC_PRESENT_CREDIT "
                                "MOBILEGL_IPC_RUN_AHEAD MOBILEGL_IPC_TOKEN MOBILEGL_PIPE_STATS "
                                "MOBILEGL_TRANSPORT PATH TMPDIR ");
}

static void a_signal_is_told_apart(void **state)
{
    (void)state;
    int64_t number = 0;
    start("kill -ABRT $$", 60000, NULL);
    const struct mgc_msg_result *result = task_run_result(&run);
    assert_int_equal(result->code, MGC_OK);
    assert_true(mgc_fields_get_int(&result->facts, "signal", &number) && number == SIGABRT);
    assert_null(mgc_fields_get(&result->facts, "rc"));
}

/* An ended orphan may stay a zombie until PID 1 looks after it. */
static bool is_alive(const char *pid_text)
{
    char path[64];
    size_t len;
    snprintf(path, sizeof(path), "/proc/%lld/stat", strtoll(pid_text, NULL, 10));
    char *stat = get_file(path, &len);
    const char *state = stat ? strrchr(stat, ')') : NULL;
    bool alive = state && state[2] != 'Z' && state[2] != 'X';
    free(stat);
    return alive;
}

static void the_time_limit_ends_the_whole_tree(void **state)
{
    (void)state;
    bool timed_out = false;
    size_t len;
    start("sleep 1000 & echo $! > child; wait", 300, NULL);
    const struct mgc_msg_result *result = task_run_result(&run);
    assert_int_equal(result->code, MGC_OK);
    assert_true(mgc_fields_get_bool(&result->facts, "timed_out", &timed_out) && timed_out);
    assert_null(mgc_fields_get(&result->facts, "rc"));
    assert_non_null(artifact(result, "rc.txt"));
    char *child = get_file(task_run_file("child"), &len);
    assert_non_null(child);
    assert_false(is_alive(child));
    free(child);
}

static void a_cancel_ends_it_and_keeps_the_logs(void **state)
{
    (void)state;
    start("echo begun; sleep 1000", 60000, NULL);
    task_run_expect(&run, MGC_MSG_EVENT, "progress"); /* the log grew: it runs */
    assert_int_equal(mgc_journal_count(run.journal), 1);
    mgc_task_stop(run.task, MGC_E_CANCELLED, "enough");
    const struct mgc_msg_result *result = task_run_result(&run);
    assert_int_equal(result->code, MGC_E_CANCELLED);
    assert_non_null(artifact(result, "mobilegl.log"));
    assert_null(artifact(result, "rc.txt"));
    assert_int_equal(mgc_journal_count(run.journal), 0);
}

static void waits_at_the_barrier_before_it_starts(void **state)
{
    (void)state;
    start("echo ran", 60000, "start");
    task_run_expect(&run, MGC_MSG_ARRIVE, "start");
    assert_false(mgc_file_exists(task_run_file("mobilegl.log")));
    struct mgc_msg_barrier failed = {.task_id = TASK_RUN_ID,
        .name = (char *)"start",
        .code = MGC_E_LOST,
        .text = (char *)"member 'host.server' is gone"};
    mgc_task_release(run.task, &failed);
    const struct mgc_msg_result *result = task_run_result(&run);
    assert_int_equal(result->code, MGC_E_LOST);
    assert_false(mgc_file_exists(task_run_file("mobilegl.log")));
}

static void bad_inputs_are_refused_before_the_barrier(void **state)
{
    (void)state;
    const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n";
    put_file(tmpdir_file("a.trace"), pointer, sizeof(pointer) - 1);
    start("echo ran", 60000, "start");
    const struct mgc_msg_result *result = task_run_result(&run);
    assert_int_equal(result->code, MGC_E_CONFIG);
    assert_non_null(strstr(result->text, "Git LFS pointer"));
    assert_false(mgc_file_exists(task_run_file("mobilegl.log")));
}

static void a_client_left_by_a_crash_is_ended(void **state)
{
    (void)state;
    struct mgc_error err = {0};
    struct mgc_fields before = {0};
    const char *const argv[] = {"/bin/sleep", "1000", NULL};
    struct mgc_process_spec spec = {.argv = argv};
    struct mgc_process *process = mgc_process_start(&spec, &err);
    uint64_t ticks = 0;
    assert_non_null(process);
    assert_true(mgc_process_start_time(mgc_process_pid(process), &ticks));
    mgc_fields_set_int(&before, "pid", mgc_process_pid(process));
    mgc_fields_set_int(&before, "start_ticks", (int64_t)ticks);
    mgc_fields_set_str(&before, "boot_id", "another-boot");
    assert_true(mgc_wsl_process_undo(&before, &worker, &err));
    assert_false(mgc_process_wait(process, 0, NULL, &err)); /* not ours: left alone */
    mgc_fields_set_str(&before, "boot_id", worker.boot_id);
    assert_true(mgc_wsl_process_undo(&before, &worker, &err));
    assert_true(mgc_process_wait(process, mgc_deadline_in_ms(60000), NULL, &err));
    assert_true(mgc_wsl_process_undo(&before, &worker, &err));
    mgc_fields_remove(&before, "pid");
    assert_false(mgc_wsl_process_undo(&before, &worker, &err));
    mgc_fields_destroy(&before);
    mgc_process_free(process);
}

/* die_with_us has ended the client itself, not what it had started. */
static void what_a_dead_client_started_is_ended(void **state)
{
    (void)state;
    struct mgc_error err = {0};
    struct mgc_fields before = {0};
    char byte;
    const char *const argv[] = {"/bin/sh", "-c", "sleep 1000 & echo; wait", NULL};
    struct mgc_process_spec spec = {.argv = argv, .cwd = "/tmp", .stdout_pipe = true};
    struct mgc_process *process = mgc_process_start(&spec, &err);
    uint64_t ticks = 0;
    assert_non_null(process);
    pid_t pid = (pid_t)mgc_process_pid(process);
    assert_int_equal(read(mgc_process_stdout(process), &byte, 1), 1);
    assert_true(mgc_process_start_time(pid, &ticks));
    mgc_fields_set_int(&before, "pid", pid);
    mgc_fields_set_int(&before, "start_ticks", (int64_t)ticks);
    mgc_fields_set_str(&before, "boot_id", worker.boot_id);
    mgc_fields_set_str(&before, "dir", "/tmp");
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(mgc_wsl_process_undo(&before, &worker, &err));
    assert_int_equal(read(mgc_process_stdout(process), &byte, 1), 0); /* nobody holds it */
    mgc_fields_destroy(&before);
    mgc_process_free(process);
}

static void path_check_gives_facts_and_a_text(void **state)
{
    (void)state;
    struct mgc_fields params = {0}, none = {0};
    size_t len;
    mgc_fields_set_str(&params, "address", "127.0.0.1");
    mgc_fields_set_str(&params, "ports", "1,9");
    task_run_start(&run, "wsl.pathcheck", 60000, &params, &none);
    mgc_fields_destroy(&params);
    const struct mgc_msg_result *result = task_run_result(&run);
    assert_int_equal(result->code, MGC_OK);
    assert_string_equal(mgc_fields_get_str(&result->facts, "verdict"), "end-to-end");
    assert_non_null(mgc_fields_get_str(&result->facts, "reason"));
    assert_string_equal(mgc_fields_get_str(&result->facts, "source"), "127.0.0.1");
    assert_non_null(mgc_fields_get_str(&result->facts, "probe_9"));
    char *text = get_file(task_run_file("pathcheck.txt"), &len);
    assert_non_null(text);
    assert_non_null(strstr(text, "port 9: refused"));
    free(text);
    assert_non_null(artifact(result, "pathcheck.txt"));
}

static void bad_parameters_are_named(void **state)
{
    (void)state;
    struct mgc_error err = {0};
    struct mgc_fields params = {0}, none = {0};
    const struct mgc_task_kind *kind = mgc_task_kind_find(mgc_wsl_kinds, "wsl.pathcheck");
    mgc_fields_set_str(&params, "address", "phone.local");
    assert_false(mgc_params_check(kind, &params, &none, &err));
    assert_string_equal(err.text, "wsl.pathcheck: parameter \"address\": expected an IPv4 address "
                                  "like 192.168.1.5, got \"phone.local\"");
    mgc_fields_set_str(&params, "address", "10.0.0.1");
    static const char *const bad[] = {"1,,9", "0", "1,", ",", "70000", "1,2,3,4,5,6,7", "1;2"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        mgc_fields_set_str(&params, "ports", bad[i]);
        if (mgc_params_check(kind, &params, &none, &err))
            fail_msg("ports \"%s\" were accepted", bad[i]);
    }
    mgc_fields_destroy(&params);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_run_leaves_its_files_and_facts),
        CASE(the_environment_is_the_contracts_alone),
        CASE(a_signal_is_told_apart),
        CASE(the_time_limit_ends_the_whole_tree),
        CASE(a_cancel_ends_it_and_keeps_the_logs),
        CASE(waits_at_the_barrier_before_it_starts),
        CASE(bad_inputs_are_refused_before_the_barrier),
        CASE(a_client_left_by_a_crash_is_ended),
        CASE(what_a_dead_client_started_is_ended),
        CASE(path_check_gives_facts_and_a_text),
        CASE(bad_parameters_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
