/* Commands on the device: shell v2 (real exit code, stdout and stderr apart, standard input) and
 * raw exec.
 *
 * A command is a string for the device's sh; build it with quote.h. One struct belongs to one
 * thread. A stream that ends without an exit code is MGC_E_LOST with the device's state.
 */
#ifndef MGC_ADB_SHELL_H
#define MGC_ADB_SHELL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"
#include "worker-host/adb/conn.h"
#include "worker-host/adb/wire.h"

struct mgc_adb_shell {
    struct mgc_adb_conn conn;
    struct mgc_adb_shell_parser parser;
    char *buffer; /* owned */
    size_t used, len;
    int exit_code; /* valid once the exit piece was given */
};
#define MGC_ADB_SHELL_INIT                                                                         \
    {                                                                                              \
        .conn = MGC_ADB_CONN_INIT                                                                  \
    }

bool mgc_adb_shell_open(struct mgc_adb_shell *shell, struct mgc_adb *adb, const char *serial,
    const char *command, const struct mgc_adb_wait *wait, struct mgc_error *err);
/* Bytes for the command's standard input; send_close ends it. */
bool mgc_adb_shell_send(struct mgc_adb_shell *shell, const void *data, size_t len,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
bool mgc_adb_shell_send_close(
    struct mgc_adb_shell *shell, const struct mgc_adb_wait *wait, struct mgc_error *err);
/* Next piece of output, borrowed until the next call; MGC_ADB_EXIT is the last one. */
bool mgc_adb_shell_next(struct mgc_adb_shell *shell, struct mgc_adb_shell_piece *ret_piece,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
/* True while mgc_adb_shell_next may have something without reading: then do not poll the socket. */
bool mgc_adb_shell_buffered(const struct mgc_adb_shell *shell);
/* Also ends the command on the device. Takes NULL, closed and initialised. */
void mgc_adb_shell_close(struct mgc_adb_shell *shell);

struct mgc_adb_result {
    int exit_code;
    struct mgc_buf out, err; /* owned; the caller may set caps (default 1 MiB each) */
};
void mgc_adb_result_destroy(struct mgc_adb_result *result); /* takes NULL and zeroed */

/* Standard input of a command, at most MGC_ADB_INPUT_MAX bytes: it is sent before any output is
 * read. NULL: empty. */
enum { MGC_ADB_INPUT_MAX = 65536 };
struct mgc_adb_input {
    const void *data;
    size_t len;
};

/* Run a command to its end. Output past a cap is MGC_E_NO_MEMORY. What came before a failure stays
 * in the result. An exit code other than 0 is not a failure here. */
bool mgc_adb_run(struct mgc_adb *adb, const char *serial, const char *command,
    const struct mgc_adb_input *input, const struct mgc_adb_wait *wait,
    struct mgc_adb_result *result, struct mgc_error *err);

/* Gets output as it comes; false breaks the command off. `id` is MGC_ADB_STDOUT or _STDERR. */
typedef bool mgc_adb_sink(
    void *ctx, enum mgc_adb_shell_id id, const char *data, size_t len, struct mgc_error *err);
bool mgc_adb_run_stream(struct mgc_adb *adb, const char *serial, const char *command,
    const struct mgc_adb_input *input, mgc_adb_sink *sink, void *ctx,
    const struct mgc_adb_wait *wait, int *ret_exit_code, struct mgc_error *err);

/* Raw "exec:": all output in one stream, no exit code, so success is the caller's to prove. */
bool mgc_adb_exec(struct mgc_adb *adb, const char *serial, const char *command, mgc_adb_sink *sink,
    void *ctx, const struct mgc_adb_wait *wait, struct mgc_error *err);

#endif
