#include "lab/phone/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/log.h"
#include "lab/phone/env.h"
#include "lab/phone/pump.h"
#include "lab/phone/shell_v2.h"
#include "lab/phone/spawn.h"

enum { SOCKET_BUFFER = 1 << 20 };

static void close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
    pair[0] = pair[1] = -1;
}

/* [0] is ours, [1] the process's. */
static bool open_terminal(int pair[2], bool raw)
{
    pair[0] = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    int unlock = 0;
    if (pair[0] < 0 || ioctl(pair[0], TIOCSPTLCK, &unlock) != 0)
        return false;
    pair[1] = ioctl(pair[0], TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (pair[1] < 0)
        return false;
    struct termios mode;
    if (raw && tcgetattr(pair[1], &mode) == 0) {
        cfmakeraw(&mode);
        tcsetattr(pair[1], TCSANOW, &mode);
    }
    return true;
}

static bool open_socket(int pair[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    int size = SOCKET_BUFFER;
    for (int i = 0; i < 2; i++)
        setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
    return fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0;
}

/* Ours is the end that does not block: [0] of a pipe we read, [1] of one we write. */
static bool open_pipe(int pair[2], int ours)
{
    if (pipe2(pair, O_CLOEXEC) != 0)
        return false;
    fcntl(pair[0], F_SETPIPE_SZ, SOCKET_BUFFER);
    return fcntl(pair[ours], F_SETFL, O_NONBLOCK) == 0;
}

static pid_t start(const struct mgl_shell_request *request, int in, int out, int err)
{
    const char *const with_command[] = {"/system/bin/sh", "-c", request->command, NULL};
    const char *const interactive[] = {"-sh", NULL};
    char term[64];
    const char *extra[2] = {NULL};
    if (request->term && snprintf(term, sizeof(term), "TERM=%s", request->term) > 0)
        extra[0] = term;
    const char *env[MGL_ENV_MAX];
    mgl_env_shell(env, extra);
    struct mgl_spawn spawn = {
        .path = "/system/bin/sh",
        .argv = request->command ? with_command : interactive,
        .env = env,
        .cwd = "/",
        .in = in,
        .out = out,
        .err = err,
        .controlling_tty = request->pty,
        .identity = MGL_SHELL,
    };
    struct mgc_error error;
    pid_t pid = mgl_spawn(&spawn, &error);
    if (pid < 0)
        mgc_warn("adb shell: %s, refusing the stream", error.text);
    return pid;
}

static void open_plain(
    struct mgl_loop *loop, struct mgl_stream *stream, const struct mgl_shell_request *request)
{
    int pair[2] = {-1, -1};
    bool ok = request->pty ? open_terminal(pair, request->command != NULL) : open_socket(pair);
    pid_t pid = ok ? start(request, pair[1], pair[1], pair[1]) : -1;
    if (pid < 0) {
        close_pair(pair);
        mgl_stream_refuse(stream);
        return;
    }
    close(pair[1]);
    mgl_pump_start(loop, stream, pair[0], pid);
}

static void open_v2_pty(
    struct mgl_loop *loop, struct mgl_stream *stream, const struct mgl_shell_request *request)
{
    int pair[2] = {-1, -1};
    struct mgl_shell_v2_fds fds = {-1, -1, -1};
    pid_t pid = -1;
    if (open_terminal(pair, false) && (fds.in = fcntl(pair[0], F_DUPFD_CLOEXEC, 3)) >= 0)
        pid = start(request, pair[1], pair[1], pair[1]);
    if (pid < 0) {
        close_pair(pair);
        if (fds.in >= 0)
            close(fds.in);
        mgl_stream_refuse(stream);
        return;
    }
    close(pair[1]);
    fds.out = pair[0];
    mgl_shell_v2_start(loop, stream, &fds, pid);
}

static void open_v2_raw(
    struct mgl_loop *loop, struct mgl_stream *stream, const struct mgl_shell_request *request)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
    pid_t pid = -1;
    if (open_pipe(in, 1) && open_pipe(out, 0) && open_pipe(err, 0))
        pid = start(request, in[0], out[1], err[1]);
    if (pid < 0) {
        close_pair(in);
        close_pair(out);
        close_pair(err);
        mgl_stream_refuse(stream);
        return;
    }
    close(in[0]);
    close(out[1]);
    close(err[1]);
    struct mgl_shell_v2_fds fds = {in[1], out[0], err[0]};
    mgl_shell_v2_start(loop, stream, &fds, pid);
}

void mgl_shell_open(
    struct mgl_loop *loop, struct mgl_stream *stream, const struct mgl_shell_request *request)
{
    if (!request->v2)
        open_plain(loop, stream, request);
    else if (request->pty)
        open_v2_pty(loop, stream, request);
    else
        open_v2_raw(loop, stream, request);
}
