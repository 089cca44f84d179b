#include "worker-host/tasks/knob.h"

#include <stdio.h>
#include <string.h>

#include "worker-host/adb/quote.h"
#include "worker-host/adb/wire.h"

#define NEEDS_ROOT " needs root: "

enum { SHOWN_MAX = 200, VALUE_ARG_MAX = 128 };

/* --- what an argument may be ------------------------------------------------------------------ */

static bool is_word(const char *text, const char *more)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t len = 0;
    while (text[len] && (strchr(letters, text[len]) || strchr(more, text[len])))
        len++;
    return len > 0 && !text[len] && text[0] != '-';
}

static bool is_one_of(const char *text, const char *const *words)
{
    while (*words && strcmp(text, *words) != 0)
        words++;
    return *words;
}

static bool is_value(const char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return len > 0 && len <= VALUE_ARG_MAX && text[0] != '-';
}

typedef char knob_args[MGC_KNOB_ARGS_MAX][MGC_KNOB_LINE_MAX + 1];

/* "null" is how an absent setting is read. */
static bool check_setting(knob_args args)
{
    static const char *const spaces[] = {"global", "system", "secure", NULL};
    return is_one_of(args[0], spaces) && is_word(args[1], ".:-") && is_value(args[2]) &&
           strcmp(args[2], "null") != 0;
}

static bool check_stay_on(knob_args args)
{
    static const char *const words[] = {"true", "false", "usb", "ac", "wireless", "dock", NULL};
    return is_one_of(args[0], words);
}

static bool check_doze_exempt(knob_args args)
{
    return mgc_adb_check_package(args[0], NULL);
}

static bool check_log_buffer(knob_args args)
{
    return mgc_knob_size(args[0]) >= 65536;
}

static bool check_sysfs(knob_args args)
{
    return mgc_adb_check_path(args[0], NULL) && is_value(args[1]) &&
           (strncmp(args[0], "/sys/", 5) == 0 || strncmp(args[0], "/proc/", 6) == 0);
}

static bool check_service_stop(knob_args args)
{
    return is_word(args[0], ".-");
}

#define CLAMPS "/sys/kernel/msm_performance/parameters/cpu_"
#define NO_MAX "4294967295"

/* --- kinds ------------------------------------------------------------------------------------ */

/* Builtins of mksh and applets of toybox only. Arguments of the knob are $1, $2, $3; a value to put
 * back comes as the last one. */
static const struct {
    const char *name, *usage;
    size_t args;
    bool root;
    bool (*check)(knob_args args);
    const char *read, *apply, *restore;
} kinds[MGC_KNOB_KIND_COUNT] = {
    [MGC_KNOB_SETTING] = {"setting", "setting global|system|secure NAME VALUE", 3, false,
        check_setting, "settings get \"$1\" \"$2\"", "settings put \"$1\" \"$2\" \"$3\"",
        "if [ \"$4\" = null ]; then settings delete \"$1\" \"$2\" >&2; "
        "else settings put \"$1\" \"$2\" \"$4\"; fi"},
    [MGC_KNOB_STAY_ON] = {"stay-on", "stay-on true|false|usb|ac|wireless|dock", 1, false,
        check_stay_on, "settings get global stay_on_while_plugged_in",
        "svc power stayon \"$1\" >&2",
        "if [ \"$2\" = null ]; then settings delete global stay_on_while_plugged_in >&2; "
        "else settings put global stay_on_while_plugged_in \"$2\"; fi"},
    [MGC_KNOB_DOZE_EXEMPT] = {"doze-exempt", "doze-exempt PACKAGE", 1, false, check_doze_exempt,
        "w=$(cmd deviceidle whitelist) && case $w in *user,\"$1\",*|*system,\"$1\",*) echo "
        "exempt;; "
        "*) echo not-exempt;; esac",
        "cmd deviceidle whitelist \"+$1\" >&2",
        "if [ \"$2\" = exempt ]; then cmd deviceidle whitelist \"+$1\" >&2; "
        "else cmd deviceidle whitelist \"-$1\" >&2; fi"},
    [MGC_KNOB_LOG_BUFFER] = {"log-buffer", "log-buffer SIZE (such as 16M, at least 64K)", 1, false,
        check_log_buffer, "logcat -g", "logcat -G \"$1\" >&2",
        "for b in $2; do logcat -b \"${b%%=*}\" -G \"${b#*=}\" >&2 || exit 95; done"},
    [MGC_KNOB_SYSFS] = {"sysfs", "sysfs PATH VALUE with a path below /sys or /proc", 2, true,
        check_sysfs, "cat \"$1\"", "printf '%s\\n' \"$2\" >\"$1\"",
        "printf '%s\\n' \"$3\" >\"$1\""},
    /* init changes the property a moment after the command: at most 5 s. */
    [MGC_KNOB_SERVICE_STOP] = {"service-stop", "service-stop NAME", 1, true, check_service_stop,
        "s=$(getprop \"init.svc.$1\"); [ \"$s\" ] || { echo \"no service $1\" >&2; false; } && "
        "echo \"$s\"",
        "stop \"$1\"; i=0; while [ \"$(getprop \"init.svc.$1\")\" != stopped ] && [ $i -lt 50 ]; "
        "do sleep 0.1; i=$((i+1)); done",
        "if [ \"$2\" = running ]; then start \"$1\"; else stop \"$1\"; fi; i=0; "
        "while [ \"$(getprop \"init.svc.$1\")\" != \"$2\" ] && [ $i -lt 50 ]; do sleep 0.1; "
        "i=$((i+1)); done"},
    /* Qualcomm's requests per CPU, "CPU:KHZ ...", that a booster left; they act without showing in
     * cpufreq's limits (contract section 3.4). */
    [MGC_KNOB_CLEAR_CLAMPS] = {"clear-clamps", "clear-clamps, without arguments", 0, true, NULL,
        "if [ -e " CLAMPS "max_freq ]; then x=$(cat " CLAMPS "max_freq) && n=$(cat " CLAMPS
        "min_freq) && echo $x / $n; else echo none; fi",
        "if [ -e " CLAMPS "max_freq ]; then x=; n=; for p in $(cat " CLAMPS "max_freq); do "
        "x=\"$x${x:+ }${p%%:*}:" NO_MAX "\"; n=\"$n${n:+ }${p%%:*}:0\"; done; "
        "echo \"$x\" >" CLAMPS "max_freq && echo \"$n\" >" CLAMPS "min_freq; fi",
        "[ \"$1\" = none ] || { echo \"${1% / *}\" >" CLAMPS "max_freq && "
        "echo \"${1#* / }\" >" CLAMPS "min_freq; }"},
};

