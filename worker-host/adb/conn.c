#include "worker-host/adb/conn.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/parse.h"
#include "worker-host/adb/program.h"
#include "worker-host/adb/wire.h"

enum { PORT_DEFAULT = 5037, REPLY_MAX = MGC_ADB_REQUEST_MAX };

struct mgc_adb {
    unsigned port;
    char address[32];
    char *program; /* owned; NULL: no program */
    atomic_uint_fast64_t streams;
    pthread_mutex_t start_lock; /* one start-server at a time */
    struct mgc_keylock devices; /* see mgc_adb_lock */
};

struct mgc_adb_wait mgc_adb_wait_ms(const struct mgc_adb_wait *wait, int64_t ms)
{
    int64_t deadline_ns = mgc_deadline_min(wait->deadline_ns, mgc_deadline_in_ms(ms));
    return (struct mgc_adb_wait){.deadline_ns = deadline_ns, .stop_fd = wait->stop_fd};
}

struct mgc_adb *mgc_adb_new(const char *program, struct mgc_error *err)
{
    const char *text = getenv("ANDROID_ADB_SERVER_PORT");
    int64_t port = PORT_DEFAULT;
    if (text && *text && !mgc_parse_int(text, 1, 65535, &port)) {
        mgc_error_set(err, MGC_E_USAGE,
            "ANDROID_ADB_SERVER_PORT=\"%.40s\": expected a port of 1 to 65535", text);
        return NULL;
    }
    struct mgc_adb *adb = calloc(1, sizeof(*adb));
    if (adb && program)
        adb->program = strdup(program);
    if (!adb || (program && !adb->program)) {
        free(adb);
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for an adb client");
        return NULL;
    }
    adb->port = (unsigned)port;
    snprintf(adb->address, sizeof(adb->address), "127.0.0.1:%u", adb->port);
    atomic_init(&adb->streams, 0);
    pthread_mutex_init(&adb->start_lock, NULL);
    mgc_keylock_init(&adb->devices);
    return adb;
}

void mgc_adb_free(struct mgc_adb *adb)
{
    if (!adb)
        return;
    pthread_mutex_destroy(&adb->start_lock);
    mgc_keylock_destroy(&adb->devices);
    free(adb->program);
    free(adb);
}

const char *mgc_adb_address(const struct mgc_adb *adb)
{
    return adb->address;
}

const char *mgc_adb_program(const struct mgc_adb *adb)
{
    return adb->program;
}

static _Thread_local uint64_t streams_of_thread;

uint64_t mgc_adb_streams_of_thread(void)
{
    return streams_of_thread;
}

uint64_t mgc_adb_streams_opened(const struct mgc_adb *adb)
{
    return atomic_load(&adb->streams);
}

void mgc_adb_lock(struct mgc_adb *adb, struct mgc_keyhold *hold, const char *serial)
{
    mgc_keylock_take(&adb->devices, hold, serial);
}

void mgc_adb_unlock(struct mgc_adb *adb, struct mgc_keyhold *hold)
{
    mgc_keylock_release(&adb->devices, hold);
}

static mgc_socket connect_server(
    struct mgc_adb *adb, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_adb_wait short_wait = mgc_adb_wait_ms(wait, MGC_ADB_QUERY_MS);
    return mgc_net_connect("127.0.0.1", adb->port, short_wait.deadline_ns, wait->stop_fd, err);
}

/* Nobody listens: start a server, unless another thread just did. */
static mgc_socket start_and_connect(
    struct mgc_adb *adb, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    pthread_mutex_lock(&adb->start_lock);
    mgc_socket socket = connect_server(adb, wait, err);
    if (socket == MGC_SOCKET_NONE &&
        mgc_adb_program_start_server(adb->program, adb->port, wait, err))
        socket = connect_server(adb, wait, err);
    pthread_mutex_unlock(&adb->start_lock);
    return socket;
}

bool mgc_adb_conn_open(struct mgc_adb_conn *conn, struct mgc_adb *adb,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_error why;
    *conn = (struct mgc_adb_conn){.adb = adb, .socket = connect_server(adb, wait, &why)};
    if (conn->socket == MGC_SOCKET_NONE && why.code == MGC_E_REFUSED && adb->program)
        conn->socket = start_and_connect(adb, wait, &why);
    if (conn->socket == MGC_SOCKET_NONE) {
        if (err)
            *err = why;
        return mgc_error_prefix(err, "adb server at %s", adb->address);
    }
    /* Requests are small and each is waited for; Nagle would only add delay. */
    mgc_net_nodelay(conn->socket, NULL);
    return true;
}

void mgc_adb_conn_close(struct mgc_adb_conn *conn)
{
    if (!conn || !conn->adb)
        return;
    mgc_net_close(conn->socket);
    conn->socket = MGC_SOCKET_NONE;
}

/* Whom the connection leads to, put before an error. */
static bool prefix(const struct mgc_adb_conn *conn, struct mgc_error *err)
{
    if (conn->serial[0])
        return mgc_error_prefix(err, "device %s", conn->serial);
    return mgc_error_prefix(err, "adb server at %s", conn->adb->address);
}

