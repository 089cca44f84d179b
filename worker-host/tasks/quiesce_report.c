#include "worker-host/tasks/quiesce_report.h"

#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"
#include "worker-host/adb/quote.h"
#include "worker-host/adb/wire.h"
#include "worker-host/tasks/app_report.h"
#include "worker-host/tasks/device_report.h"
#include "worker-host/tasks/stop_guard.h"

#define REPORT_END "mgc:end\n"

enum { SHOWN_MAX = 200 };

/* Builtins of mksh and applets of toybox only. Processes of a package are named after it, those of
 * its services PACKAGE:NAME (contract section 7); the render server is a program of its own. There
 * is no event for the end of somebody else's process: at most 5 s, looked at every 0.1 s. */
static const char stop_text[] =
    "for p do mgc_stop \"$p\" || exit 91; done\n"
    "mgc_left() {\n"
    "  for p do\n"
    "    for q in $(pidof \"$p\" \"$p:mglsrv\" \"$p:mglwin\" \"$p:bench\" libMobileGLServer.so); "
    "do\n"
    "      mgc_alive $q || continue\n"
    "      case $(cat /proc/$q/cmdline 2>/dev/null) in\n"
    "        \"$p\"|\"$p\":*|*/\"$p\"/*|*/\"$p\"-*) left=\"$left $q\";;\n"
    "      esac\n"
    "    done\n"
    "  done\n"
    "}\n"
    "mgc_gone \"$@\"\n";

/* As the app's user, in its directory. */
static const char clean_text[] =
    "n=0\n"
    "for f in files/trace-replay/output/* files/trace-replay/output/.[!.]* files/mgl.*.log* "
    "files/pipestats*; do\n"
    "  [ -e \"$f\" ] || [ -h \"$f\" ] || continue\n"
    "  rm -rf \"$f\" && n=$((n+1)) || exit 1\n"
    "done\n"
    "echo mgc:removed $n\n"
    "s=$(stat -f -c '%a %S' .) && echo \"mgc:free $s\"\n"
    "exit 0\n";

/* A phone that sleeps starts an activity and gives it no surface, so nothing replays (contract
 * section 3.1): it is woken, and the state read back, since the key only asks. That takes the phone
 * a moment, of which there is no event: at most 2 s. Nothing here may read the shell's input. */
static const char report_text[] =
    "report() {\n"
    "  input keyevent KEYCODE_WAKEUP >&2; wm dismiss-keyguard >&2\n"
    "  i=0; w=\n"
    "  while w=$(dumpsys power | grep -m 1 mWakefulness=) && [ \"${w#*=}\" != Awake ] &&\n"
    "    [ $i -lt 20 ]; do sleep 0.1; i=$((i+1)); done\n"
    "  echo mgc:wakefulness; echo \"${w#*=}\"\n"
    "  echo mgc:battery; dumpsys battery\n"
    "  echo mgc:boot_id; cat /proc/sys/kernel/random/boot_id\n"
    "  echo mgc:stay_awake; settings get global stay_on_while_plugged_in\n"
    "  stamp \"$package\"\n"
    "  knobs 2>/dev/null\n"
    "  echo mgc:end\n"
    "}\n"
    "report </dev/null\n"
    "while read -r again; do report </dev/null; done\n"
    "exit 0\n";

bool mgc_quiesce_stop_script(struct mgc_buf *out, const char *packages)
{
    mgc_stop_guard_script(out);
    mgc_buf_puts(out, "set --");
    for (const char *at = packages; at;) {
        char name[256];
        size_t len = strcspn(at, ",");
        snprintf(name, sizeof(name), "%.*s", (int)len, at);
        mgc_buf_putc(out, ' ');
        mgc_adb_quote(out, name);
        at = at[len] ? at + len + 1 : NULL;
    }
    mgc_buf_putc(out, '\n');
    return mgc_buf_puts(out, stop_text);
}

bool mgc_quiesce_script(
    struct mgc_buf *out, const char *packages, const char *package, const struct mgc_knobs *held)
{
    mgc_quiesce_stop_script(out, packages);
    const char *const clean[] = {"run-as", package, "sh", "-c", clean_text, NULL};
    mgc_adb_quote_all(out, clean);
    /* Nothing of the shell's input may go to run-as. */
    mgc_buf_puts(out, " </dev/null || exit 94\npackage=");
    mgc_adb_quote(out, package);
    mgc_buf_puts(out, "\n" MGC_APP_STAMP_TEXT "knobs() {\n:\n");
    if (held && !mgc_knobs_read_script(out, held))
        return false;
    mgc_buf_puts(out, "}\n");
    return mgc_buf_puts(out, report_text);
}

