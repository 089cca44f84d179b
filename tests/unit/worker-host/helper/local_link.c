#include "tests/unit/worker-host/helper/local_link.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/lib/check.h"

enum { WAIT_MS = 30000 };

struct local {
    pid_t pid;
    int fd;  /* its standard input and output */
    int err; /* its standard error; -1: read to its end */
    bool over;
    char data[65536];
};

static bool local_send(void *self, const void *data, size_t len, const struct mgc_adb_wait *wait,
    struct mgc_error *err)
{
    const struct local *local = self;
    return mgc_net_send_all(local->fd, data, len, wait->deadline_ns, wait->stop_fd, err);
}

static bool give(struct local *local, enum mgc_adb_shell_id id, size_t len,
    struct mgc_adb_shell_piece *ret_piece)
{
    *ret_piece = (struct mgc_adb_shell_piece){id, local->data, len};
    return true;
}

/* As adbd does: what is left on stderr, then the exit code. */
static bool give_end(struct local *local, struct mgc_adb_shell_piece *ret_piece)
{
    if (local->err >= 0) {
        ssize_t len = read(local->err, local->data, sizeof(local->data));
        if (len > 0)
            return give(local, MGC_ADB_STDERR, (size_t)len, ret_piece);
        close(local->err);
        local->err = -1;
    }
    int status = 0;
    waitpid(local->pid, &status, 0);
    local->pid = 0;
    local->data[0] = (char)(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return give(local, MGC_ADB_EXIT, 1, ret_piece);
}

static bool local_next(void *self, struct mgc_adb_shell_piece *ret_piece,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct local *local = self;
    size_t len = 0;
    struct mgc_error why = {0};
    if (!local->over &&
        !mgc_net_recv_some(local->fd, local->data, sizeof(local->data), &len, wait->deadline_ns,
            wait->stop_fd, &why) &&
        why.code != MGC_E_LOST && why.code != MGC_E_IO) {
        if (err)
            *err = why;
        return false;
    }
    if (len > 0)
        return give(local, MGC_ADB_STDOUT, len, ret_piece);
    local->over = true;
    return give_end(local, ret_piece);
}

static bool local_buffered(const void *self)
{
    return false;
}

static mgc_socket local_socket(const void *self)
{
    return ((const struct local *)self)->fd;
}

static void local_close(void *self)
{
    struct local *local = self;
    close(local->fd);
    if (local->err >= 0)
        close(local->err);
    if (local->pid > 0)
        assert_int_equal(
            waitpid(local->pid, NULL, 0), local->pid); /* the end of its input ends it */
    free(local);
}

struct mgc_helper_link local_link(const char *const *argv, pid_t *ret_pid)
{
    int pair[2], errors[2];
    struct local *local = calloc(1, sizeof(*local));
    assert_true(local);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(pipe2(errors, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pair[1], STDIN_FILENO);
        dup2(pair[1], STDOUT_FILENO);
        dup2(errors[1], STDERR_FILENO);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    assert_true(pid > 0);
    close(pair[1]);
    close(errors[1]);
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    local->pid = *ret_pid = pid;
    local->fd = pair[0];
    local->err = errors[0];
    return (struct mgc_helper_link){
        local, local_send, local_next, local_buffered, local_socket, local_close};
}

struct mgc_adb_wait local_wait(void)
{
    return (struct mgc_adb_wait){mgc_deadline_in_ms(WAIT_MS), -1};
}

struct mgc_helper *local_helper(pid_t *ret_pid)
{
    const char *const argv[] = {getenv("MGC_DEVICE"), NULL};
    struct mgc_error err = {0};
    struct mgc_adb_wait wait = local_wait();
    assert_true(argv[0]);
    struct mgc_helper_link link = local_link(argv, ret_pid);
    struct mgc_helper *helper = mgc_helper_new(&link, "device test", "mgdevice", &wait, &err);
    assert_string_equal(err.text, "");
    assert_true(helper);
    return helper;
}
