/* The client against the real mgdevice: its welcome, calls, and what goes wrong between the two. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/unit/worker-host/helper/helper_case.h"

static void test_welcome(void **state)
{
    const struct mgc_helper_facts *facts = mgc_helper_facts(helper);
    assert_int_equal(facts->protocol, MGC_DEVICE_PROTOCOL);
    assert_string_equal(facts->build, MGC_VERSION);
    assert_int_equal(facts->pid, device);
    assert_int_equal(facts->uid, getuid());
    assert_int_equal(strlen(facts->boot_id), 36);
    assert_true(facts->mono_ns > 0 && facts->boottime_ns > 0);
}

static void test_clock(void **state)
{
    struct mgc_helper_clock clock;
    struct mgc_adb_wait wait = local_wait();
    assert_true(mgc_helper_clock(helper, &clock, &wait, &err));
    assert_true(clock.t1_ns <= clock.t2_ns); /* the same clock here */
    assert_true(clock.t2_ns <= clock.t3_ns);
    assert_true(clock.t3_ns <= clock.t4_ns);
}

static pid_t start_sleeper(const char *name)
{
    pid_t pid = fork();
    if (pid == 0) {
        execlp("sleep", name, "1000", (char *)NULL);
        _exit(127);
    }
    assert_true(pid > 0);
    return pid;
}

static void test_procs(void **state)
{
    struct seen seen = {0};
    struct mgc_adb_wait wait = local_wait();
    char package[64], cmdline[80];
    snprintf(package, sizeof(package), "org.test.q%d", (int)getpid());
    pid_t pid = start_sleeper(package);
    while (seen.count == 0) /* until it has become the sleeper */
        assert_true(mgc_helper_procs(helper, package, on_event, &seen, &wait, &err));
    assert_int_equal(seen.items[0].pid, pid);
    snprintf(cmdline, sizeof(cmdline), "%.60s 1000", package);
    assert_string_equal(seen.items[0].name, cmdline);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void test_death_of_the_device_program(void **state)
{
    struct mgc_adb_wait wait = local_wait();
    struct mgc_helper_clock clock;
    kill(device, SIGKILL);
    assert_false(mgc_helper_clock(helper, &clock, &wait, &err));
    assert_int_equal(err.code, MGC_E_LOST);
    assert_false(mgc_helper_clock(helper, &clock, &wait, &err)); /* and for good */
    assert_int_equal(err.code, MGC_E_LOST);
}

static void test_deadline_leaves_the_rest(void **state)
{
    struct mgc_adb_wait past = {1, -1}, wait = local_wait();
    struct mgc_helper_clock clock;
    kill(device, SIGSTOP);
    past.deadline_ns = mgc_deadline_in_ms(50);
    assert_false(mgc_helper_clock(helper, &clock, &past, &err));
    assert_int_equal(err.code, MGC_E_TIMEOUT);
    kill(device, SIGCONT);
    assert_true(mgc_helper_clock(helper, &clock, &wait, &err)); /* the late answer is dropped */
    assert_true(clock.t1_ns <= clock.t2_ns);
}

static void check_start(const char *script, enum mgc_code code, const char *words)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct mgc_adb_wait wait = local_wait();
    pid_t pid;
    struct mgc_helper_link link = local_link(argv, &pid);
    err = (struct mgc_error){0};
    assert_null(mgc_helper_new(&link, "device test", "/data/x", &wait, &err));
    assert_int_equal(err.code, code);
    if (!strstr(err.text, words) || !strstr(err.text, "device test: /data/x did not start"))
        fail_msg("%s", err.text);
}

static void test_what_comes_instead(void **state)
{
    check_start("echo 'run-as: unknown package: a.b'; read x", MGC_E_FAILED,
        "it said \"run-as: unknown package: a.b\" instead");
    check_start("echo 'CANNOT LINK EXECUTABLE' >&2; exit 1", MGC_E_FAILED,
        "exit code 1: CANNOT LINK EXECUTABLE");
    check_start("exec /no/such/mgdevice", MGC_E_FAILED, "exit code 127");
    check_start("printf '\\211mgdev\\r\\r\\n'", MGC_E_FAILED, "instead of");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(test_welcome),
        DEVICE_TEST(test_clock),
        DEVICE_TEST(test_procs),
        DEVICE_TEST(test_death_of_the_device_program),
        DEVICE_TEST(test_deadline_leaves_the_rest),
        cmocka_unit_test(test_what_comes_instead),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