bool mgc_quiesce_exit_error(
    const char *serial, int exit_code, const char *text, struct mgc_error *err)
{
    char said[SHOWN_MAX];
    const char *left = strstr(text, "mgc-left ");
    mgc_adb_wire_shown(left ? left + strlen("mgc-left ") : text, said, sizeof(said));
    if (exit_code == MGC_QUIESCE_EXIT_LEFT)
        return mgc_error_set(err, MGC_E_BUSY,
            "device %s: processes are still there after a force-stop: pid %s", serial, said);
    if (exit_code == MGC_QUIESCE_EXIT_STOP)
        return mgc_error_set(err, MGC_E_BUSY, "device %s: am force-stop failed: %s", serial, said);
    if (exit_code == MGC_QUIESCE_EXIT_CLEAN)
        return mgc_error_set(err, MGC_E_DENIED,
            "device %s: what an earlier run left could not be removed as the app's user: %s",
            serial, said);
    return mgc_error_set(
        err, MGC_E_FAILED, "device %s: quiescing ended with code %d: %s", serial, exit_code, said);
}

size_t mgc_quiesce_report_length(const char *text)
{
    for (const char *at = text; (at = strstr(at, REPORT_END)); at++)
        if (at == text || at[-1] == '\n')
            return (size_t)(at - text) + strlen(REPORT_END);
    return 0;
}

/* Sections of one line, named as their facts. */
static const char *const one_line[] = {"stay_awake", "wakefulness"};
enum { ONE_LINE_COUNT = sizeof(one_line) / sizeof(one_line[0]) };

/* The fact whose line comes after this mark; NULL: none. */
static const char *fact_after(const char *line)
{
    for (size_t i = 0; i < ONE_LINE_COUNT; i++)
        if (strncmp(line, "mgc:", 4) == 0 && strcmp(line + 4, one_line[i]) == 0)
            return one_line[i];
    return NULL;
}

/* "mgc:removed N", "mgc:free BLOCKS BLOCKSIZE", and the line after the mark of a fact. */
static bool take_line(const char *line, const char **fact, struct mgc_fields *facts)
{
    int64_t a, b;
    char first[24];
    const char *is = *fact;
    *fact = fact_after(line);
    if (strncmp(line, "mgc:removed ", 12) == 0 && mgc_parse_int(line + 12, 0, INT64_MAX, &a))
        return mgc_fields_set_int(facts, "removed", a);
    if (strncmp(line, "mgc:free ", 9) == 0) {
        const char *space = strchr(line + 9, ' ');
        snprintf(first, sizeof(first), "%.*s", (int)strcspn(line + 9, " "), line + 9);
        if (space && mgc_parse_int(first, 0, INT64_MAX, &a) &&
            mgc_parse_int(space + 1, 1, INT32_MAX, &b) && a <= INT64_MAX / b)
            return mgc_fields_set_int(facts, "free_bytes", a * b);
        return true;
    }
    if (strncmp(line, "mgc:app_stamp ", 14) == 0)
        return mgc_app_stamp_take(line + 4, facts);
    /* A setting that was never set is read as "null". */
    if (is && *line && strncmp(line, "mgc:", 4) != 0 && strlen(line) < 32)
        return mgc_fields_set_str(facts, is, line);
    return true;
}

bool mgc_quiesce_report_take(
    const char *text, size_t len, struct mgc_fields *facts, struct mgc_error *err)
{
    static const char *const again[] = {"battery_temp_dc", "battery_level", "power_source",
        "stay_awake", "boot_id", "app_stamp", "wakefulness"};
    struct mgc_buf report = {0};
    const char *fact = NULL;
    for (size_t i = 0; i < sizeof(again) / sizeof(again[0]); i++)
        mgc_fields_remove(facts, again[i]);
    bool ok = mgc_buf_append(&report, text, len) &&
              mgc_device_report_parse(mgc_buf_text(&report), facts, err);
    for (const char *at = mgc_buf_text(&report); ok && *at;) {
        char line[MGC_APP_LINE_MAX];
        size_t line_len = strcspn(at, "\r\n");
        snprintf(line, sizeof(line), "%.*s", (int)line_len, at);
        ok = take_line(line, &fact, facts);
        at += line_len;
        at += *at == '\r';
        at += *at == '\n';
    }
    mgc_buf_destroy(&report);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "host.quiesce: no memory for facts");
}

static const char *gate_words(const char *gate)
{
    static const char *const rows[][2] = {
        {"unplugged", "it has no external power"},
        {"stay-awake-off", "its stay-awake setting is not the one that was set"},
        {"asleep", "its screen is off, and stays off when it is woken"},
        {"unreadable", "it does not tell what a gate needs"},
        {"full", "its app has too little room"},
        {"ok", "nothing is wrong"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i][0], gate) == 0)
            return rows[i][1];
    }
    return gate;
}