/* --- list ------------------------------------------------------------------------------------- */

static bool find_kind(const char *line, struct mgc_knob *knob, const char **ret_rest)
{
    size_t len = strcspn(line, " \t");
    for (int i = 0; i < MGC_KNOB_KIND_COUNT; i++) {
        if (strlen(kinds[i].name) != len || strncmp(kinds[i].name, line, len) != 0)
            continue;
        knob->kind = (enum mgc_knob_kind)i;
        *ret_rest = line + len;
        return true;
    }
    return false;
}

/* Words; the last argument is all that is left of the line. */
static bool split_args(struct mgc_knob *knob, const char *rest)
{
    size_t count = kinds[knob->kind].args;
    for (size_t i = 0; i < count; i++) {
        rest += strspn(rest, " \t");
        size_t len = i + 1 < count ? strcspn(rest, " \t") : strlen(rest);
        while (len && strchr(" \t", rest[len - 1]))
            len--;
        snprintf(knob->args[i], sizeof(knob->args[i]), "%.*s", (int)len, rest);
        rest += len;
    }
    return true;
}

bool mgc_knob_parse(const char *line, struct mgc_knob *ret_knob, struct mgc_error *err)
{
    char shown[SHOWN_MAX];
    const char *rest;
    struct mgc_knob knob = {0};
    mgc_adb_wire_shown(line, shown, 100);
    if (strlen(line) > MGC_KNOB_LINE_MAX || !find_kind(line, &knob, &rest))
        return mgc_error_set(err, MGC_E_USAGE,
            "knob \"%s\": expected setting, stay-on, doze-exempt, log-buffer, sysfs, "
            "service-stop or clear-clamps "
            "and its arguments",
            shown);
    snprintf(knob.line, sizeof(knob.line), "%s", line);
    if (!split_args(&knob, rest) ||
        (kinds[knob.kind].check ? !kinds[knob.kind].check(knob.args) : *rest))
        return mgc_error_set(
            err, MGC_E_USAGE, "knob \"%s\": expected %s", shown, kinds[knob.kind].usage);
    *ret_knob = knob;
    return true;
}

bool mgc_knobs_parse(const char *text, struct mgc_knobs *ret_knobs, struct mgc_error *err)
{
    ret_knobs->count = 0;
    for (const char *at = text; *at;) {
        char line[MGC_KNOB_LINE_MAX + 2];
        size_t len = strcspn(at, "\r\n");
        at += strspn(at, " \t");
        len = strcspn(at, "\r\n");
        snprintf(line, sizeof(line), "%.*s", (int)len, at);
        at += len;
        at += strspn(at, "\r\n");
        if (!*line)
            continue;
        if (ret_knobs->count == MGC_KNOBS_MAX)
            return mgc_error_set(err, MGC_E_USAGE, "expected at most %d knobs", MGC_KNOBS_MAX);
        if (!mgc_knob_parse(line, &ret_knobs->items[ret_knobs->count], err))
            return false;
        ret_knobs->count++;
    }
    return true;
}

bool mgc_knobs_check(const struct mgc_value *value, struct mgc_error *err)
{
    struct mgc_knobs knobs;
    return mgc_knobs_parse(value->string, &knobs, err);
}

/* --- scripts ---------------------------------------------------------------------------------- */

