/* host.fixtures: trace and golden picture in the app's files, pushed only when they are not there.
 *
 *   look at the files here -> look at the phone's -> for each that differs: journal -> send ->
 * prove
 *
 * A file goes over the shell's standard input straight into the app's directory, as the app's user:
 * no second copy on the phone, and the shell's user need not reach the app's files. It has its name
 * only once the phone's hash is the one of the file here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/open.h"
#include "common/base/parse.h"
#include "worker-host/adb/devices.h"
#include "worker-host/adb/quote.h"
#include "worker-host/adb/shell.h"
#include "worker-host/tasks/common.h"
#include "worker-host/tasks/fixture.h"

#define UNDO_KIND "fixture.part"

enum {
    LOOK_MS = 120000, /* a gigabyte is hashed meanwhile */
    UNDO_MS = 15000,
    UNDO_READY_MS = 5000,
    SEND_STEP = 256 * 1024,
    PROGRESS_MS = 2000,
    SAID_MAX = 16384,
    SHOWN_MAX = 200,
};

enum { EXIT_DIR = 86, EXIT_WRITE = 87, EXIT_HASH = 88 };

const struct mgc_param mgc_host_fixtures_params[] = {
    {"serial", MGC_PARAM_STRING, true, 1, 127, mgc_host_check_serial, "adb serial of the phone"},
    {"package", MGC_PARAM_STRING, true, 3, 255, mgc_host_check_package, "app that replays them"},
    {"dir", MGC_PARAM_STRING, true, 1, 64, mgc_host_check_file_name, "below files/trace-replay"},
    {"trace", MGC_PARAM_STRING, false, 1, 4000, mgc_host_check_local_path, "file of this machine"},
    {"golden", MGC_PARAM_STRING, false, 1, 4000, mgc_host_check_local_path, "file of this machine"},
    {"device_timeout_ms", MGC_PARAM_INT, false, 1, 600000, NULL, "time for a phone to come back"},
    {0},
};

/* The two of them: parameter and prefix of the facts, and the name on the phone (contract 1). */
static const struct {
    const char *param, *name;
    enum mgc_fixture_kind kind;
} both[] = {
    {"trace", "trace.trace", MGC_FIXTURE_TRACE}, {"golden", "golden.png", MGC_FIXTURE_GOLDEN}};

struct fixtures {
    struct mgc_task *task; /* borrowed */
    const char *serial, *package, *dir;
    struct mgc_fixture here[2];  /* bytes 0: no file was given */
    struct mgc_fixture there[2]; /* of the phone; bytes 0: none, or not whole */
    bool pointer_there[2];
};

/* --- what the phone has ----------------------------------------------------------------------- */

static const char look_text[] =
    "mkdir -p \"files/trace-replay/$1\" || exit 86\n"
    "cd \"files/trace-replay/$1\" || exit 86\n"
    "for f in trace.trace golden.png; do\n"
    "  [ -f \"$f\" ] && s=$(stat -c %s \"$f\") && h=$(sha256sum <\"$f\") || continue\n"
    "  l=; [ \"$s\" -gt 1024 ] || read -r l <\"$f\"\n"
    "  case $l in 'version https://git-lfs'*) echo \"mgc:pointer $f\"; continue;; esac\n"
    "  echo \"mgc:file $f $s ${h%% *}\"\n"
    "done\n"
    "exit 0\n";

static void take_file_line(struct fixtures *fixtures, const char *line)
{
    char name[32], bytes[24], sha256[MGC_SHA256_HEX_SIZE];
    int64_t number;
    bool file = sscanf(line, "mgc:file %31s %23s %64s", name, bytes, sha256) == 3;
    bool pointer = !file && sscanf(line, "mgc:pointer %31s", name) == 1;
    for (size_t i = 0; (file || pointer) && i < 2; i++) {
        if (strcmp(both[i].name, name) != 0)
            continue;
        fixtures->pointer_there[i] = pointer;
        if (!file || !mgc_parse_int(bytes, 0, INT64_MAX, &number) ||
            strspn(sha256, "0123456789abcdef") != MGC_SHA256_HEX_SIZE - 1)
            continue;
        fixtures->there[i].bytes = (uint64_t)number;
        memcpy(fixtures->there[i].sha256, sha256, sizeof(sha256));
    }
}

