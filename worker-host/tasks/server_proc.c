#include "worker-host/tasks/server_proc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"
#include "worker-host/adb/lines.h"
#include "worker-host/adb/quote.h"
#include "worker-host/adb/wire.h"
#include "worker-host/tasks/stop_guard.h"
#include "worker-host/tasks/am.h"

#define SERVER_PROGRAM "libMobileGLServer.so"
#define SERVICE        "top.mobilegl.plugin.MobileGLServerService"

enum { SHOWN_MAX = 200 };

/* Builtins of mksh and applets of toybox only. The program's path is read from /proc, where argv
 * ends in NUL bytes, which the shell drops. */
static const char left_text[] = "mgc_left() {\n"
                                "  for p in $(pidof " SERVER_PROGRAM "); do\n"
                                "    mgc_alive $p || continue\n"
                                "    case $(cat /proc/$p/cmdline 2>/dev/null) in\n"
                                "      */\"$pkg\"/*|*/\"$pkg\"-*) left=\"$left $p\";;\n"
                                "    esac\n"
                                "  done\n"
                                "}\n"
                                "mgc_gone\n"
                                "read -r u r </proc/uptime && echo \"mgc-uptime $u\" >&2\n";

bool mgc_server_stop_script(struct mgc_buf *out, const char *package)
{
    mgc_stop_guard_script(out);
    mgc_buf_puts(out, "pkg=");
    mgc_adb_quote(out, package);
    mgc_buf_puts(out, "\nmgc_stop \"$pkg\" || exit 91\n");
    return mgc_buf_puts(out, left_text);
}

/* Only "no space" counts: an app that was never started has no folder for files yet. */
bool mgc_server_room_script(struct mgc_buf *out)
{
    return mgc_buf_puts(out, "read -r b </proc/sys/kernel/random/boot_id && "
                             "echo \"mgc-boot $b\" >&2\n"
                             "w=$(run-as \"$pkg\" sh -c 'rm -f files/mgl.server.log; "
                             "echo mgc >files/mgc-room; rm -f files/mgc-room' 2>&1)\n"
                             "case $w in *'No space left'*) echo \"mgc-full $w\" >&2; exit 93;; "
                             "esac\n");
}

int64_t mgc_server_uptime_cs(const char *text)
{
    char seconds[24];
    int64_t whole, part = 0;
    const char *dot = strchr(text, '.');
    size_t len = dot ? (size_t)(dot - text) : strlen(text);
    if (len >= sizeof(seconds))
        return -1;
    memcpy(seconds, text, len);
    seconds[len] = '\0';
    if (!mgc_parse_int(seconds, 0, INT64_MAX / 1000, &whole) ||
        (dot && (strlen(dot + 1) != 2 || !mgc_parse_int(dot + 1, 0, 99, &part))))
        return -1;
    return whole * 100 + part;
}

bool mgc_server_stop_read(const char *serial, const char *package, int exit_code, const char *text,
    int64_t *ret_uptime_cs, struct mgc_error *err)
{
    char said[SHOWN_MAX];
    if (exit_code == 0) {
        *ret_uptime_cs = mgc_adb_line_after(text, "mgc-uptime ", said, sizeof(said))
                             ? mgc_server_uptime_cs(said)
                             : -1;
        return true;
    }
    if (mgc_adb_line_after(text, "mgc-full ", said, sizeof(said)))
        return mgc_error_set(
            err, MGC_E_NO_SPACE, "device %s: no room for files of %s: %s", serial, package, said);
    if (mgc_adb_line_after(text, "mgc-left ", said, sizeof(said)))
        return mgc_error_set(err, MGC_E_BUSY,
            "device %s: a render server of %s is still there after a force-stop (pid %s)", serial,
            package, said);
    return mgc_error_set(err, MGC_E_FAILED, "device %s: stopping %s ended with code %d: %s", serial,
        package, exit_code, mgc_adb_wire_shown(text, said, sizeof(said)));
}

