#include "lab/phone/control_server.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/phone/frame.h"
#include "lab/phone/le.h"
#include "lab/phone/phone.h"
#include "lab/phone/sockets.h"

enum { CLIENTS_MAX = 128, OUT_HIGH = 256 * 1024 };

static void client_free(struct mgl_control_client *client)
{
    struct mgl_control_client **at = &client->server->clients;
    while (*at != client)
        at = &(*at)->next;
    *at = client->next;
    int fd = client->watch.fd;
    mgl_watch_remove(&client->watch);
    close(fd);
    mgc_buf_destroy(&client->in);
    mgc_buf_destroy(&client->out);
    free(client);
}

void mgl_control_item_add(struct mgl_control_client *client, const void *data, size_t len)
{
    mgl_frame_append(&client->out, MGL_FRAME_STDOUT, data, len);
}

void mgl_control_sentence(struct mgl_control_client *client, const char *fmt, ...)
{
    struct mgc_buf text = {0};
    va_list args;
    va_start(args, fmt);
    mgc_buf_vprintf(&text, fmt, args);
    va_end(args);
    mgl_frame_append(&client->out, MGL_FRAME_STDERR, mgc_buf_text(&text), text.len);
    mgc_buf_destroy(&text);
}

static void answer(struct mgl_control_client *client, enum mgl_control_result result)
{
    uint8_t code = (uint8_t)result;
    mgl_frame_append(&client->out, MGL_FRAME_EXIT, &code, 1);
    client->answered = true;
}

/* Android's words for entries that its log dropped before a reader had them. */
static void tell_lost(struct mgl_control_client *client, uint64_t count)
{
    char text[64];
    uint8_t record[MGL_LOG_RECORD_HEAD + MGL_LOGD_DATAGRAM_MAX] = {0}; /* of pid 0 and uid 0 */
    snprintf(text, sizeof(text), "uid=0(root) logd expire %llu lines", (unsigned long long)count);
    struct mgl_logd_entry entry = {.prio = MGL_LOG_INFO,
        .wall_ns = mgc_wall_ns(),
        .tag = "chatty",
        .text = text,
        .text_len = strlen(text)};
    size_t len = mgl_logd_encode(record + MGL_LOG_RECORD_HEAD, &entry);
    mgl_control_item_add(client, record, MGL_LOG_RECORD_HEAD + len);
}

/* Entries go out as far as the socket keeps up; a slow reader is told how many it has lost. */
static void fill_from_log(struct mgl_control_client *client)
{
    const struct mgl_log_ring *ring = &client->server->phone->log;
    if (client->log_next < ring->first) {
        tell_lost(client, ring->first - client->log_next);
        client->log_next = ring->first;
    }
    while (client->out.len < OUT_HIGH && client->log_next < ring->end) {
        const struct mgl_log_slot *slot = mgl_log_ring_get(ring, client->log_next++);
        struct mgl_log_record record;
        if (mgl_log_record_decode(slot->record, slot->len, &record) &&
            record.entry.wall_ns >= client->log_since_ns)
            mgl_control_item_add(client, slot->record, slot->len);
    }
    if (client->log_next == ring->end && !client->log_follow && !client->answered)
        answer(client, MGL_CONTROL_OK);
}

/* False when the client is done with (the caller frees it). */
static bool client_flush(struct mgl_control_client *client)
{
    for (;;) {
        if (client->log_reader && !client->answered)
            fill_from_log(client);
        if (client->out.len == 0)
            break;
        ssize_t put = send(client->watch.fd, client->out.data, client->out.len, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno != EAGAIN)
            return false;
        if (put < 0)
            break;
        mgc_buf_consume(&client->out, (size_t)put);
    }
    mgl_watch_set(&client->watch, client->out.len > 0 ? EPOLLIN | EPOLLOUT : EPOLLIN);
    return !client->answered || client->out.len > 0;
}

static void run_request(struct mgl_control_client *client, size_t len)
{
    const char *words[MGL_CONTROL_WORDS_MAX];
    size_t count;
    enum mgl_control_result result = MGL_CONTROL_BAD;
    if (mgl_control_split(client->in.data + 4, len, words, &count))
        result = mgl_control_run(client, words, count);
    if (!client->log_reader)
        answer(client, result);
}

/* False when the client has gone or sends what is no request. */
static bool client_read(struct mgl_control_client *client)
{
    char chunk[4096];
    ssize_t got = recv(client->watch.fd, chunk, sizeof(chunk), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (got <= 0)
        return false;
    if (client->answered || client->log_reader)
        return true; /* one request each; more is ignored */
    mgc_buf_append(&client->in, chunk, (size_t)got);
    if (client->in.len < 4)
        return true;
    size_t len = mgl_get_le32((const uint8_t *)client->in.data);
    if (len > MGL_CONTROL_REQUEST_MAX)
        return false;
    if (client->in.len - 4 >= len)
        run_request(client, len);
    return true;
}

static void client_ready(struct mgl_watch *watch, uint32_t events)
{
    struct mgl_control_client *client = watch->arg;
    bool ok = true;
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        ok = client_read(client);
    if (!ok || !client_flush(client))
        client_free(client);
}

static size_t count_clients(const struct mgl_control_server *server)
{
    size_t count = 0;
    for (const struct mgl_control_client *client = server->clients; client; client = client->next)
        count++;
    return count;
}

static void accept_ready(struct mgl_watch *watch, uint32_t events)
{
    struct mgl_control_server *server = watch->arg;
    int fd = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct ucred peer;
    socklen_t len = sizeof(peer);
    if (fd < 0)
        return;
    struct mgl_control_client *client = NULL;
    if (count_clients(server) < CLIENTS_MAX &&
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0)
        client = calloc(1, sizeof(*client));
    if (!client) {
        close(fd);
        return;
    }
    client->server = server;
    client->uid = peer.uid;
    client->watch.ready = client_ready;
    client->watch.arg = client;
    client->next = server->clients;
    server->clients = client;
    mgl_watch_add(&server->phone->loop, &client->watch, fd, EPOLLIN);
}

void mgl_control_log_grew(struct mgl_control_server *server)
{
    struct mgl_control_client *next;
    for (struct mgl_control_client *client = server->clients; client; client = next) {
        next = client->next;
        if (client->log_reader && client->out.len == 0 && !client_flush(client))
            client_free(client);
    }
}

bool mgl_control_server_start(
    struct mgl_control_server *server, struct mgl_phone *phone, struct mgc_error *err)
{
    server->phone = phone;
    server->watch.ready = accept_ready;
    server->watch.arg = server;
    int fd = mgl_socket_listen(MGL_CONTROL_SOCKET, SOCK_STREAM, err);
    return fd >= 0 && mgl_watch_add(&phone->loop, &server->watch, fd, EPOLLIN);
}

void mgl_control_server_stop(struct mgl_control_server *server)
{
    while (server->clients)
        client_free(server->clients);
    if (!server->watch.loop)
        return;
    int fd = server->watch.fd;
    mgl_watch_remove(&server->watch);
    close(fd);
}
