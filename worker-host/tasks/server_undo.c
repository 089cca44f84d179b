#include "worker-host/tasks/server_undo.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/parse.h"
#include "worker-host/adb/devices.h"
#include "worker-host/adb/lines.h"
#include "worker-host/adb/quote.h"
#include "worker-host/tasks/server_proc.h"

#define UNDO_KIND "server.stop"

enum { UNDO_MS = 15000, READY_MS = 5000 };

/* --- the entry -------------------------------------------------------------------------------- */

static bool fill(struct mgc_fields *before, const struct mgc_server_mark *mark)
{
    return mgc_fields_set_str(before, "serial", mark->serial) &&
           mgc_fields_set_str(before, "package", mark->package) &&
           (!mark->boot_id[0] || mgc_fields_set_str(before, "boot_id", mark->boot_id)) &&
           mgc_fields_set_int(before, "from_cs", mark->from_cs) &&
           mgc_fields_set_int(before, "to_cs", mark->to_cs) &&
           (!mark->pid || (mgc_fields_set_int(before, "pid", mark->pid) &&
                              mgc_fields_set_int(before, "start_ticks", mark->start_ticks)));
}

bool mgc_server_journal(struct mgc_task *task, const struct mgc_server_mark *mark, uint64_t *entry,
    struct mgc_error *err)
{
    struct mgc_fields before = {0};
    uint64_t old = *entry;
    bool ok = fill(&before, mark) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the undo journal");
    ok = ok && mgc_task_journal(task, UNDO_KIND, &before, entry, err);
    mgc_fields_destroy(&before);
    return ok && (!old || mgc_task_journal_drop(task, old, err));
}

/* --- what is there ---------------------------------------------------------------------------- */

bool mgc_server_look_script(struct mgc_buf *out, const char *package)
{
    mgc_buf_puts(out, "pkg=");
    mgc_adb_quote(out, package);
    return mgc_buf_puts(out,
        "\nread -r b </proc/sys/kernel/random/boot_id && echo \"mgc-boot $b\"\n"
        "read -r u r </proc/uptime && echo \"mgc-uptime $u\"\n"
        "for p in $(pidof libMobileGLServer.so); do\n"
        "  s=; read -r s 2>/dev/null </proc/$p/stat\n"
        "  case $(cat /proc/$p/cmdline 2>/dev/null) in\n"
        "    */\"$pkg\"/*|*/\"$pkg\"-*) ;;\n"
        "    *) continue;;\n"
        "  esac\n"
        "  s=${s##*) }; set -- $s; echo \"mgc-server $p ${20}\"\n"
        "done\n");
}

static bool server_is_meant(const struct mgc_fields *before, int64_t pid, int64_t ticks)
{
    int64_t want, from, to;
    if (mgc_fields_get_int(before, "pid", &want))
        return pid == want && mgc_fields_get_int(before, "start_ticks", &want) && ticks == want;
    return mgc_fields_get_int(before, "from_cs", &from) &&
           mgc_fields_get_int(before, "to_cs", &to) && ticks >= from && ticks <= to;
}

static bool may_still_come(const struct mgc_fields *before, const char *said)
{
    char uptime[32];
    int64_t to;
    return !mgc_fields_get(before, "pid") && mgc_fields_get_int(before, "to_cs", &to) &&
           mgc_adb_line_after(said, "mgc-uptime ", uptime, sizeof(uptime)) &&
           mgc_server_uptime_cs(uptime) <= to;
}

bool mgc_server_is_meant(const struct mgc_fields *before, const char *said)
{
    char boot[MGC_HOST_BOOT_ID_SIZE];
    const char *want = mgc_fields_get_str(before, "boot_id");
    if (!want)
        return true;
    if (mgc_adb_line_after(said, "mgc-boot ", boot, sizeof(boot)) && strcmp(boot, want) != 0)
        return false;
    for (const char *line = strstr(said, "mgc-server "); line;
         line = strstr(line + 1, "mgc-server ")) {
        int64_t pid, ticks;
        if (sscanf(line, "mgc-server %" SCNd64 " %" SCNd64, &pid, &ticks) == 2 &&
            server_is_meant(before, pid, ticks))
            return true;
    }
    return may_still_come(before, said);
}

/* --- stop ------------------------------------------------------------------------------------- */

static bool stop(struct mgc_adb *adb, const char *serial, const char *package,
    const struct mgc_server_beside *beside, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_adb_wait ready = mgc_adb_wait_ms(wait, READY_MS);
    return (mgc_adb_device_ready(adb, serial, &ready, err) &&
               mgc_server_stop(adb, serial, package, beside, wait, err)) ||
           mgc_error_prefix(err, "stop the render server");
}

bool mgc_server_end(struct mgc_task *task, const struct mgc_server_mark *mark, uint64_t entry,
    const struct mgc_server_beside *beside, struct mgc_error *err)
{
    struct mgc_adb_wait wait = {mgc_deadline_in_ms(UNDO_MS), -1};
    bool ok = stop(mgc_host_adb(task), mark->serial, mark->package, beside, &wait, err);
    if (entry)
        ok = mgc_task_undone(task, entry, ok ? NULL : err, err) && ok;
    return ok;
}

static bool undo(struct mgc_adb *adb, const struct mgc_fields *before, const char *serial,
    const char *package, struct mgc_error *err)
{
    struct mgc_buf script = {0};
    struct mgc_adb_result result = {0};
    struct mgc_adb_wait wait = {mgc_deadline_in_ms(UNDO_MS), -1};
    struct mgc_adb_wait ready = mgc_adb_wait_ms(&wait, READY_MS);
    bool ok = (mgc_server_look_script(&script, package) ||
                  mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for an undo")) &&
              mgc_adb_device_ready(adb, serial, &ready, err) &&
              mgc_adb_run(adb, serial, mgc_buf_text(&script), NULL, &wait, &result, err);
    bool meant = ok && mgc_server_is_meant(before, mgc_buf_text(&result.out));
    mgc_adb_result_destroy(&result);
    mgc_buf_destroy(&script);
    if (ok && !meant)
        mgc_info(
            "device %s: the render server of an earlier task is gone; nothing is stopped", serial);
    return ok && (!meant || stop(adb, serial, package, NULL, &wait, err));
}

bool mgc_host_server_undo(const struct mgc_fields *before, void *worker, struct mgc_error *err)
{
    const struct mgc_host_worker *host = worker;
    const char *serial = mgc_fields_get_str(before, "serial");
    const char *package = mgc_fields_get_str(before, "package");
    if (!serial || !package || !mgc_adb_check_serial(serial, err) ||
        !mgc_adb_check_package(package, err))
        return mgc_error_set(
            err, MGC_E_FAILED, "undo of " UNDO_KIND ": the entry lacks serial or package");
    return undo(host->adb, before, serial, package, err);
}