void mgc_server_boot_id(const char *text, char *ret_id, size_t size)
{
    if (!mgc_adb_line_after(text, "mgc-boot ", ret_id, size))
        ret_id[0] = '\0';
}

bool mgc_server_stop(struct mgc_adb *adb, const char *serial, const char *package,
    const struct mgc_server_beside *beside, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_buf script = {0};
    struct mgc_adb_result result = {0};
    int64_t uptime;
    bool ok = (!beside || mgc_buf_puts(&script, beside->script)) &&
              mgc_server_stop_script(&script, package) &&
              (!beside || mgc_buf_puts(&script, "wait\n"));
    ok = ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for stopping a server");
    ok = ok && mgc_adb_run(adb, serial, mgc_buf_text(&script), NULL, wait, &result, err) &&
         mgc_server_stop_read(
             serial, package, result.exit_code, mgc_buf_text(&result.err), &uptime, err);
    if (ok && beside) /* when memory runs out, less was said */
        mgc_buf_append(beside->said, mgc_buf_text(&result.out), result.out.len);
    mgc_adb_result_destroy(&result);
    mgc_buf_destroy(&script);
    return ok;
}

bool mgc_server_start_command(struct mgc_buf *out, const struct mgc_server_start *start, bool shown)
{
    char component[400];
    snprintf(component, sizeof(component), "%s/" SERVICE, start->package);
    const char *const head[] = {
        "am", "start-foreground-service", "-n", component, "--es", "listen", start->listen, NULL};
    const char *const token[] = {"--es", "token", shown ? "***" : start->token, NULL};
    const char *const env[] = {"--es", "env", start->env, NULL};
    mgc_adb_quote_all(out, head);
    mgc_buf_putc(out, ' ');
    if (start->token) {
        mgc_adb_quote_all(out, token);
        mgc_buf_putc(out, ' ');
    }
    return mgc_adb_quote_all(out, env);
}

bool mgc_server_start_judge(
    const char *serial, const struct mgc_adb_result *result, struct mgc_error *err)
{
    return mgc_am_judge(serial, "am start-foreground-service", result->exit_code,
        mgc_buf_text(&result->out), mgc_buf_text(&result->err), err);
}

bool mgc_server_watch_script(struct mgc_buf *out, int64_t pid)
{
    return mgc_buf_printf(out,
        "p=%" PRId64 "; first=; i=0; s=\n"
        "while read -r s 2>/dev/null </proc/$p/stat; do\n"
        "  s=${s##*) }\n"
        "  case $s in [ZX]*) break;; esac\n"
        "  set -- $s\n"
        "  [ -n \"$first\" ] || { first=${20}; echo \"mgc-start $first\"; }\n"
        "  [ \"${20}\" = \"$first\" ] || break\n" /* the number went to another process */
        "  [ $((i%%5)) != 0 ] || echo mgc-alive\n"
        "  i=$((i+1)); sleep 1\n"
        "done\n"
        "echo mgc-gone\n",
        pid);
}

static void watch_line(struct mgc_server_watch *watch, const char *line)
{
    int64_t ticks;
    if (strcmp(line, "mgc-gone") == 0)
        watch->gone = true;
    else if (strncmp(line, "mgc-start ", 10) == 0 &&
             mgc_parse_int(line + 10, 0, INT64_MAX, &ticks) && !watch->started) {
        watch->started = true;
        watch->start_ticks = ticks;
    }
}

void mgc_server_watch_feed(struct mgc_server_watch *watch, const char *data, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (data[i] != '\n' && watch->line_len < sizeof(watch->line) - 1) {
            watch->line[watch->line_len++] = data[i];
            continue;
        }
        watch->line[watch->line_len] = '\0';
        watch->line_len = 0;
        if (data[i] == '\n')
            watch_line(watch, watch->line);
    }
}