static bool exit_error(struct fixtures *fixtures, int code, const char *text, struct mgc_error *err)
{
    char said[SHOWN_MAX];
    enum mgc_code why = strstr(text, "No space left") ? MGC_E_NO_SPACE
                        : code == EXIT_HASH           ? MGC_E_INTEGRITY
                        : code == EXIT_WRITE          ? MGC_E_IO
                                                      : MGC_E_DENIED;
    return mgc_error_set(err, why, "device %s: fixtures of %s in \"%s\": code %d: %s",
        fixtures->serial, fixtures->package, fixtures->dir, code,
        mgc_adb_wire_shown(text, said, sizeof(said)));
}

static bool look(struct fixtures *fixtures, struct mgc_error *err)
{
    const char *const argv[] = {
        "run-as", fixtures->package, "sh", "-c", look_text, "sh", fixtures->dir, NULL};
    struct mgc_buf command = {0};
    struct mgc_adb_result result = {.out = {.max = SAID_MAX}, .err = {.max = SAID_MAX}};
    struct mgc_adb_wait wait = mgc_host_wait(fixtures->task, LOOK_MS);
    bool ok = mgc_adb_quote_all(&command, argv) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "host.fixtures: no memory");
    ok = ok && mgc_adb_run(mgc_host_adb(fixtures->task), fixtures->serial, mgc_buf_text(&command),
                   NULL, &wait, &result, err);
    if (ok && result.exit_code != 0)
        ok = exit_error(fixtures, result.exit_code, mgc_buf_text(&result.err), err);
    for (const char *line = mgc_buf_text(&result.out); ok && *line;) {
        take_file_line(fixtures, line);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    mgc_adb_result_destroy(&result);
    mgc_buf_destroy(&command);
    return ok;
}

/* --- sending ---------------------------------------------------------------------------------- */

static const char put_text[] =
    "cd \"files/trace-replay/$1\" || exit 86\n"
    "p=\".$2.mgc-part\"\n"
    "cat >\"$p\" || { rm -f \"$p\"; exit 87; }\n"
    "h=$(sha256sum <\"$p\") || { rm -f \"$p\"; exit 87; }\n"
    "[ \"${h%% *}\" = \"$3\" ] || { rm -f \"$p\"; echo \"hash $h, expected $3\" >&2; exit 88; }\n"
    "mv -f \"$p\" \"$2\" || { rm -f \"$p\"; exit 87; }\n";

static const char part_text[] = "rm -f \"files/trace-replay/$1/.$2.mgc-part\"";

struct sending {
    struct fixtures *fixtures;
    const char *param; /* for progress */
    FILE *file;
    uint64_t sent, total;
    int64_t told_ns;
};

static bool tell(struct sending *sending, struct mgc_error *err)
{
    struct mgc_fields fields = {0};
    if (sending->sent < sending->total &&
        mgc_mono_ns() - sending->told_ns < PROGRESS_MS * MGC_NS_PER_MS)
        return true;
    sending->told_ns = mgc_mono_ns();
    bool ok = mgc_fields_set_int(&fields, "done", (int64_t)sending->sent) &&
              mgc_fields_set_int(&fields, "total", (int64_t)sending->total) &&
              mgc_fields_setf(&fields, "unit", "bytes of the %s", sending->param);
    ok = ok ? mgc_task_event(sending->fixtures->task, "progress", &fields, err)
            : mgc_error_set(err, MGC_E_NO_MEMORY, "host.fixtures: no memory");
    mgc_fields_destroy(&fields);
    return ok;
}

/* All bytes; false with *ret_refused when the command has ended before it took them: its words tell
 * more than the broken stream. */
static bool send_bytes(struct sending *sending, struct mgc_adb_shell *shell,
    const struct mgc_adb_wait *wait, bool *ret_refused, struct mgc_error *err)
{
    char *data = malloc(SEND_STEP);
    bool ok = data || mgc_error_set(err, MGC_E_NO_MEMORY, "host.fixtures: no memory");
    for (size_t len = 1; ok && len;) {
        len = fread(data, 1, SEND_STEP, sending->file);
        if (ferror(sending->file))
            ok = mgc_error_set(err, MGC_E_IO, "reading the %s failed", sending->param);
        else if (len && !mgc_adb_shell_send(shell, data, len, wait, err)) {
            ok = false;
            *ret_refused = err->code != MGC_E_TIMEOUT && err->code != MGC_E_CANCELLED;
        }
        sending->sent += len;
        ok = ok && tell(sending, err);
    }
    free(data);
    return ok && mgc_adb_shell_send_close(shell, wait, err);
}

