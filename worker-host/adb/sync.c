#include "worker-host/adb/sync.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/open.h"
#include "common/plat/file.h"
#include "worker-host/adb/devices.h"
#include "worker-host/adb/part.h"

enum { BUFFER_SIZE = 256 * 1024, MODE_REGULAR = 0100000 };

static const struct mgc_adb_sync_options no_options;

static bool send_head(struct mgc_adb_conn *conn, const char id[4], const char *text,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    unsigned char head[MGC_ADB_SYNC_HEAD];
    size_t len = strlen(text);
    if (len > MGC_ADB_SYNC_PATH_MAX)
        return mgc_error_set(err, MGC_E_USAGE, "device %s: a path of %zu bytes, sync takes %d",
            conn->serial, len, MGC_ADB_SYNC_PATH_MAX);
    mgc_adb_wire_sync_head(head, id, (uint32_t)len);
    return mgc_adb_conn_send(conn, head, sizeof(head), wait, err) &&
           mgc_adb_conn_send(conn, text, len, wait, err);
}

bool mgc_adb_stat(struct mgc_adb *adb, const char *serial, const char *path,
    struct mgc_adb_stat *ret_stat, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_adb_conn conn = MGC_ADB_CONN_INIT;
    unsigned char reply[MGC_ADB_SYNC_STAT];
    size_t have = 0, got = 1;
    bool ok = mgc_adb_conn_open_service(&conn, adb, serial, "sync:", wait, err) &&
              send_head(&conn, "STAT", path, wait, err);
    while (ok && have < sizeof(reply) && got) {
        ok = mgc_adb_conn_recv(&conn, reply + have, sizeof(reply) - have, &got, wait, err);
        have += ok ? got : 0;
    }
    if (ok && have < sizeof(reply))
        ok = mgc_adb_device_lost(adb, serial, "sync stat was cut off", err);
    ok = ok && mgc_adb_wire_sync_stat(reply, ret_stat, err);
    mgc_adb_conn_close(&conn);
    return ok;
}

/* --- both directions -------------------------------------------------------------------------- */

struct transfer {
    struct mgc_adb_conn conn;
    const struct mgc_adb_sync_options *options;
    const struct mgc_adb_wait *wait;
    struct mgc_sha256 hash;
    uint64_t bytes, total;
    char *buffer; /* owned */
};

static bool transfer_start(struct transfer *transfer, struct mgc_adb *adb, const char *serial,
    const struct mgc_adb_sync_options *options, const struct mgc_adb_wait *wait,
    struct mgc_error *err)
{
    *transfer = (struct transfer){.conn = MGC_ADB_CONN_INIT, .wait = wait};
    transfer->options = options ? options : &no_options;
    transfer->buffer = malloc(BUFFER_SIZE);
    mgc_sha256_init(&transfer->hash);
    if (!transfer->buffer)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "device %s: no memory for sync", serial);
    return mgc_adb_conn_open_service(&transfer->conn, adb, serial, "sync:", wait, err);
}

static bool transfer_count(
    struct transfer *transfer, const void *data, size_t len, struct mgc_error *err)
{
    mgc_sha256_update(&transfer->hash, data, len);
    transfer->bytes += len;
    return !transfer->options->progress || transfer->options->progress(transfer->options->ctx,
                                               transfer->bytes, transfer->total, err);
}

static void transfer_result(struct transfer *transfer, struct mgc_adb_transfer *ret_transfer)
{
    unsigned char digest[MGC_SHA256_SIZE];
    mgc_sha256_final(&transfer->hash, digest);
    mgc_sha256_hex(digest, ret_transfer->sha256);
    ret_transfer->bytes = transfer->bytes;
}

static void transfer_end(struct transfer *transfer)
{
    mgc_adb_conn_close(&transfer->conn);
    free(transfer->buffer);
}

/* The answer of the device so far; gives one event other than "more". */
static bool next_event(struct transfer *transfer, struct mgc_adb_sync_parser *parser, size_t *used,
    size_t *len, enum mgc_adb_sync_event *event, const char **piece, size_t *piece_len,
    struct mgc_error *err)
{
    struct mgc_adb_conn *conn = &transfer->conn;
    *event = MGC_ADB_SYNC_MORE;
    while (*event == MGC_ADB_SYNC_MORE) {
        size_t eaten;
        if (*used == *len) {
            *used = 0;
            if (!mgc_adb_conn_recv(conn, transfer->buffer, BUFFER_SIZE, len, transfer->wait, err))
                return false;
            if (*len == 0)
                return mgc_adb_device_lost(
                    conn->adb, conn->serial, "a sync transfer was cut off", err);
        }
        if (!mgc_adb_wire_sync_next(parser, transfer->buffer + *used, *len - *used, &eaten, event,
                piece, piece_len, err))
            return mgc_error_prefix(err, "device %s", conn->serial);
        *used += eaten;
    }
    return true;
}

