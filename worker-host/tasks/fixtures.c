/* host.fixtures: trace and golden picture in the app's files, pushed only when they are not there.
 *
 *   look at the files here -> look at the phone's -> for each that differs: send
 *
 * How a file is sent is in fixture_send.h.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/parse.h"
#include "worker-host/adb/devices.h"
#include "worker-host/adb/quote.h"
#include "worker-host/adb/shell.h"
#include "worker-host/tasks/fixture_send.h"
#include "worker-host/tasks/installed.h"

enum {
    LOOK_MS = 120000, /* a gigabyte is hashed meanwhile */
    SAID_MAX = 16384,
};

const struct mgc_param mgc_host_fixtures_params[] = {
    {"serial", MGC_PARAM_STRING, true, 1, 127, mgc_host_check_serial, "adb serial of the phone"},
    {"package", MGC_PARAM_STRING, true, 3, 255, mgc_host_check_package, "app that replays them"},
    {"dir", MGC_PARAM_STRING, true, 1, 64, mgc_host_check_file_name, "below files/trace-replay"},
    {"trace", MGC_PARAM_STRING, false, 1, 4000, mgc_host_check_local_path, "file of this machine"},
    {"golden", MGC_PARAM_STRING, false, 1, 4000, mgc_host_check_local_path, "file of this machine"},
    {"optional", MGC_PARAM_BOOL, false, 0, 0, NULL,
        "default false; true: nothing to do when the app is not installed"},
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
    struct mgc_fixture_place place;
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

static bool look(struct fixtures *fixtures, struct mgc_error *err)
{
    const char *const argv[] = {
        "run-as", fixtures->place.package, "sh", "-c", look_text, "sh", fixtures->place.dir, NULL};
    struct mgc_buf command = {0};
    struct mgc_adb_result result = {.out = {.max = SAID_MAX}, .err = {.max = SAID_MAX}};
    struct mgc_adb_wait wait = mgc_host_wait(fixtures->task, LOOK_MS);
    bool ok = mgc_adb_quote_all(&command, argv) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "host.fixtures: no memory");
    ok = ok && mgc_adb_run(mgc_host_adb(fixtures->task), fixtures->place.serial,
                   mgc_buf_text(&command), NULL, &wait, &result, err);
    if (ok && result.exit_code != 0)
        ok = mgc_fixture_exit_error(
            &fixtures->place, result.exit_code, mgc_buf_text(&result.err), err);
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

static bool push(struct fixtures *fixtures, size_t i, struct mgc_error *err)
{
    const char *path = mgc_task_str(fixtures->task, both[i].param);
    bool ok = mgc_fixture_send(fixtures->task, &fixtures->place, path, &fixtures->here[i],
        both[i].name, both[i].param, err);
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
            fixtures->place.serial, fixtures->place.dir, both[i].name, fixtures->place.package);
    if (fixtures->there[i].bytes == 0 && both[i].kind == MGC_FIXTURE_TRACE)
        return mgc_error_set(err, MGC_E_NOT_FOUND,
            "device %s: no trace in \"%s\" of %s, and none was given", fixtures->place.serial,
            fixtures->place.dir, fixtures->place.package);
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
        .place = {mgc_task_str(task, "serial"), mgc_task_str(task, "package"),
            mgc_task_str(task, "dir")}};
    bool ok = true;
    for (size_t i = 0; ok && i < 2; i++) {
        const char *path = mgc_task_str(task, both[i].param);
        ok = !path || mgc_fixture_check(path, both[i].kind, &fixtures.here[i], why) ||
             mgc_error_prefix(why, "the %s", both[i].param);
    }
    ok = ok && mgc_host_device_ready(task, why);
    if (ok && mgc_task_bool_or(task, "optional", false) &&
        mgc_host_is_missing(task, fixtures.place.package))
        return mgc_host_done(task, true, why);
    ok = ok && look(&fixtures, why);
    for (size_t i = 0; ok && i < 2; i++)
        ok = settle(&fixtures, i, why);
    return mgc_host_done(task, ok, why);
}