/* To the command's end. */
static bool read_end(struct fixtures *fixtures, struct mgc_adb_shell *shell,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_buf said = {.max = SAID_MAX};
    struct mgc_adb_shell_piece piece = {0};
    bool ok = true;
    while (ok && piece.id != MGC_ADB_EXIT) {
        ok = mgc_adb_shell_next(shell, &piece, wait, err);
        if (ok && piece.id == MGC_ADB_STDERR)
            mgc_buf_append(&said, piece.data, piece.len);
    }
    if (ok && shell->exit_code != 0)
        ok = exit_error(fixtures, shell->exit_code, mgc_buf_text(&said), err);
    mgc_buf_destroy(&said);
    return ok;
}

static bool send_file(struct fixtures *fixtures, size_t i, FILE *file, struct mgc_error *err)
{
    const char *const argv[] = {"run-as", fixtures->package, "sh", "-c", put_text, "sh",
        fixtures->dir, both[i].name, fixtures->here[i].sha256, NULL};
    struct mgc_buf command = {0};
    struct mgc_adb_shell shell = MGC_ADB_SHELL_INIT;
    struct mgc_adb_wait wait = mgc_host_wait(fixtures->task, -1);
    struct sending sending = {.fixtures = fixtures,
        .param = both[i].param,
        .file = file,
        .total = fixtures->here[i].bytes,
        .told_ns = mgc_mono_ns()};
    bool refused = false;
    bool ok = mgc_adb_quote_all(&command, argv) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "host.fixtures: no memory");
    ok = ok && mgc_adb_shell_open(&shell, mgc_host_adb(fixtures->task), fixtures->serial,
                   mgc_buf_text(&command), &wait, err);
    ok = ok && send_bytes(&sending, &shell, &wait, &refused, err);
    if (ok || refused)
        ok = read_end(fixtures, &shell, &wait, err) && ok;
    mgc_adb_shell_close(&shell);
    mgc_buf_destroy(&command);
    return ok;
}

static bool journal(struct fixtures *fixtures, size_t i, uint64_t *ret_entry, struct mgc_error *err)
{
    struct mgc_fields before = {0};
    bool ok = (mgc_fields_set_str(&before, "serial", fixtures->serial) &&
                  mgc_fields_set_str(&before, "package", fixtures->package) &&
                  mgc_fields_set_str(&before, "dir", fixtures->dir) &&
                  mgc_fields_set_str(&before, "name", both[i].name)) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the undo journal");
    ok = ok && mgc_task_journal(fixtures->task, UNDO_KIND, &before, ret_entry, err);
    mgc_fields_destroy(&before);
    return ok;
}

static bool push(struct fixtures *fixtures, size_t i, struct mgc_error *err)
{
    uint64_t entry;
    FILE *file = mgc_open_read(mgc_task_str(fixtures->task, both[i].param), err);
    if (!file)
        return false;
    bool ok = journal(fixtures, i, &entry, err) && send_file(fixtures, i, file, err) &&
              mgc_task_journal_drop(fixtures->task, entry, err);
    fclose(file);
    if (ok)
        fixtures->there[i] = fixtures->here[i];
    return ok;
}

/* --- the task --------------------------------------------------------------------------------- */

static bool add_facts(struct fixtures *fixtures, size_t i, bool pushed, struct mgc_error *err)
{
    char sha256[32], bytes[32], was_pushed[32];
    struct mgc_fields *facts = mgc_task_facts(fixtures->task);
    const struct mgc_fixture *there = &fixtures->there[i];
    snprintf(sha256, sizeof(sha256), "%s_sha256", both[i].param);
    snprintf(bytes, sizeof(bytes), "%s_bytes", both[i].param);
    snprintf(was_pushed, sizeof(was_pushed), "%s_pushed", both[i].param);
    return (mgc_fields_set_str(facts, sha256, there->sha256) &&
               mgc_fields_set_int(facts, bytes, (int64_t)there->bytes) &&
               mgc_fields_set_bool(facts, was_pushed, pushed)) ||
           mgc_error_set(err, MGC_E_NO_MEMORY, "host.fixtures: no memory for facts");
}