/* One that was too hot is not let in right below the limit, where it would be too hot again. */
static int64_t hottest_dc(const struct mgc_quiesce_want *want)
{
    return want->was_hot && want->has_cool_to ? want->cool_to_dc : want->temp_max_dc;
}

static void band_text(const struct mgc_quiesce_want *want, char *ret_text, size_t size)
{
    double low = (double)want->temp_min_dc / 10, high = (double)hottest_dc(want) / 10;
    if (want->has_temp_min && want->has_temp_max)
        snprintf(ret_text, size, "%.1f to %.1f C", low, high);
    else if (want->has_temp_max)
        snprintf(ret_text, size, "up to %.1f C", high);
    else
        snprintf(ret_text, size, "from %.1f C", low);
}

void mgc_quiesce_gate_text(const char *gate, const struct mgc_quiesce_want *want,
    const struct mgc_fields *facts, char *ret_text, size_t size)
{
    char band[48];
    int64_t temp_dc, free_bytes;
    bool hot = strcmp(gate, "hot") == 0, cold = strcmp(gate, "cold") == 0;
    if (strcmp(gate, "full") == 0 && mgc_fields_get_int(facts, "free_bytes", &free_bytes)) {
        snprintf(ret_text, size, "its app has %.0f MB of room, of at least %.0f MB",
            (double)free_bytes / 1e6, (double)want->free_min_bytes / 1e6);
        return;
    }
    if ((!hot && !cold) || !mgc_fields_get_int(facts, "battery_temp_dc", &temp_dc)) {
        snprintf(ret_text, size, "%s", gate_words(gate));
        return;
    }
    band_text(want, band, sizeof(band));
    if (hot && temp_dc <= want->temp_max_dc)
        snprintf(ret_text, size,
            "its battery, at %.1f C, was above the temperature band and has not cooled to %.1f C",
            (double)temp_dc / 10, (double)want->cool_to_dc / 10);
    else
        snprintf(ret_text, size, "its battery, at %.1f C, is %s the temperature band (%s)",
            (double)temp_dc / 10, hot ? "above" : "below", band);
}

void mgc_quiesce_wait_text(const char *gate, const struct mgc_quiesce_want *want,
    const struct mgc_fields *facts, char *ret_text, size_t size)
{
    char band[48];
    int64_t temp_dc;
    bool warmth = strcmp(gate, "hot") == 0 || strcmp(gate, "cold") == 0;
    band_text(want, band, sizeof(band));
    if (warmth && mgc_fields_get_int(facts, "battery_temp_dc", &temp_dc))
        snprintf(ret_text, size, "for %s, battery %.1f C", band, (double)temp_dc / 10);
    else if (strcmp(gate, "unplugged") == 0)
        snprintf(ret_text, size, "for external power, there is none");
    else if (strcmp(gate, "asleep") == 0)
        snprintf(ret_text, size, "for its screen, which is off");
    else
        snprintf(ret_text, size, "%s", gate_words(gate));
}

const char *mgc_quiesce_gate(const struct mgc_quiesce_want *want, const struct mgc_fields *facts)
{
    int64_t temp_dc, free_bytes;
    bool wants_stay = want->stay_awake && *want->stay_awake;
    bool has_temp = mgc_fields_get_int(facts, "battery_temp_dc", &temp_dc);
    bool has_free = mgc_fields_get_int(facts, "free_bytes", &free_bytes);
    const char *power = mgc_fields_get_str(facts, "power_source");
    const char *stay = mgc_fields_get_str(facts, "stay_awake");
    const char *wakefulness = mgc_fields_get_str(facts, "wakefulness");
    if (want->refuse_unreadable &&
        ((!has_temp && (want->has_temp_min || want->has_temp_max)) || (!power && want->plugged) ||
            (!stay && wants_stay) || !wakefulness || (!has_free && want->free_min_bytes > 0)))
        return "unreadable";
    if (has_free && free_bytes < want->free_min_bytes)
        return "full";
    if (wakefulness && strcmp(wakefulness, "Awake") != 0)
        return "asleep";
    if (has_temp && want->has_temp_max && temp_dc > hottest_dc(want))
        return "hot";
    if (has_temp && want->has_temp_min && temp_dc < want->temp_min_dc)
        return "cold";
    if (power && want->plugged && strcmp(power, "battery") == 0)
        return "unplugged";
    if (stay && wants_stay && strcmp(stay, want->stay_awake) != 0)
        return "stay-awake-off";
    return "ok";
}
