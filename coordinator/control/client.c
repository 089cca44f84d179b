#include "coordinator/control/client.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/plat/file.h"
#include "coordinator/control/socket.h"
#include "coordinator/store/run_dir.h"

enum { ANSWER_MS = 10000 }; /* the loop answers between two events; this only catches a hung one */

/* ---- finding it ---- */

/* The socket is gone or dead. Either the run was killed, or it lives and has no control. */
static bool judge_unreachable(struct mgc_control_client *client, const char *lock_path,
    const char *results, const char *detail, struct mgc_error *err)
{
    struct mgc_lock lock = MGC_LOCK_INIT;
    struct mgc_error busy = {0};
    char who[MGC_RUN_ID_SIZE + 64];
    bool taken = mgc_lock_take(&lock, lock_path, &busy);
    if (taken) { /* whoever left the note is dead */
        mgc_lock_note(&lock, "", NULL);
        if (client->run.socket[0])
            unlink(client->run.socket);
    }
    mgc_lock_release(&lock);
    if (taken || busy.code != MGC_E_BUSY)
        return mgc_error_set(err, MGC_E_NOT_FOUND, "no run is on in '%s'", results);
    mgc_run_note_name(&client->run, who, sizeof(who));
    return mgc_error_set(
        err, MGC_E_LOST, "%s is on in '%s' but cannot be reached: %s", who, results, detail);
}

bool mgc_control_open(struct mgc_control_client *client, const char *results, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_error why = {0};
    *client = (struct mgc_control_client){.fd = -1};
    if (!mgc_path_join(path, sizeof(path), results, MGC_RUN_LOCK))
        return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", results);
    if (!mgc_run_note_read(path, &client->run))
        return mgc_error_set(err, MGC_E_NOT_FOUND, "no run is on in '%s'", results);
    if (!client->run.socket[0])
        mgc_error_set(&why, MGC_E_NOT_FOUND, "it has no control socket");
    else
        client->fd = mgc_control_connect(client->run.socket, &why);
    return client->fd >= 0 || judge_unreachable(client, path, results, why.text, err);
}

void mgc_control_close(struct mgc_control_client *client)
{
    if (!client)
        return;
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
    mgc_buf_destroy(&client->in);
}

/* ---- talking ---- */

static bool lost(const struct mgc_control_client *client, struct mgc_error *err)
{
    char who[MGC_RUN_ID_SIZE + 64];
    mgc_run_note_name(&client->run, who, sizeof(who));
    return mgc_error_set(err, MGC_E_LOST, "%s closed the connection", who);
}

/* Wait for bytes until the deadline; false: why not. */
static bool wait_for_more(
    struct mgc_control_client *client, int stop_fd, int64_t deadline_ns, struct mgc_error *err)
{
    struct pollfd fds[2] = {{.fd = client->fd, .events = POLLIN}, {stop_fd, POLLIN, 0}};
    int64_t left_ns = deadline_ns == MGC_NEVER ? -1 : deadline_ns - mgc_mono_ns();
    int timeout_ms = deadline_ns == MGC_NEVER ? -1
                     : left_ns > 0            ? (int)(left_ns / MGC_NS_PER_MS) + 1
                                              : 0;
    int ready = poll(fds, 2, timeout_ms);
    if (ready < 0 && errno != EINTR)
        return mgc_error_errno(err, errno, "wait for the coordinator");
    if (ready == 0 && mgc_mono_ns() >= deadline_ns)
        return mgc_error_set(
            err, MGC_E_TIMEOUT, "the coordinator (process %ld) does not answer", client->run.pid);
    if (ready > 0 && fds[1].revents)
        return mgc_error_set(err, MGC_E_CANCELLED, "interrupted");
    return true;
}

static bool read_more(struct mgc_control_client *client, struct mgc_error *err)
{
    char chunk[4096];
    ssize_t got = recv(client->fd, chunk, sizeof(chunk), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (got <= 0)
        return lost(client, err);
    mgc_buf_append(&client->in, chunk, (size_t)got);
    if (client->in.len > MGC_CONTROL_ANSWER_MAX)
        return mgc_error_set(err, MGC_E_PROTOCOL, "answer of the coordinator is too long");
    return mgc_buf_ok(&client->in) || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory");
}

static json_t *next_line(
    struct mgc_control_client *client, int stop_fd, int64_t deadline_ns, struct mgc_error *err)
{
    const char *end;
    while (!(end = memchr(mgc_buf_text(&client->in), '\n', client->in.len))) {
        if (!wait_for_more(client, stop_fd, deadline_ns, err) || !read_more(client, err))
            return NULL;
    }
    size_t len = (size_t)(end - client->in.data);
    json_t *doc = mgc_control_answer_parse(client->in.data, len, err);
    mgc_buf_consume(&client->in, len + 1);
    return doc;
}

json_t *mgc_control_ask(
    struct mgc_control_client *client, enum mgc_control_request request, struct mgc_error *err)
{
    struct mgc_buf line = {0};
    bool sent = mgc_control_put_request(&line, request) &&
                send(client->fd, line.data, line.len, MSG_NOSIGNAL) == (ssize_t)line.len;
    mgc_buf_destroy(&line);
    if (!sent)
        lost(client, err); /* unless it says itself why it does not listen */
    return next_line(client, -1, mgc_deadline_in_ms(ANSWER_MS), err);
}

json_t *mgc_control_next(struct mgc_control_client *client, int stop_fd, struct mgc_error *err)
{
    return next_line(client, stop_fd, MGC_NEVER, err);
}
