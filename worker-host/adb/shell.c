#include "worker-host/adb/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker-host/adb/devices.h"

enum { BUFFER_SIZE = 256 * 1024, OUTPUT_MAX = 1 << 20 };

bool mgc_adb_shell_open(struct mgc_adb_shell *shell, struct mgc_adb *adb, const char *serial,
    const char *command, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    *shell = (struct mgc_adb_shell)MGC_ADB_SHELL_INIT;
    struct mgc_buf service = {0};
    bool ok = mgc_buf_printf(&service, "shell,v2,raw:%s", command);
    shell->buffer = malloc(BUFFER_SIZE);
    if (!ok || !shell->buffer)
        ok = mgc_error_set(err, MGC_E_NO_MEMORY, "device %s: no memory for a shell", serial);
    ok = ok &&
         mgc_adb_conn_open_service(&shell->conn, adb, serial, mgc_buf_text(&service), wait, err);
    mgc_buf_destroy(&service);
    if (!ok)
        mgc_adb_shell_close(shell);
    return ok;
}

void mgc_adb_shell_close(struct mgc_adb_shell *shell)
{
    if (!shell)
        return;
    mgc_adb_conn_close(&shell->conn);
    free(shell->buffer);
    *shell = (struct mgc_adb_shell)MGC_ADB_SHELL_INIT;
}

static bool send_packet(struct mgc_adb_shell *shell, enum mgc_adb_shell_id id, const void *data,
    size_t len, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    unsigned char head[MGC_ADB_SHELL_HEAD];
    mgc_adb_wire_shell_head(head, id, (uint32_t)len);
    return mgc_adb_conn_send(&shell->conn, head, sizeof(head), wait, err) &&
           (len == 0 || mgc_adb_conn_send(&shell->conn, data, len, wait, err));
}

bool mgc_adb_shell_send(struct mgc_adb_shell *shell, const void *data, size_t len,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    enum { STEP = 32 * 1024 }; /* adbd gives a packet to the command in one write */
    const char *next = data;
    while (len) {
        size_t step = len < STEP ? len : STEP;
        if (!send_packet(shell, MGC_ADB_STDIN, next, step, wait, err))
            return false;
        next += step;
        len -= step;
    }
    return true;
}

bool mgc_adb_shell_send_close(
    struct mgc_adb_shell *shell, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    return send_packet(shell, MGC_ADB_CLOSE_STDIN, NULL, 0, wait, err);
}

static bool refill(
    struct mgc_adb_shell *shell, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_error why;
    shell->used = 0;
    shell->len = 0;
    bool ok = mgc_adb_conn_recv(&shell->conn, shell->buffer, BUFFER_SIZE, &shell->len, wait, &why);
    if (ok && shell->len > 0)
        return true;
    if (!ok && why.code != MGC_E_LOST && why.code != MGC_E_IO) {
        if (err)
            *err = why;
        return false;
    }
    mgc_adb_conn_close(&shell->conn); /* the question goes over a connection of its own */
    return mgc_adb_device_lost(
        shell->conn.adb, shell->conn.serial, "a shell stream ended without an exit code", err);
}

bool mgc_adb_shell_next(struct mgc_adb_shell *shell, struct mgc_adb_shell_piece *ret_piece,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_adb_shell_piece piece = {0};
    while (piece.len == 0) {
        size_t used;
        if (shell->used == shell->len && !refill(shell, wait, err))
            return false;
        if (!mgc_adb_wire_shell_next(&shell->parser, shell->buffer + shell->used,
                shell->len - shell->used, &used, &piece, err))
            return mgc_error_prefix(err, "device %s", shell->conn.serial);
        shell->used += used;
    }
    if (piece.id == MGC_ADB_EXIT)
        shell->exit_code = (unsigned char)piece.data[0];
    *ret_piece = piece;
    return true;
}

bool mgc_adb_shell_buffered(const struct mgc_adb_shell *shell)
{
    return shell->used < shell->len;
}

