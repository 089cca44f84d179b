#include "coordinator/control/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "coordinator/control/socket.h"

/* Watchers stay; the places beyond theirs are for questions, which are answered and over at once.
 */
enum { CLIENTS_MAX = 16, WATCHERS_MAX = 12 };

struct client {
    struct mgc_control_server *server;
    int fd;          /* -1: free */
    uint64_t number; /* of all that came: the oldest has the lowest */
    bool watches;
    bool waits; /* for mgc_control_server_answer */
    struct mgc_buf in;
};

struct mgc_control_server {
    struct mgc_loop *loop; /* borrowed */
    mgc_control_handler *handler;
    void *user;
    int listener;
    char path[MGC_PATH_MAX];
    struct client clients[CLIENTS_MAX];
    uint64_t came;
    bool hold; /* the handler that runs has no answer yet */
};

static void drop(struct client *client)
{
    if (client->fd < 0)
        return;
    mgc_loop_remove_fd(client->server->loop, client->fd);
    close(client->fd);
    mgc_buf_destroy(&client->in);
    client->fd = -1;
    client->watches = client->waits = false;
}

/* All at once or not at all: what does not fit into the socket's buffer has no reader. */
static bool say(struct client *client, const struct mgc_buf *line)
{
    ssize_t sent = mgc_buf_ok(line) ? send(client->fd, line->data, line->len, MSG_NOSIGNAL) : -1;
    return sent == (ssize_t)line->len;
}

static void refuse(struct client *client, const struct mgc_error *why)
{
    struct mgc_buf line = {0};
    mgc_control_put_refusal(&line, why);
    say(client, &line);
    mgc_buf_destroy(&line);
}

static size_t watchers(const struct mgc_control_server *server)
{
    size_t count = 0;
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        count += server->clients[i].watches;
    return count;
}

static bool answer(
    struct client *client, const struct mgc_error *malformed, enum mgc_control_request request)
{
    struct mgc_control_server *server = client->server;
    struct mgc_buf line = {0};
    struct mgc_error why = {0};
    json_t *body = malformed ? NULL : json_object();
    server->hold = false;
    bool ok = body && server->handler(server->user, request, body, &why);
    if (ok && server->hold) {
        json_decref(body);
        client->waits = client->fd >= 0;
        return true;
    }
    if (ok) {
        mgc_control_put_answer(&line, body);
    } else {
        json_decref(body);
        mgc_control_put_refusal(&line, malformed ? malformed : &why);
    }
    /* The handler may have told the watchers something; a new one begins with its state. */
    bool said = client->fd >= 0 && say(client, &line);
    mgc_buf_destroy(&line);
    return said && ok;
}

static void take_line(struct client *client, size_t len)
{
    enum mgc_control_request request = MGC_CONTROL_HOSTS;
    struct mgc_error err = {0};
    bool understood = mgc_control_request_parse(mgc_buf_text(&client->in), len, &request, &err);
    if (understood && request == MGC_CONTROL_WATCH && watchers(client->server) >= WATCHERS_MAX)
        understood = mgc_error_set(
            &err, MGC_E_BUSY, "%d watch this run already, which is as many as may", WATCHERS_MAX);
    bool ok = answer(client, understood ? NULL : &err, request);
    if (ok && request == MGC_CONTROL_WATCH)
        client->watches = true;
    else if (!client->waits)
        drop(client); /* one request per connection */
}

static void on_readable(void *user)
{
    struct client *client = user;
    char chunk[1024];
    ssize_t got = recv(client->fd, chunk, sizeof(chunk), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0 || client->watches ||
        client->waits) { /* gone, or it talks where it should listen */
        drop(client);
        return;
    }
    mgc_buf_append(&client->in, chunk, (size_t)got);
    const char *end = memchr(mgc_buf_text(&client->in), '\n', client->in.len);
    if (end) {
        take_line(client, (size_t)(end - client->in.data));
    } else if (client->in.len > MGC_CONTROL_REQUEST_MAX) {
        struct mgc_error err = {0};
        mgc_error_set(&err, MGC_E_PROTOCOL, "control request: expected a line of at most %d bytes",
            MGC_CONTROL_REQUEST_MAX);
        answer(client, &err, MGC_CONTROL_HOSTS);
        drop(client);
    }
}

/* A free place, or that of the one that has been silent for longest: however many connect and ask
 * nothing, somebody who wants to cancel gets in. */
static struct client *make_room(struct mgc_control_server *server)
{
    struct mgc_error why;
    struct client *oldest = NULL;
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        struct client *client = &server->clients[i];
        if (client->fd < 0)
            return client;
        if (!client->watches && (!oldest || client->number < oldest->number))
            oldest = client;
    }
    mgc_error_set(&why, MGC_E_BUSY, "%d others talk to this run, and this one has asked nothing",
        CLIENTS_MAX);
    refuse(oldest, &why); /* there is one: fewer than all may watch */
    drop(oldest);
    return oldest;
}

static void on_listener(void *user)
{
    struct mgc_control_server *server = user;
    int fd;
    while ((fd = mgc_control_accept(server->listener)) >= 0) {
        struct client *client = make_room(server);
        if (!mgc_loop_add_fd(server->loop, fd, on_readable, client, NULL)) {
            close(fd);
            continue;
        }
        client->fd = fd;
        client->number = ++server->came;
    }
}

struct mgc_control_server *mgc_control_server_new(struct mgc_loop *loop, const char *dir,
    const char *run_id, mgc_control_handler *handler, void *user, struct mgc_error *err)
{
    struct mgc_control_server *server = calloc(1, sizeof(*server));
    if (!server) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the control socket");
        return NULL;
    }
    server->loop = loop;
    server->handler = handler;
    server->user = user;
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        server->clients[i] = (struct client){.server = server, .fd = -1};
    server->listener = mgc_control_listen(dir, run_id, server->path, err);
    if (server->listener >= 0 && mgc_loop_add_fd(loop, server->listener, on_listener, server, err))
        return server;
    mgc_control_server_free(server);
    return NULL;
}

void mgc_control_server_free(struct mgc_control_server *server)
{
    if (!server)
        return;
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        drop(&server->clients[i]);
    if (server->listener >= 0) {
        mgc_loop_remove_fd(server->loop, server->listener);
        close(server->listener);
        unlink(server->path);
    }
    free(server);
}

void mgc_control_server_hold(struct mgc_control_server *server)
{
    server->hold = true;
}

void mgc_control_server_answer(struct mgc_control_server *server, json_t *body)
{
    struct mgc_buf line = {0};
    mgc_control_put_answer(&line, body);
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        struct client *client = &server->clients[i];
        if (!client->waits)
            continue;
        say(client, &line);
        drop(client);
    }
    mgc_buf_destroy(&line);
}

const char *mgc_control_server_path(const struct mgc_control_server *server)
{
    return server->path;
}

bool mgc_control_server_watched(const struct mgc_control_server *server)
{
    return watchers(server) > 0;
}

void mgc_control_server_tell(struct mgc_control_server *server, json_t *event)
{
    struct mgc_buf line = {0};
    mgc_control_put_answer(&line, event);
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        struct client *client = &server->clients[i];
        if (client->watches && !say(client, &line))
            drop(client);
    }
    mgc_buf_destroy(&line);
}
