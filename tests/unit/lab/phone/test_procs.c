/* Ending an app for real: a root that is a subreaper, a child, and orphans of a double fork. */
#include "tests/lib/check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/phone/procs.h"

static void finds_the_marker(void **state)
{
    static const char block[] = "A=1\0MGPHONE_APP=a.b\0MGPHONE_APP2=c";
    size_t len = sizeof(block) - 1;
    assert_true(mgl_procs_environ_has(block, len, "MGPHONE_APP", "a.b"));
    assert_true(mgl_procs_environ_has(block, len, "MGPHONE_APP2", "c"));
    assert_false(mgl_procs_environ_has(block, len, "MGPHONE_APP", "a"));
    assert_false(mgl_procs_environ_has(block, len, "MGPHONE_APP", "a.b.c"));
    assert_false(mgl_procs_environ_has(block, len, "APP", "a.b"));
    assert_false(mgl_procs_environ_has(block, 0, "A", "1"));
}

/* Say "here" by writing the pid, then stay until killed. */
static void stay(int fd)
{
    pid_t pid = getpid();
    if (write(fd, &pid, sizeof(pid)) != sizeof(pid))
        _exit(1);
    for (;;)
        pause();
}

static void run_root(int fd)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            stay(fd); /* an orphan in a session of its own */
        _exit(0);
    }
    if (fork() == 0)
        stay(fd);
    stay(fd);
}

/* Ends the processes that the test started even when the code under test does not. */
static void await_pids(int fd, pid_t *ret_pids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(read(fd, &ret_pids[i], sizeof(pid_t)), sizeof(pid_t));
}

static void kills_the_whole_tree(void **state)
{
    int fds[2];
    pid_t pids[3];
    assert_int_equal(pipe(fds), 0);
    pid_t root = fork();
    if (root == 0) {
        close(fds[0]);
        run_root(fds[1]);
    }
    close(fds[1]);
    await_pids(fds[0], pids, 3);
    char name[64];
    snprintf(name, sizeof(name), "test.of.%d", (int)getpid()); /* nobody carries this marker */
    assert_true(mgl_procs_kill_app(name, &root, 1));
    assert_int_equal(waitpid(root, NULL, 0), root);
    char byte; /* end of file: nobody of the tree holds the pipe any more */
    assert_int_equal(read(fds[0], &byte, 1), 0);
    close(fds[0]);
}

static void knows_who_is_below(void **state)
{
    pid_t self = getpid();
    assert_true(mgl_procs_descends(self, self));
    assert_true(mgl_procs_descends(self, getppid()));
    assert_false(mgl_procs_descends(getppid(), self));
    assert_false(mgl_procs_descends(0, self));
}

/* The same package on two phones that see each other's processes. */
static void kills_by_marker(void **state)
{
    char marker[96], name[64];
    snprintf(name, sizeof(name), "test.of.%d", (int)getpid());
    snprintf(marker, sizeof(marker), "MGPHONE_APP=%s@b", name);
    char *const argv[] = {(char[]){"sleep"}, (char[]){"1000"}, NULL};
    char *const env[] = {marker, NULL};
    int fds[2], status = 0;
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        execve("/bin/sleep", argv, env);
        _exit(127);
    }
    close(fds[1]);
    char byte; /* end of file once exec has happened: only then the marker is there */
    assert_int_equal(read(fds[0], &byte, 1), 0);
    close(fds[0]);
    static const char *const others[] = {"", "@", "@a", "@bb"};
    char mark[96];
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        snprintf(mark, sizeof(mark), "%s%s", name, others[i]);
        assert_true(mgl_procs_kill_app(mark, NULL, 0));
        assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
    }
    snprintf(mark, sizeof(mark), "%s@b", name);
    assert_true(mgl_procs_kill_app(mark, NULL, 0));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_marker),
        cmocka_unit_test(kills_the_whole_tree),
        cmocka_unit_test(knows_who_is_below),
        cmocka_unit_test(kills_by_marker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