/* Give a command its input. One that ended without reading makes the send fail, while its output
 * and exit code are there to be read; so only a wait that was broken off is a failure here. */
static bool give_input(struct mgc_adb_shell *shell, const struct mgc_adb_input *input,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_error why = {0};
    if ((!input || mgc_adb_shell_send(shell, input->data, input->len, wait, &why)) &&
        mgc_adb_shell_send_close(shell, wait, &why))
        return true;
    if (why.code != MGC_E_TIMEOUT && why.code != MGC_E_CANCELLED)
        return true;
    if (err)
        *err = why;
    return false;
}

bool mgc_adb_run_stream(struct mgc_adb *adb, const char *serial, const char *command,
    const struct mgc_adb_input *input, mgc_adb_sink *sink, void *ctx,
    const struct mgc_adb_wait *wait, int *ret_exit_code, struct mgc_error *err)
{
    struct mgc_adb_shell shell;
    struct mgc_adb_shell_piece piece = {0};
    if (input && input->len > MGC_ADB_INPUT_MAX)
        return mgc_error_set(err, MGC_E_USAGE, "device %s: %zu bytes of input, at most %d", serial,
            input->len, MGC_ADB_INPUT_MAX);
    if (!mgc_adb_shell_open(&shell, adb, serial, command, wait, err))
        return false;
    bool ok = give_input(&shell, input, wait, err);
    while (ok && piece.id != MGC_ADB_EXIT) {
        ok = mgc_adb_shell_next(&shell, &piece, wait, err);
        if (ok && piece.id != MGC_ADB_EXIT)
            ok = sink(ctx, piece.id, piece.data, piece.len, err);
    }
    if (ok)
        *ret_exit_code = shell.exit_code;
    mgc_adb_shell_close(&shell);
    return ok;
}

static bool collect(
    void *ctx, enum mgc_adb_shell_id id, const char *data, size_t len, struct mgc_error *err)
{
    struct mgc_adb_result *result = ctx;
    struct mgc_buf *buf = id == MGC_ADB_STDOUT ? &result->out : &result->err;
    if (!mgc_buf_append(buf, data, len))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "%s of a device command passes %zu bytes",
            id == MGC_ADB_STDOUT ? "stdout" : "stderr", buf->max);
    return true;
}

bool mgc_adb_run(struct mgc_adb *adb, const char *serial, const char *command,
    const struct mgc_adb_input *input, const struct mgc_adb_wait *wait,
    struct mgc_adb_result *result, struct mgc_error *err)
{
    if (!result->out.max)
        result->out.max = OUTPUT_MAX;
    if (!result->err.max)
        result->err.max = OUTPUT_MAX;
    return mgc_adb_run_stream(
        adb, serial, command, input, collect, result, wait, &result->exit_code, err);
}

void mgc_adb_result_destroy(struct mgc_adb_result *result)
{
    if (!result)
        return;
    mgc_buf_destroy(&result->out);
    mgc_buf_destroy(&result->err);
}

bool mgc_adb_exec(struct mgc_adb *adb, const char *serial, const char *command, mgc_adb_sink *sink,
    void *ctx, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_adb_conn conn = MGC_ADB_CONN_INIT;
    struct mgc_buf service = {0};
    char *buffer = malloc(BUFFER_SIZE);
    bool ok = buffer && mgc_buf_printf(&service, "exec:%s", command);
    if (!ok)
        mgc_error_set(err, MGC_E_NO_MEMORY, "device %s: no memory for exec", serial);
    ok = ok && mgc_adb_conn_open_service(&conn, adb, serial, mgc_buf_text(&service), wait, err);
    for (size_t len = 1; ok && len;) {
        ok = mgc_adb_conn_recv(&conn, buffer, BUFFER_SIZE, &len, wait, err);
        ok = ok && (len == 0 || sink(ctx, MGC_ADB_STDOUT, buffer, len, err));
    }
    mgc_adb_conn_close(&conn);
    mgc_buf_destroy(&service);
    free(buffer);
    return ok;
}