bool mgc_adb_conn_send(struct mgc_adb_conn *conn, const void *data, size_t len,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    return mgc_net_send_all(conn->socket, data, len, wait->deadline_ns, wait->stop_fd, err) ||
           prefix(conn, err);
}

bool mgc_adb_conn_recv(struct mgc_adb_conn *conn, void *data, size_t size, size_t *ret_len,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    return mgc_net_recv_some(
               conn->socket, data, size, ret_len, wait->deadline_ns, wait->stop_fd, err) ||
           prefix(conn, err);
}

static bool recv_all(struct mgc_adb_conn *conn, void *data, size_t len,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    return mgc_net_recv_all(conn->socket, data, len, wait->deadline_ns, wait->stop_fd, err) ||
           prefix(conn, err);
}

bool mgc_adb_conn_reply(struct mgc_adb_conn *conn, struct mgc_buf *reply,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    char digits[4];
    size_t len;
    if (!recv_all(conn, digits, sizeof(digits), wait, err))
        return false;
    if (!mgc_adb_wire_hex4(digits, &len)) {
        mgc_error_set(err, MGC_E_PROTOCOL, "the length of a reply is not four hex digits");
        return prefix(conn, err);
    }
    if (!mgc_buf_reserve(reply, len)) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "a reply of %zu bytes does not fit", len);
        return prefix(conn, err);
    }
    if (len && !recv_all(conn, reply->data + reply->len, len, wait, err))
        return false;
    reply->len += len;
    reply->data[reply->len] = '\0';
    return true;
}

/* The server said FAIL: read its text and make the error from it. */
static bool take_fail(struct mgc_adb_conn *conn, const char *service,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_buf reply = {.max = REPLY_MAX};
    if (mgc_adb_conn_reply(conn, &reply, wait, err)) {
        char shown[200];
        const char *text = mgc_adb_wire_shown(mgc_buf_text(&reply), shown, sizeof(shown));
        enum mgc_code code = mgc_adb_wire_fail_code(text);
        if (code == MGC_E_LOST && conn->serial[0])
            mgc_error_set(err, code, "device %s is %s (adb server at %s: %.100s)", conn->serial,
                strstr(text, "offline") ? "offline" : "gone", conn->adb->address, text);
        else {
            /* A shell command may hold a secret and is not repeated; the service's name is. */
            mgc_error_set(err, code, "%.*s: %s", (int)strcspn(service, ":"), service, text);
            prefix(conn, err);
        }
    }
    mgc_buf_destroy(&reply);
    return false;
}

bool mgc_adb_conn_request(struct mgc_adb_conn *conn, const char *service,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_buf request = {0};
    bool ok = mgc_adb_wire_request(&request, service, err) ? true : prefix(conn, err);
    ok = ok && mgc_adb_conn_send(conn, request.data, request.len, wait, err);
    mgc_buf_destroy(&request);
    char word[4];
    bool okay;
    if (!ok || !recv_all(conn, word, sizeof(word), wait, err))
        return false;
    if (!mgc_adb_wire_status(word, &okay, err))
        return prefix(conn, err);
    return okay || take_fail(conn, service, wait, err);
}

bool mgc_adb_conn_open_service(struct mgc_adb_conn *conn, struct mgc_adb *adb, const char *serial,
    const char *service, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    char transport[160];
    snprintf(transport, sizeof(transport), "host:transport:%s", serial);
    /* A frozen device never answers, and a stream's own deadline may be hours away. */
    struct mgc_adb_wait limit = mgc_adb_wait_ms(wait, MGC_ADB_SHELL_MS);
    if (!mgc_adb_conn_open(conn, adb, &limit, err))
        return false;
    snprintf(conn->serial, sizeof(conn->serial), "%s", serial);
    if (mgc_adb_conn_request(conn, transport, &limit, err) &&
        mgc_adb_conn_request(conn, service, &limit, err)) {
        atomic_fetch_add(&adb->streams, 1);
        streams_of_thread++;
        return true;
    }
    mgc_adb_conn_close(conn);
    return false;
}

bool mgc_adb_query(struct mgc_adb *adb, const char *service, struct mgc_buf *reply,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_adb_conn conn;
    bool ok = mgc_adb_conn_open(&conn, adb, wait, err) &&
              mgc_adb_conn_request(&conn, service, wait, err) &&
              mgc_adb_conn_reply(&conn, reply, wait, err);
    mgc_adb_conn_close(&conn);
    return ok;
}

bool mgc_adb_server_version(struct mgc_adb *adb, unsigned *ret_version,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_buf reply = {.max = REPLY_MAX};
    size_t version;
    bool ok = mgc_adb_query(adb, "host:version", &reply, wait, err);
    if (ok && (reply.len != 4 || !mgc_adb_wire_hex4(reply.data, &version)))
        ok = mgc_error_set(err, MGC_E_PROTOCOL,
            "adb server at %s: host:version answered \"%.40s\", expected four hex digits",
            adb->address, mgc_buf_text(&reply));
    if (ok)
        *ret_version = (unsigned)version;
    mgc_buf_destroy(&reply);
    return ok;
}