/* Without a file here the phone's own is what will be used. */
static bool judge_there(struct fixtures *fixtures, size_t i, struct mgc_error *err)
{
    if (fixtures->pointer_there[i])
        return mgc_error_set(err, MGC_E_CONFIG,
            "device %s: \"%s/%s\" of %s is a Git LFS pointer, not the file itself",
            fixtures->serial, fixtures->dir, both[i].name, fixtures->package);
    if (fixtures->there[i].bytes == 0 && both[i].kind == MGC_FIXTURE_TRACE)
        return mgc_error_set(err, MGC_E_NOT_FOUND,
            "device %s: no trace in \"%s\" of %s, and none was given", fixtures->serial,
            fixtures->dir, fixtures->package);
    return fixtures->there[i].bytes == 0 || add_facts(fixtures, i, false, err);
}

static bool settle(struct fixtures *fixtures, size_t i, struct mgc_error *err)
{
    if (!mgc_task_str(fixtures->task, both[i].param))
        return judge_there(fixtures, i, err);
    bool same = strcmp(fixtures->here[i].sha256, fixtures->there[i].sha256) == 0;
    return (same || push(fixtures, i, err)) && add_facts(fixtures, i, !same, err);
}

bool mgc_host_fixtures_run(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_error local = {0};
    struct mgc_error *why = err ? err : &local;
    struct fixtures fixtures = {.task = task,
        .serial = mgc_task_str(task, "serial"),
        .package = mgc_task_str(task, "package"),
        .dir = mgc_task_str(task, "dir")};
    bool ok = true;
    for (size_t i = 0; ok && i < 2; i++) {
        const char *path = mgc_task_str(task, both[i].param);
        ok = !path || mgc_fixture_check(path, both[i].kind, &fixtures.here[i], why) ||
             mgc_error_prefix(why, "the %s", both[i].param);
    }
    ok = ok && mgc_host_device_ready(task, why) && look(&fixtures, why);
    for (size_t i = 0; ok && i < 2; i++)
        ok = settle(&fixtures, i, why);
    return mgc_host_done(task, ok, why);
}

bool mgc_host_fixtures_undo(const struct mgc_fields *before, void *worker, struct mgc_error *err)
{
    const struct mgc_host_worker *host = worker;
    const char *serial = mgc_fields_get_str(before, "serial");
    const char *package = mgc_fields_get_str(before, "package");
    const char *dir = mgc_fields_get_str(before, "dir");
    const char *name = mgc_fields_get_str(before, "name");
    struct mgc_buf command = {0};
    struct mgc_adb_result result = {0};
    struct mgc_adb_wait wait = {mgc_deadline_in_ms(UNDO_MS), -1};
    struct mgc_adb_wait ready = mgc_adb_wait_ms(&wait, UNDO_READY_MS);
    if (!serial || !package || !dir || !name || !mgc_adb_check_serial(serial, err) ||
        !mgc_adb_check_package(package, err) || !mgc_path_is_safe(dir) || !mgc_path_is_safe(name))
        return mgc_error_set(err, MGC_E_FAILED, "undo of " UNDO_KIND ": the entry is not complete");
    const char *const argv[] = {"run-as", package, "sh", "-c", part_text, "sh", dir, name, NULL};
    bool ok = mgc_adb_quote_all(&command, argv) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for an undo");
    ok = ok && mgc_adb_device_ready(host->adb, serial, &ready, err) &&
         mgc_adb_run(host->adb, serial, mgc_buf_text(&command), NULL, &wait, &result, err);
    if (ok && result.exit_code != 0)
        ok = mgc_error_set(err, MGC_E_FAILED, "device %s: code %d", serial, result.exit_code);
    mgc_adb_result_destroy(&result);
    mgc_buf_destroy(&command);
    return ok || mgc_error_prefix(err, "remove a half-sent fixture");
}
