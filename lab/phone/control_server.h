/* PID 1's end of the control socket: one request per connection, answers as frames. */
#ifndef MGC_LAB_PHONE_CONTROL_SERVER_H
#define MGC_LAB_PHONE_CONTROL_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "lab/phone/control.h"
#include "lab/phone/loop.h"

struct mgl_phone;
struct mgl_control_server;

/* One client. An operation fills the answer; log readers stay until they have what they asked. */
struct mgl_control_client {
    struct mgl_control_server *server; /* borrowed */
    struct mgl_watch watch;
    uid_t uid; /* of the caller, from the kernel */
    struct mgc_buf in, out;
    bool answered; /* close when `out` is empty */
    bool log_reader;
    bool log_follow;
    uint64_t log_next;    /* sequence number of the next entry */
    int64_t log_since_ns; /* entries older than this are left out */
    struct mgl_control_client *next;
};

struct mgl_control_server {
    struct mgl_phone *phone; /* borrowed */
    struct mgl_watch watch;
    struct mgl_control_client *clients; /* owned */
};

bool mgl_control_server_start(
    struct mgl_control_server *server, struct mgl_phone *phone, struct mgc_error *err);
void mgl_control_server_stop(struct mgl_control_server *server);

/* For operations (control_ops.c). */
void mgl_control_item_add(struct mgl_control_client *client, const void *data, size_t len);
void mgl_control_sentence(struct mgl_control_client *client, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Run the operation words[0]. */
enum mgl_control_result mgl_control_run(
    struct mgl_control_client *client, const char **words, size_t count);

/* The log has new entries: feed the readers that follow it. */
void mgl_control_log_grew(struct mgl_control_server *server);

#endif
