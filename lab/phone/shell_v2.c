#include "lab/phone/shell_v2.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/phone/frame.h"

enum { READ_CHUNK = 256 * 1024, WINDOW_TEXT_MAX = 63 };

struct shell {
    struct mgl_loop *loop;
    struct mgl_stream *stream;
    struct mgl_watch in, out, err; /* fd -1: closed */
    struct mgl_child child;
    pid_t group;
    bool exited;
    uint8_t exit_code;
    struct mgl_frame_parser parser;
    struct mgc_buf to_in; /* stdin bytes not yet written */
    bool close_in;        /* after to_in */
    bool owe_okay;        /* the host waits for mgl_stream_consumed */
    char window[WINDOW_TEXT_MAX];
    size_t window_len;
};

static void close_watch(struct mgl_watch *watch)
{
    if (watch->fd < 0)
        return;
    mgl_watch_remove(watch);
    close(watch->fd);
    watch->fd = -1;
}

static void shell_free(struct shell *shell)
{
    close_watch(&shell->in);
    close_watch(&shell->out);
    close_watch(&shell->err);
    if (shell->child.pid)
        mgl_child_remove(shell->loop, &shell->child);
    mgc_buf_destroy(&shell->to_in);
    free(shell);
}

/* True when the shell has been finished and freed. */
static bool finish_if_done(struct shell *shell)
{
    if (!shell->exited || shell->out.fd >= 0 || shell->err.fd >= 0)
        return false;
    struct mgc_buf frame = {0};
    mgl_frame_append(&frame, MGL_FRAME_EXIT, &shell->exit_code, 1);
    mgl_stream_send(shell->stream, frame.data, frame.len);
    mgc_buf_destroy(&frame);
    mgl_stream_finish(shell->stream);
    shell_free(shell);
    return true;
}

static void update_output(struct shell *shell)
{
    bool room = mgl_stream_room(shell->stream) > MGL_FRAME_HEAD;
    if (shell->out.fd >= 0)
        mgl_watch_set(&shell->out, room ? EPOLLIN : 0);
    if (shell->err.fd >= 0)
        mgl_watch_set(&shell->err, room ? EPOLLIN : 0);
}

/* One read, one frame. False at the end of the descriptor. */
static bool read_output(struct shell *shell, struct mgl_watch *watch, enum mgl_frame_id id)
{
    static char chunk[READ_CHUNK];
    size_t room = mgl_stream_room(shell->stream);
    if (room <= MGL_FRAME_HEAD)
        return true;
    room -= MGL_FRAME_HEAD;
    ssize_t got = read(watch->fd, chunk, room < sizeof(chunk) ? room : sizeof(chunk));
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (got <= 0)
        return false;
    struct mgc_buf frame = {0};
    mgl_frame_append(&frame, id, chunk, (size_t)got);
    mgl_stream_send(shell->stream, frame.data, frame.len);
    mgc_buf_destroy(&frame);
    return true;
}

static void output_ready(struct mgl_watch *watch, uint32_t events)
{
    struct shell *shell = watch->arg;
    enum mgl_frame_id id = watch == &shell->out ? MGL_FRAME_STDOUT : MGL_FRAME_STDERR;
    if (!read_output(shell, watch, id))
        close_watch(watch);
    if (!finish_if_done(shell))
        update_output(shell);
}

/* Nobody reads any more: the rest of the input is dropped, the host may go on. */
static void drop_input(struct shell *shell)
{
    close_watch(&shell->in);
    mgc_buf_clear(&shell->to_in);
}

static void flush_input(struct shell *shell)
{
    while (shell->in.fd >= 0 && shell->to_in.len > 0) {
        ssize_t put = write(shell->in.fd, shell->to_in.data, shell->to_in.len);
        if (put >= 0)
            mgc_buf_consume(&shell->to_in, (size_t)put);
        else if (errno == EAGAIN)
            break;
        else if (errno != EINTR)
            drop_input(shell);
    }
    if (shell->in.fd < 0)
        mgc_buf_clear(&shell->to_in);
    else if (shell->to_in.len == 0 && shell->close_in)
        close_watch(&shell->in);
    if (shell->in.fd >= 0)
        mgl_watch_set(&shell->in, shell->to_in.len > 0 ? EPOLLOUT : 0);
    if (shell->owe_okay && shell->to_in.len == 0) {
        shell->owe_okay = false;
        mgl_stream_consumed(shell->stream);
    }
}

static void input_ready(struct mgl_watch *watch, uint32_t events)
{
    flush_input(watch->arg);
}

static void take_window(struct shell *shell, const struct mgl_frame_piece *piece)
{
    size_t room = sizeof(shell->window) - shell->window_len;
    size_t len = piece->len < room ? piece->len : room;
    memcpy(shell->window + shell->window_len, piece->data, len);
    shell->window_len += len;
    if (!piece->last)
        return;
    unsigned rows, cols;
    if (mgl_frame_parse_window(shell->window, shell->window_len, &rows, &cols) &&
        shell->in.fd >= 0) {
        struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
        ioctl(shell->in.fd, TIOCSWINSZ, &size);
    }
    shell->window_len = 0;
}

static void shell_data(struct mgl_stream *stream, const uint8_t *data, size_t len)
{
    struct shell *shell = stream->service;
    struct mgl_frame_piece piece;
    while (mgl_frame_next(&shell->parser, &data, &len, &piece)) {
        if (piece.id == MGL_FRAME_STDIN && !shell->close_in)
            mgc_buf_append(&shell->to_in, piece.data, piece.len);
        else if (piece.id == MGL_FRAME_CLOSE_STDIN)
            shell->close_in = true;
        else if (piece.id == MGL_FRAME_WINDOW_SIZE)
            take_window(shell, &piece);
    }
    shell->owe_okay = true;
    flush_input(shell);
}

static void shell_room(struct mgl_stream *stream)
{
    update_output(stream->service);
}

static void shell_closed(struct mgl_stream *stream)
{
    struct shell *shell = stream->service;
    kill(-shell->group, SIGHUP);
    shell_free(shell);
}

static void child_ended(struct mgl_child *child, int status)
{
    struct shell *shell = child->arg;
    shell->exited = true;
    shell->exit_code =
        (uint8_t)(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    finish_if_done(shell);
}

static const struct mgl_stream_ops shell_ops = {shell_data, shell_room, shell_closed};

static void add_watch(struct shell *shell, struct mgl_watch *watch, int fd, uint32_t events,
    void (*ready)(struct mgl_watch *, uint32_t))
{
    watch->fd = fd;
    watch->ready = ready;
    watch->arg = shell;
    if (fd >= 0)
        mgl_watch_add(shell->loop, watch, fd, events);
}

void mgl_shell_v2_start(
    struct mgl_loop *loop, struct mgl_stream *stream, const struct mgl_shell_v2_fds *fds, pid_t pid)
{
    struct shell *shell = calloc(1, sizeof(*shell));
    if (!shell)
        abort(); /* a child runs and its streams would be lost: nothing sane is left to do */
    shell->loop = loop;
    shell->stream = stream;
    shell->group = pid;
    shell->child.ended = child_ended;
    shell->child.arg = shell;
    mgl_child_add(loop, &shell->child, pid);
    mgl_stream_accept(stream, &shell_ops, shell);
    add_watch(shell, &shell->in, fds->in, 0, input_ready);
    add_watch(shell, &shell->out, fds->out, EPOLLIN, output_ready);
    add_watch(shell, &shell->err, fds->err, EPOLLIN, output_ready);
}
