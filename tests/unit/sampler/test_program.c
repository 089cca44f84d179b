/* mgdevice as a process: when it ends, and what it does with what it should not get. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/device/stream.h"
#include "tests/lib/check.h"

enum { WAIT_MS = 30000 };

struct program {
    pid_t pid;
    int in, out, err; /* our ends */
    struct mgc_device_stream stream;
};

static void become_device(int in, int out, int err)
{
    const char *path = getenv("MGC_DEVICE");
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execl(path, path, (char *)NULL);
    _exit(127);
}

static struct program start(void)
{
    struct program program = {0};
    int in[2], out[2], err[2];
    assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC) | pipe2(err, O_CLOEXEC), 0);
    program.pid = fork();
    if (program.pid == 0)
        become_device(in[0], out[1], err[1]);
    close(in[0]);
    close(out[1]);
    close(err[1]);
    program.in = in[1];
    program.out = out[0];
    program.err = err[0];
    return program;
}

static int exit_code(struct program *program)
{
    int status;
    assert_int_equal(waitpid(program->pid, &status, 0), program->pid);
    close(program->out);
    close(program->err);
    mgc_device_stream_destroy(&program->stream);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void send_bytes(struct program *program, const void *data, size_t len)
{
    assert_int_equal(write(program->in, data, len), len);
}

static void send_message(struct program *program, const struct mgc_device_msg *msg, bool preamble)
{
    struct mgc_buf out = {0};
    assert_true((!preamble || mgc_device_put_preamble(&out)) && mgc_device_put_message(&out, msg));
    send_bytes(program, out.data, out.len);
    mgc_buf_destroy(&out);
}

static struct mgc_device_msg receive(struct program *program)
{
    struct mgc_device_msg msg;
    struct mgc_error err = {0};
    enum mgc_device_next next;
    while ((next = mgc_device_stream_next(&program->stream, &msg, &err)) == MGC_DEVICE_MORE) {
        char data[4096];
        struct pollfd fd = {program->out, POLLIN, 0};
        assert_int_equal(poll(&fd, 1, WAIT_MS), 1);
        ssize_t len = read(program->out, data, sizeof(data));
        assert_true(len > 0);
        assert_true(mgc_device_stream_feed(&program->stream, data, (size_t)len, &err));
    }
    assert_int_equal(next, MGC_DEVICE_MESSAGE);
    return msg;
}

static void hello(struct program *program)
{
    send_message(program,
        &(struct mgc_device_msg){.type = MGC_DEVICE_HELLO, .id = 1, .hello = {2, 2, "test"}}, true);
    assert_int_equal(receive(program).type, MGC_DEVICE_WELCOME);
}

static void test_end_of_input_ends_it(void **state)
{
    struct program program = start();
    close(program.in);
    assert_int_equal(exit_code(&program), 0);
    program = start();
    hello(&program);
    send_message(&program,
        &(struct mgc_device_msg){
            .type = MGC_DEVICE_WATCH, .id = 2, .watch = {.dir = "/", .scan_ms = 50}},
        false);
    close(program.in); /* in the middle of a watch */
    assert_int_equal(exit_code(&program), 0);
}

static void test_end_of_output_ends_it(void **state)
{
    struct program program = start();
    hello(&program);
    close(program.out);
    program.out = -1;
    assert_int_equal(exit_code(&program), 0);
    close(program.in);
}

static void test_garbage_is_refused(void **state)
{
    char said[256] = "";
    struct program program = start();
    send_bytes(&program, "GET / HTTP/1.1\r\n\r\n", 18);
    int err = dup(program.err);
    assert_int_equal(exit_code(&program), 2);
    assert_true(read(err, said, sizeof(said) - 1) > 0);
    assert_non_null(strstr(said, "mgdevice: it said \"GET / HTTP/1.1"));
    close(err);
    close(program.in);
}

static void test_broken_frame_ends_it(void **state)
{
    struct program program = start();
    hello(&program);
    send_bytes(&program, "\xff\xff\xff\x7f\x03\0\0\0\x01\0\0\0", 12);
    assert_int_equal(exit_code(&program), 2);
    close(program.in);
}

static void test_versions_that_do_not_meet(void **state)
{
    struct program program = start();
    send_message(&program,
        &(struct mgc_device_msg){.type = MGC_DEVICE_HELLO, .id = 1, .hello = {3, 9, "test"}}, true);
    struct mgc_device_msg msg = receive(&program);
    assert_int_equal(msg.type, MGC_DEVICE_FAILED);
    assert_int_equal(msg.failed.code, MGC_E_VERSION);
    assert_non_null(
        strstr(msg.failed.text, "speaks version 2 of the device protocol, the host 3 to 9"));
    close(program.in);
    assert_int_equal(exit_code(&program), 0);
}

static void test_nothing_before_hello(void **state)
{
    struct program program = start();
    send_message(&program, &(struct mgc_device_msg){.type = MGC_DEVICE_CLOCK, .id = 1}, true);
    struct mgc_device_msg msg = receive(&program);
    assert_int_equal(msg.type, MGC_DEVICE_FAILED);
    assert_int_equal(msg.failed.code, MGC_E_PROTOCOL);
    close(program.in);
    assert_int_equal(exit_code(&program), 0);
}

static void test_an_answer_is_no_request(void **state)
{
    struct program program = start();
    hello(&program);
    send_message(&program, &(struct mgc_device_msg){.type = MGC_DEVICE_DONE, .id = 2}, false);
    assert_int_equal(receive(&program).type, MGC_DEVICE_FAILED);
    close(program.in);
    assert_int_equal(exit_code(&program), 0);
}

static void test_an_id_in_use(void **state)
{
    struct program program = start();
    struct mgc_device_msg watch = {
        .type = MGC_DEVICE_WATCH, .id = 2, .watch = {.package = "no.such.app", .scan_ms = 50}};
    hello(&program);
    send_message(&program, &watch, false);
    assert_int_equal(receive(&program).type, MGC_DEVICE_BEGUN);
    send_message(&program, &watch, false);
    struct mgc_device_msg msg = receive(&program);
    assert_int_equal(msg.type, MGC_DEVICE_FAILED);
    assert_int_equal(msg.failed.code, MGC_E_PROTOCOL);
    close(program.in);
    assert_int_equal(exit_code(&program), 0);
}

/* Its parent dies and its streams stay open, held by us: the output's end tells when it is gone. */
static void test_death_of_its_parent_ends_it(void **state)
{
    int in[2], out[2];
    char data[256];
    assert_int_equal(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC), 0);
    pid_t parent = fork();
    if (parent == 0) {
        if (fork() == 0)
            become_device(in[0], out[1], STDERR_FILENO);
        for (;;)
            pause();
    }
    close(out[1]);
    assert_int_equal(read(out[0], data, sizeof(data)), MGC_DEVICE_PREAMBLE_SIZE); /* it runs */
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    struct pollfd fd = {out[0], POLLIN, 0};
    assert_int_equal(poll(&fd, 1, WAIT_MS), 1);
    assert_int_equal(read(out[0], data, sizeof(data)), 0);
    close(in[0]);
    close(in[1]);
    close(out[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end_of_input_ends_it),
        cmocka_unit_test(test_end_of_output_ends_it),
        cmocka_unit_test(test_garbage_is_refused),
        cmocka_unit_test(test_broken_frame_ends_it),
        cmocka_unit_test(test_versions_that_do_not_meet),
        cmocka_unit_test(test_nothing_before_hello),
        cmocka_unit_test(test_an_answer_is_no_request),
        cmocka_unit_test(test_an_id_in_use),
        cmocka_unit_test(test_death_of_its_parent_ends_it),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
