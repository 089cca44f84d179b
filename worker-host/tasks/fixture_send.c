#include "worker-host/tasks/fixture_send.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/open.h"
#include "worker-host/adb/quote.h"
#include "worker-host/adb/shell.h"

enum { SEND_STEP = 256 * 1024, PROGRESS_MS = 2000, SAID_MAX = 16384, SHOWN_MAX = 200 };

static const char put_text[] =
    "cd \"files/trace-replay/$1\" || exit 86\n"
    "p=\".$2.mgc-part\"\n"
    "cat >\"$p\" || { rm -f \"$p\"; exit 87; }\n"
    "h=$(sha256sum <\"$p\") || { rm -f \"$p\"; exit 87; }\n"
    "[ \"${h%% *}\" = \"$3\" ] || { rm -f \"$p\"; echo \"hash $h, expected $3\" >&2; exit 88; }\n"
    "mv -f \"$p\" \"$2\" || { rm -f \"$p\"; exit 87; }\n";

static const char part_text[] = "rm -f \"files/trace-replay/$1/.$2.mgc-part\"";

struct sending {
    struct mgc_task *task;                 /* borrowed */
    const struct mgc_fixture_place *place; /* borrowed */
    const char *what;
    FILE *file; /* owned */
    struct mgc_adb_shell shell;
    uint64_t sent, total;
    int64_t told_ns;
};

bool mgc_fixture_exit_error(
    const struct mgc_fixture_place *place, int code, const char *text, struct mgc_error *err)
{
    char said[SHOWN_MAX];
    enum mgc_code why = strstr(text, "No space left")    ? MGC_E_NO_SPACE
                        : code == MGC_FIXTURE_EXIT_HASH  ? MGC_E_INTEGRITY
                        : code == MGC_FIXTURE_EXIT_WRITE ? MGC_E_IO
                                                         : MGC_E_DENIED;
    return mgc_error_set(err, why, "device %s: fixtures of %s in \"%s\": code %d: %s",
        place->serial, place->package, place->dir, code,
        mgc_adb_wire_shown(text, said, sizeof(said)));
}

static bool no_memory(struct mgc_error *err)
{
    return mgc_error_set(err, MGC_E_NO_MEMORY, "host.fixtures: no memory");
}

static bool tell(struct sending *sending, struct mgc_error *err)
{
    struct mgc_fields fields = {0};
    if (sending->sent < sending->total &&
        mgc_mono_ns() - sending->told_ns < PROGRESS_MS * MGC_NS_PER_MS)
        return true;
    sending->told_ns = mgc_mono_ns();
    bool ok = mgc_fields_set_int(&fields, "done", (int64_t)sending->sent) &&
              mgc_fields_set_int(&fields, "total", (int64_t)sending->total) &&
              mgc_fields_setf(&fields, "unit", "bytes of the %s", sending->what);
    ok = ok ? mgc_task_event(sending->task, "progress", &fields, err) : no_memory(err);
    mgc_fields_destroy(&fields);
    return ok;
}

/* All bytes; false with *ret_refused when the command has ended before it took them: its words tell
 * more than the broken stream. */
static bool send_bytes(struct sending *sending, const struct mgc_adb_wait *wait, bool *ret_refused,
    struct mgc_error *err)
{
    char *data = malloc(SEND_STEP);
    bool ok = data || no_memory(err);
    for (size_t len = 1; ok && len;) {
        len = fread(data, 1, SEND_STEP, sending->file);
        if (ferror(sending->file))
            ok = mgc_error_set(err, MGC_E_IO, "reading the %s failed", sending->what);
        else if (len && !mgc_adb_shell_send(&sending->shell, data, len, wait, err)) {
            ok = false;
            *ret_refused = err->code != MGC_E_TIMEOUT && err->code != MGC_E_CANCELLED;
        }
        sending->sent += len;
        ok = ok && tell(sending, err);
    }
    free(data);
    return ok && mgc_adb_shell_send_close(&sending->shell, wait, err);
}

/* To the command's end. */
static bool read_end(
    struct sending *sending, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_buf said = {.max = SAID_MAX};
    struct mgc_adb_shell_piece piece = {0};
    bool ok = true;
    while (ok && piece.id != MGC_ADB_EXIT) {
        ok = mgc_adb_shell_next(&sending->shell, &piece, wait, err);
        if (ok && piece.id == MGC_ADB_STDERR)
            mgc_buf_append(&said, piece.data, piece.len);
    }
    if (ok && sending->shell.exit_code != 0)
        ok = mgc_fixture_exit_error(
            sending->place, sending->shell.exit_code, mgc_buf_text(&said), err);
    mgc_buf_destroy(&said);
    return ok;
}

static bool send_to(struct sending *sending, const char *command, struct mgc_error *err)
{
    struct mgc_adb_wait wait = mgc_host_wait(sending->task, -1);
    bool refused = false;
    bool ok = mgc_adb_shell_open(&sending->shell, mgc_host_adb(sending->task),
                  sending->place->serial, command, &wait, err) &&
              send_bytes(sending, &wait, &refused, err);
    if (ok || refused)
        ok = read_end(sending, &wait, err) && ok;
    mgc_adb_shell_close(&sending->shell);
    return ok;
}

bool mgc_fixture_send(struct mgc_task *task, const struct mgc_fixture_place *place,
    const char *path, const struct mgc_fixture *fixture, const char *name, const char *what,
    struct mgc_error *err)
{
    const char *const argv[] = {"run-as", place->package, "sh", "-c", put_text, "sh", place->dir,
        name, fixture->sha256, NULL};
    struct mgc_buf command = {0};
    struct sending sending = {.task = task,
        .place = place,
        .what = what,
        .shell = MGC_ADB_SHELL_INIT,
        .total = fixture->bytes,
        .told_ns = mgc_mono_ns()};
    sending.file = mgc_open_read(path, err);
    if (!sending.file)
        return false;
    bool ok = (mgc_adb_quote_all(&command, argv) || no_memory(err)) &&
              send_to(&sending, mgc_buf_text(&command), err);
    fclose(sending.file);
    mgc_buf_destroy(&command);
    return ok;
}

bool mgc_fixture_remove_part(struct mgc_adb *adb, const struct mgc_fixture_place *place,
    const char *name, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    const char *const argv[] = {
        "run-as", place->package, "sh", "-c", part_text, "sh", place->dir, name, NULL};
    struct mgc_buf command = {0};
    struct mgc_adb_result result = {0};
    bool ok = (mgc_adb_quote_all(&command, argv) || no_memory(err)) &&
              mgc_adb_run(adb, place->serial, mgc_buf_text(&command), NULL, wait, &result, err);
    if (ok && result.exit_code != 0)
        ok = mgc_fixture_exit_error(place, result.exit_code, mgc_buf_text(&result.err), err);
    mgc_adb_result_destroy(&result);
    mgc_buf_destroy(&command);
    return ok;
}