static void put_program(struct mgc_buf *out, const struct mgc_knob *knob, enum mgc_knob_verb verb)
{
    if (verb == MGC_KNOB_APPLY)
        mgc_buf_printf(out, "{ %s; } || exit 95\n", kinds[knob->kind].apply);
    else if (verb == MGC_KNOB_RESTORE)
        mgc_buf_printf(out, "{ %s; } || exit 95\n", kinds[knob->kind].restore);
    mgc_buf_printf(out, "{ %s; } || exit 96\n", kinds[knob->kind].read);
}

/* As root: adbd may be, else by one of the two kinds of su that phones have. */
static void put_as_root(struct mgc_buf *out, const char *command)
{
    mgc_buf_printf(out,
        "if [ \"$(id -u)\" = 0 ]; then %s\n"
        "elif [ \"$(su -c 'id -u' 2>/dev/null </dev/null)\" = 0 ]; then su -c ",
        command);
    mgc_adb_quote(out, command);
    mgc_buf_printf(out,
        "\n"
        "elif [ \"$(su 0 id -u 2>/dev/null </dev/null)\" = 0 ]; then su 0 %s\n"
        "else echo 'su gives no root' >&2; exit 97; fi\n",
        command);
}

/* A shell of its own with the knob's program. */
static bool put_command(
    struct mgc_buf *out, const struct mgc_knob *knob, enum mgc_knob_verb verb, const char *before)
{
    struct mgc_buf program = {0};
    const char *argv[4 + MGC_KNOB_ARGS_MAX + 2] = {"sh", "-c", NULL, "sh"};
    size_t count = 4;
    put_program(&program, knob, verb);
    argv[2] = mgc_buf_text(&program);
    for (size_t i = 0; i < kinds[knob->kind].args; i++)
        argv[count++] = knob->args[i];
    if (verb == MGC_KNOB_RESTORE)
        argv[count++] = before;
    bool ok = mgc_buf_ok(&program) && mgc_adb_quote_all(out, argv);
    mgc_buf_destroy(&program);
    return ok;
}

bool mgc_knob_script(
    struct mgc_buf *out, const struct mgc_knob *knob, enum mgc_knob_verb verb, const char *before)
{
    struct mgc_buf command = {0};
    bool ok = put_command(&command, knob, verb, before);
    if (ok && kinds[knob->kind].root)
        put_as_root(out, mgc_buf_text(&command));
    else if (ok)
        mgc_buf_puts(out, mgc_buf_text(&command));
    mgc_buf_destroy(&command);
    return ok && mgc_buf_ok(out);
}

/* One reading, after a line that says whose it is. */
static bool put_reading(struct mgc_buf *out, const struct mgc_knobs *knobs, size_t i)
{
    mgc_buf_printf(out, "echo mgc:knob %zu\n", i + 1);
    return put_command(out, &knobs->items[i], MGC_KNOB_READ, NULL) && mgc_buf_putc(out, '\n');
}

bool mgc_knobs_read_script(struct mgc_buf *out, const struct mgc_knobs *knobs)
{
    struct mgc_buf root = {0}, command = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < knobs->count; i++)
        ok = put_reading(kinds[knobs->items[i].kind].root ? &root : out, knobs, i);
    /* su costs more than the readings do: once for all. */
    const char *const argv[] = {"sh", "-c", mgc_buf_text(&root), NULL};
    ok = ok && mgc_buf_ok(&root) && (!root.len || mgc_adb_quote_all(&command, argv));
    if (ok && root.len) {
        mgc_buf_puts(out, "(\n"); /* it may end its shell */
        put_as_root(out, mgc_buf_text(&command));
        mgc_buf_puts(out, ")\n");
    }
    mgc_buf_destroy(&command);
    mgc_buf_destroy(&root);
    return ok && mgc_buf_ok(out);
}

bool mgc_knob_lacks_root(const struct mgc_error *err)
{
    return err->code == MGC_E_DENIED && strstr(err->text, NEEDS_ROOT);
}

bool mgc_knob_exit_error(
    const struct mgc_knob *knob, int exit_code, const char *text, struct mgc_error *err)
{
    char said[SHOWN_MAX];
    mgc_adb_wire_shown(text, said, sizeof(said));
    bool absent = strstr(text, "No such file") || strstr(text, "no service ");
    if (exit_code == MGC_KNOB_EXIT_ROOT)
        return mgc_error_set(
            err, MGC_E_DENIED, "knob \"%.100s\"" NEEDS_ROOT "%s", knob->line, said);
    if (exit_code == MGC_KNOB_EXIT_READ)
        return mgc_error_set(err, absent ? MGC_E_NOT_FOUND : MGC_E_DENIED,
            "knob \"%.100s\" cannot be read: %s", knob->line, said);
    if (exit_code == MGC_KNOB_EXIT_WRITE)
        return mgc_error_set(
            err, MGC_E_DENIED, "knob \"%.100s\" cannot be set: %s", knob->line, said);
    return mgc_error_set(
        err, MGC_E_FAILED, "knob \"%.100s\" ended with code %d: %s", knob->line, exit_code, said);
}
