#include "lab/phone/control.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lab/phone/frame.h"
#include "lab/phone/io.h"

enum { ITEM_MAX = 1 << 20 };

static int dial(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = MGL_CONTROL_SOCKET};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

pid_t mgl_control_server_pid(void)
{
    struct ucred peer = {0};
    socklen_t size = sizeof(peer);
    int fd = dial();
    if (fd < 0)
        return 0;
    bool ok = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    close(fd);
    return ok ? peer.pid : 0;
}

static int send_request(const char *const *words)
{
    struct mgc_buf request = {0};
    int fd = dial();
    bool ok = fd >= 0 && mgl_control_append_request(&request, words) &&
              mgl_io_write_all(fd, request.data, request.len);
    mgc_buf_destroy(&request);
    if (ok)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Collects a frame that may come in pieces. */
struct answer {
    struct mgl_frame_parser parser;
    struct mgc_buf frame;
    mgl_control_item *item;
    void *arg;
    enum mgl_control_result result; /* LOST until the exit frame */
};

static void take_piece(struct answer *answer, const struct mgl_frame_piece *piece)
{
    mgc_buf_append(&answer->frame, piece->data, piece->len);
    if (!piece->last)
        return;
    const uint8_t *data = (const uint8_t *)mgc_buf_text(&answer->frame);
    if (piece->id == MGL_FRAME_STDOUT && answer->item)
        answer->item(data, answer->frame.len, answer->arg);
    else if (piece->id == MGL_FRAME_STDERR)
        fprintf(stderr, "%s\n", mgc_buf_text(&answer->frame));
    else if (piece->id == MGL_FRAME_EXIT && answer->frame.len == 1)
        answer->result = (enum mgl_control_result)data[0];
    mgc_buf_clear(&answer->frame);
}

enum mgl_control_result mgl_control_call(
    const char *const *words, mgl_control_item *item, void *arg)
{
    static uint8_t chunk[64 * 1024];
    int fd = send_request(words);
    if (fd < 0)
        return MGL_CONTROL_LOST;
    struct answer answer = {.item = item, .arg = arg, .result = MGL_CONTROL_LOST};
    mgc_buf_init(&answer.frame, ITEM_MAX);
    ssize_t got;
    while (answer.result == MGL_CONTROL_LOST && (got = read(fd, chunk, sizeof(chunk))) > 0) {
        const uint8_t *data = chunk;
        size_t len = (size_t)got;
        struct mgl_frame_piece piece;
        while (mgl_frame_next(&answer.parser, &data, &len, &piece))
            take_piece(&answer, &piece);
    }
    close(fd);
    mgc_buf_destroy(&answer.frame);
    return answer.result;
}

struct text {
    char *at;
    size_t size;
};

static void take_text(const uint8_t *data, size_t len, void *arg)
{
    struct text *text = arg;
    size_t take = len < text->size ? len : text->size - 1;
    memcpy(text->at, data, take);
    text->at[take] = 0;
}

enum mgl_control_result mgl_control_get(const char *const *words, char *ret_text, size_t size)
{
    struct text text = {ret_text, size};
    *ret_text = 0;
    return mgl_control_call(words, take_text, &text);
}
