/* The adb server: where it is, and one connection to it.
 *
 * Every function speaks the server's socket protocol; the adb program is only used to start a
 * server that is not there ("adb start-server", after the port has refused a connection). A server
 * that is there is never touched, whatever its version: an adb client of another version would end
 * it, and with it the sessions of everybody else on this host. Nothing here ends a server.
 *
 * struct mgc_adb may be used from any thread; a connection belongs to one thread. Every error names
 * the server's address or the device.
 */
#ifndef MGC_ADB_CONN_H
#define MGC_ADB_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/plat/keylock.h"
#include "common/plat/net.h"

struct mgc_adb; /* opaque: address, program, counters */

/* How long a call may take, and what breaks it off. */
struct mgc_adb_wait {
    int64_t deadline_ns; /* reading of mgc_mono_ns, MGC_NEVER: none */
    int stop_fd;         /* readable: stop with MGC_E_CANCELLED; -1: none */
};

/* The same wait, ending at the latest `ms` from now. */
struct mgc_adb_wait mgc_adb_wait_ms(const struct mgc_adb_wait *wait, int64_t ms);

/* Classes of deadline, ms: a question to the server, a short command on the device. */
enum { MGC_ADB_QUERY_MS = 5000, MGC_ADB_SHELL_MS = 30000 };

/* Server at 127.0.0.1:$ANDROID_ADB_SERVER_PORT (default 5037). `program` (a path, or a name in
 * PATH; copied) starts a missing server; NULL: a missing server is an error. NULL with
 * MGC_E_USAGE when the variable is not a port. */
struct mgc_adb *mgc_adb_new(const char *program, struct mgc_error *err);
void mgc_adb_free(struct mgc_adb *adb); /* takes NULL */

const char *mgc_adb_address(const struct mgc_adb *adb); /* "127.0.0.1:5037" */
const char *mgc_adb_program(const struct mgc_adb *adb); /* NULL when none was given */
/* Services opened on devices so far: what a device is charged for. */
uint64_t mgc_adb_streams_opened(const struct mgc_adb *adb);
/* As above, of all devices, by the calling thread: what a task of its own thread has opened. */
uint64_t mgc_adb_streams_of_thread(void);

/* One caller at a time may take a device's connection down and up again (devices.c); those of other
 * devices do not wait for it. */
void mgc_adb_lock(struct mgc_adb *adb, struct mgc_keyhold *hold, const char *serial);
void mgc_adb_unlock(struct mgc_adb *adb, struct mgc_keyhold *hold);

struct mgc_adb_conn {
    struct mgc_adb *adb; /* borrowed: outlives the connection */
    mgc_socket socket;   /* owned */
    char serial[128];    /* device it leads to; empty: the server itself */
};
#define MGC_ADB_CONN_INIT                                                                          \
    {                                                                                              \
        .socket = MGC_SOCKET_NONE                                                                  \
    }

/* Connect to the server; starts it when the port refuses. */
bool mgc_adb_conn_open(struct mgc_adb_conn *conn, struct mgc_adb *adb,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
/* Connect, go to the device, open the service ("shell,v2,raw:...", "sync:"). Counted. */
bool mgc_adb_conn_open_service(struct mgc_adb_conn *conn, struct mgc_adb *adb, const char *serial,
    const char *service, const struct mgc_adb_wait *wait, struct mgc_error *err);
/* Send a request and take OKAY, or turn FAIL and its text into an error (see
 * mgc_adb_wire_fail_code). */
bool mgc_adb_conn_request(struct mgc_adb_conn *conn, const char *service,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
/* Append one reply of the form length + text. */
bool mgc_adb_conn_reply(struct mgc_adb_conn *conn, struct mgc_buf *reply,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
bool mgc_adb_conn_send(struct mgc_adb_conn *conn, const void *data, size_t len,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
/* What is there, at least one byte. *ret_len 0: end of stream. */
bool mgc_adb_conn_recv(struct mgc_adb_conn *conn, void *data, size_t size, size_t *ret_len,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
void mgc_adb_conn_close(struct mgc_adb_conn *conn); /* takes NULL, closed and initialised */

/* One question to the server: connect, request, append the reply, close. */
bool mgc_adb_query(struct mgc_adb *adb, const char *service, struct mgc_buf *reply,
    const struct mgc_adb_wait *wait, struct mgc_error *err);

/* "host:version" as a number (41 for 1.0.41). */
bool mgc_adb_server_version(struct mgc_adb *adb, unsigned *ret_version,
    const struct mgc_adb_wait *wait, struct mgc_error *err);

#endif