/* The device gave an event that ends the transfer badly. Returns false. */
static bool refused(const struct transfer *transfer, const char *doing, const char *remote,
    enum mgc_adb_sync_event event, const struct mgc_adb_sync_parser *parser, struct mgc_error *err)
{
    char shown[200];
    bool fail = event == MGC_ADB_SYNC_FAIL;
    enum mgc_code code = !fail                                   ? MGC_E_PROTOCOL
                         : strstr(parser->fail, "No space left") ? MGC_E_NO_SPACE
                                                                 : MGC_E_FAILED;
    return mgc_error_set(err, code, "device %s: %s \"%s\": %s", transfer->conn.serial, doing,
        remote,
        fail ? mgc_adb_wire_shown(parser->fail, shown, sizeof(shown)) : "unexpected answer");
}

/* --- push ------------------------------------------------------------------------------------- */

static bool push_bytes(
    struct transfer *transfer, FILE *file, const char *local, struct mgc_error *err)
{
    unsigned char *head = (unsigned char *)transfer->buffer;
    char *data = transfer->buffer + MGC_ADB_SYNC_HEAD;
    size_t len;
    while ((len = fread(data, 1, MGC_ADB_SYNC_DATA_MAX, file)) > 0) {
        mgc_adb_wire_sync_head(head, "DATA", (uint32_t)len);
        if (!mgc_adb_conn_send(
                &transfer->conn, head, MGC_ADB_SYNC_HEAD + len, transfer->wait, err) ||
            !transfer_count(transfer, data, len, err))
            return false;
    }
    if (ferror(file))
        return mgc_error_set(err, MGC_E_IO, "read \"%s\" failed", local);
    mgc_adb_wire_sync_head(head, "DONE", (uint32_t)(mgc_wall_ns() / MGC_NS_PER_S));
    return mgc_adb_conn_send(&transfer->conn, head, MGC_ADB_SYNC_HEAD, transfer->wait, err);
}

/* The device answers at the end, or earlier when it cannot write; a send that broke for that
 * reason is explained by the answer that is waiting. */
static bool push_answer(struct transfer *transfer, const char *remote, struct mgc_error *err)
{
    struct mgc_adb_sync_parser parser = {0};
    enum mgc_adb_sync_event event;
    const char *piece;
    size_t used = 0, len = 0, piece_len;
    if (!next_event(transfer, &parser, &used, &len, &event, &piece, &piece_len, err))
        return false;
    if (event == MGC_ADB_SYNC_OKAY)
        return true;
    return refused(transfer, "push to", remote, event, &parser, err);
}

bool mgc_adb_push(struct mgc_adb *adb, const char *serial, const char *local, const char *remote,
    const struct mgc_adb_sync_options *options, const struct mgc_adb_wait *wait,
    struct mgc_adb_transfer *ret_transfer, struct mgc_error *err)
{
    char target[MGC_ADB_SYNC_PATH_MAX + 32];
    struct transfer transfer = {.conn = MGC_ADB_CONN_INIT};
    unsigned mode = MODE_REGULAR | (options && options->mode ? options->mode : 0644);
    snprintf(target, sizeof(target), "%s,%u", remote, mode);
    FILE *file = mgc_open_read(local, err);
    if (!file)
        return mgc_error_prefix(err, "push");
    uint64_t total = 0;
    bool ok = mgc_file_size(local, &total, err) &&
              transfer_start(&transfer, adb, serial, options, wait, err) &&
              send_head(&transfer.conn, "SEND", target, wait, err);
    transfer.total = total;
    struct mgc_error why = {0};
    bool sent = ok && push_bytes(&transfer, file, local, &why);
    if (ok && !sent && why.code != MGC_E_LOST) {
        ok = false;
        if (err)
            *err = why;
    }
    ok = ok && push_answer(&transfer, remote, err);
    if (ok)
        transfer_result(&transfer, ret_transfer);
    transfer_end(&transfer);
    fclose(file);
    return ok;
}

/* --- pull ------------------------------------------------------------------------------------- */

static bool pull_bytes(
    struct transfer *transfer, struct mgc_adb_part *part, const char *remote, struct mgc_error *err)
{
    struct mgc_adb_sync_parser parser = {0};
    enum mgc_adb_sync_event event;
    const char *piece;
    size_t used = 0, len = 0, piece_len;
    for (;;) {
        if (!next_event(transfer, &parser, &used, &len, &event, &piece, &piece_len, err))
            return false;
        if (event == MGC_ADB_SYNC_DONE)
            return true;
        if (event != MGC_ADB_SYNC_DATA)
            return refused(transfer, "pull of", remote, event, &parser, err);
        if (!mgc_adb_part_write(part, piece, piece_len, err) ||
            !transfer_count(transfer, piece, piece_len, err))
            return false;
    }
}

bool mgc_adb_pull(struct mgc_adb *adb, const char *serial, const char *remote, const char *local,
    const struct mgc_adb_sync_options *options, const struct mgc_adb_wait *wait,
    struct mgc_adb_transfer *ret_transfer, struct mgc_error *err)
{
    struct transfer transfer = {.conn = MGC_ADB_CONN_INIT};
    struct mgc_adb_part part;
    if (!mgc_adb_part_open(&part, local, err))
        return false;
    bool ok = transfer_start(&transfer, adb, serial, options, wait, err) &&
              send_head(&transfer.conn, "RECV", remote, wait, err) &&
              pull_bytes(&transfer, &part, remote, err) && mgc_adb_part_keep(&part, err);
    mgc_adb_part_drop(&part);
    if (ok)
        transfer_result(&transfer, ret_transfer);
    transfer_end(&transfer);
    return ok;
}
