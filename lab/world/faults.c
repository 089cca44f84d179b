#include "lab/world/faults.h"

#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"
#include "common/base/path.h"
#include "common/plat/file.h"
#include "lab/link/settings.h"
#include "lab/world/members.h"
#include "lab/world/proxymode.h"

/* `values` are words with '|' between: "#" stands for a number, NULL allows any word. A name
 * without value has the value "1". Where a fault strikes, "once" and "VALUE,once" are allowed, too.
 */
static const struct {
    const char *name;
    const char *values;
    bool strikes;
    const char *help;
} known[] = {
    {"client-no-transport-marker", "1", true, "the client does not log its transport"},
    {"client-no-link-marker", "1", true,
        "the client logs neither its forked server nor its TCP session"},
    {"client-no-ipc-marker", "1", true, "the client logs no Config: IPC line"},
    {"client-no-backend-marker", "1", true, "the client does not log its backend"},
    {"client-not-armed", "1", true, "the client logs no run-ahead ARMED line"},
    {"client-lockstep", "1", true, "client and server really run in lockstep, with the warning"},
    {"client-disarmed", "1", true, "a run-ahead DISARMED line half-way"},
    {"client-fatal", "1", true, "a Fatal{BarrierTimeout} line half-way, the run goes on"},
    {"client-monolith", "1", true,
        "the client stays monolith in silence, whatever arm it was asked"},
    {"client-split-marker", "1", true, "a monolith client logs the transport line of inproc"},
    {"client-other-backend", "1", true, "uses and logs the backend that it was not asked for"},
    {"client-log-flood", "#", true,
        "VALUE lines (default 100000) about a dead doorbell half-way, in the client's log"},
    {"client-no-dump", "1", true, "the client writes no dump of its counters"},
    {"client-frames-short", "#", true, "stops VALUE frames early and still reports success"},
    {"client-crash", "#", true, "aborts at frame VALUE"},
    {"client-crash-ms", "#", true, "aborts VALUE ms (default 200) after the replay's start"},
    {"client-hang", "#", true, "stops for ever at frame VALUE"},
    {"client-slow", "#", false, "every frame takes VALUE ms (default 50) longer"},
    {"client-result-half", "1", true, "result.json is written half, exit code 0"},
    {"client-result-pause", "#", true,
        "result.json is written half, and its rest VALUE ms (default 2000) later"},
    {"client-not-passed", "1", true, "a complete replay ends as not passed, exit code 5"},
    {"client-result-early", "1", true,
        "before the first frame, half of a result.json that says passed is written"},
    {"client-no-credit", "1", true, "uses another present credit than the one asked for"},
    {"server-wrong-pixels", "1", true, "draws a wrong colour"},
    {"server-fatal", "#", true,
        "a Fatal{RetirementWaitFailed} line after frame VALUE (default 2), the run goes on"},
    {"server-hang", "#", true, "the apply thread stops for ever after frame VALUE (default 2)"},
    {"server-no-dump", "1", true, "the server writes no dump of its counters"},
    {"server-bad-exit", "#", true,
        "the session child exits VALUE (default 70) after a complete session"},
    {"server-session-signal", "#", true,
        "the session child is ended by signal VALUE (default 9) at its third frame"},
    {"server-never-listens", "1", true, "starts, stays alive, never listens"},
    {"server-busy", "1", true, "refuses every client with Refuse{Busy}"},
    {"server-stray-session", "#", true,
        "somebody else's session holds the server for VALUE ms (default 30000) from its start"},
    {"server-other-token", "1", true, "the service starts its server with another token"},
    {"server-start-ignored", "1", true,
        "the service answers that it runs already, and nothing starts"},
    {"app-survives-stop", "1", false, "am force-stop leaves the processes of the app alive"},
    {"am-start-error", "type3|denied|1", true, "am start fails: no such class (default) or denied"},
    {"app-dies-ms", "#", true, "the replay's process is killed VALUE ms after its start"},
    {"phone-reboot-at", "#", true, "the phone restarts VALUE ms after an activity has started"},
    {"phone-adb-drop-at", NULL, true,
        "adb breaks AT ms after an activity has started, for AWAY ms (AT or AT+AWAY)"},
    {"app-kill", "1|once", false, "all processes of the app are killed now"},
    {"phone-latency", "none|usb|wifi", false, "what adb and am cost"},
    {"phone-adb-drop", "once|ever|#", false,
        "adb connections break now and adbd is away for VALUE ms, or until cleared"},
    {"phone-gone", "1", false, "the phone is off until cleared, then it boots"},
    {"phone-reboot", "#|once", false, "the phone restarts now and is back after VALUE ms"},
    {"phone-hot", "#", false, "the battery has VALUE tenths of a degree (default 480)"},
    {"phone-unplugged", "1", false, "no power source, the battery discharges"},
    {"phone-rooted", "1", false, "there is a su that lets the shell be root"},
    {"phone-warming", "#", false,
        "battery and skin get VALUE tenths of a degree (default 5) warmer every second"},
    {"phone-throttled", "#", false,
        "VALUE ms after an activity or server has started, until it is gone, clocks are held down"},
    {"phone-pin-override", "#", false,
        "while perf2-hal-1-0 runs, it takes CPU limits back VALUE ms (default 200) after a write"},
    {"phone-clamped", "#", false,
        "a leftover request in msm_performance holds the CPU at VALUE kHz (default 1286400)"},
    {"phone-node-missing", NULL, false, "the file or directory VALUE below /sys does not exist"},
    {"phone-node-unreadable", NULL, false, "only root may read VALUE below /sys"},
    {"phone-screen-off", "1", false, "the screen is off and stays off"},
    {"phone-abi", "arm64-v8a|armeabi-v7a|x86_64|x86|riscv64", false,
        "the phone says that VALUE is its ABI"},
    {"phone-disk-full", "1", false, "/data/local/tmp and the app's files are a full disk"},
    {"phone-slow-storage", "#", false,
        "every 64 KiB that adb writes, and every start of run-as, take VALUE ms (default 20)"},
    {"phone-log-flood", "#", true,
        "VALUE lines (default 100000) are logged at full speed once a service starts"},
    {"proxy-mode", NULL, false,
        "accept-all (default), service-port, forge, forward, drop, unreachable or silence"},
    {"link-profile", NULL, false,
        "the link becomes ethernet, fast-ethernet, wifi, bad-wifi or wan40"},
    {"link-delay-ms", NULL, false, "the link's delay, one way, 0 to 5000"},
    {"link-rate-mbit", NULL, false, "the link's rate, 1 to 10000"},
    {"link-cut", NULL, false,
        "nothing passes the link: forever (default), or for VALUE such as 5s"},
    {"wsl-link-down", NULL, false,
        "wsl's cable is pulled: forever (default), or for VALUE such as 5s"},
    {"worker-restart-ms", NULL, false,
        "workers that ended are started again after VALUE (default 200)"},
};

static size_t row_of(const char *name)
{
    size_t i = 0;
    while (i < sizeof known / sizeof *known && strcmp(known[i].name, name) != 0)
        i++;
    return i;
}

bool mgc_lab_fault_known(const char *name)
{
    return row_of(name) < sizeof known / sizeof *known;
}

bool mgc_lab_fault_row(size_t index, const char **ret_name, const char **ret_help)
{
    if (index >= sizeof known / sizeof *known)
        return false;
    *ret_name = known[index].name;
    *ret_help = known[index].help;
    return true;
}

static bool is_number(const char *text, size_t len)
{
    char number[24];
    int64_t value;
    if (len >= sizeof number)
        return false;
    memcpy(number, text, len);
    number[len] = '\0';
    return mgc_parse_int(number, 0, INT64_MAX, &value);
}

/* Is the value one of the row's words? */
static bool value_fits(size_t row, const char *value)
{
    size_t len = strlen(value);
    if (known[row].strikes && strcmp(value, "once") == 0)
        return true;
    if (known[row].strikes && len > 5 && strcmp(value + len - 5, ",once") == 0)
        len -= 5;
    if (known[row].values == NULL)
        return true;
    for (const char *word = known[row].values; *word != '\0';) {
        size_t word_len = strcspn(word, "|");
        if ((word_len == 1 && *word == '#' && is_number(value, len)) ||
            (word_len == len && strncmp(word, value, len) == 0))
            return true;
        word += word_len + (word[word_len] == '|');
    }
    return false;
}

/* One word of printable text: it travels in one line of words on the control socket. */
static bool value_is_word(const char *value)
{
    size_t len = strlen(value);
    if (len == 0 || len >= MGC_LAB_FAULT_VALUE_MAX)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (value[i] <= ' ' || value[i] > '~')
            return false;
    }
    return true;
}

static bool check_span(const char *name, const char *value, struct mgc_error *err)
{
    int64_t ms;
    return strcmp(value, "forever") == 0 || mgc_parse_duration_ms(value, &ms) ||
           mgc_error_set(err, MGC_E_USAGE,
               "fault %s: expected forever or a duration such as 5s, got \"%s\"", name, value);
}

static bool check_restart(const char *name, const char *value, struct mgc_error *err)
{
    int64_t ms;
    return mgc_parse_int(value, 0, MGC_LAB_RESTART_MAX_MS, &ms) ||
           mgc_error_set(err, MGC_E_USAGE,
               "fault %s: expected milliseconds from 0 to %d, got \"%s\"", name,
               MGC_LAB_RESTART_MAX_MS, value);
}

static bool check_proxy(const char *name, const char *value, struct mgc_error *err)
{
    enum mgc_lab_proxy_mode mode;
    return mgc_lab_proxy_mode_parse(value, &mode, err);
}

static bool check_link(const char *name, const char *value, struct mgc_error *err)
{
    struct mgc_lab_link_settings settings = {0};
    return mgc_lab_link_knob_apply(&settings, name, value, err);
}

static bool check_drop(const char *name, const char *value, struct mgc_error *err)
{
    size_t digits = strspn(value, "0123456789");
    const char *rest = value + digits + (value[digits] == '+');
    size_t more = strspn(rest, "0123456789");
    bool ok = digits > 0 && (value[digits] != '+' || more > 0) &&
              (rest[more] == '\0' || strcmp(rest + more, ",once") == 0);
    return ok || mgc_error_set(err, MGC_E_USAGE,
                     "fault %s: expected milliseconds as AT or AT+AWAY, got \"%s\"", name, value);
}

/* A path of the phone, where nothing is followed upwards. */
static bool check_node(const char *name, const char *value, struct mgc_error *err)
{
    return (strncmp(value, "/sys/", 5) == 0 && value[5] != '\0' && strstr(value, "/..") == NULL) ||
           mgc_error_set(
               err, MGC_E_USAGE, "fault %s: expected a path below /sys, got \"%s\"", name, value);
}

/* Faults of the world; what the stand-ins make of a value is their business. */
static const struct {
    const char *name;
    const char *alone; /* the value when none is given; NULL: "1" */
    bool (*check)(const char *name, const char *value, struct mgc_error *err);
} checks[] = {
    {"phone-adb-drop-at", NULL, check_drop},
    {"phone-node-missing", NULL, check_node},
    {"phone-node-unreadable", NULL, check_node},
    {"proxy-mode", NULL, check_proxy},
    {"link-profile", NULL, check_link},
    {"link-delay-ms", NULL, check_link},
    {"link-rate-mbit", NULL, check_link},
    {"link-cut", "forever", check_link},
    {"wsl-link-down", "forever", check_span},
    {"worker-restart-ms", NULL, check_restart},
};

static bool check_value(struct mgc_lab_fault *fault, bool given, struct mgc_error *err)
{
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (strcmp(checks[i].name, fault->name) != 0)
            continue;
        if (!given && checks[i].alone != NULL)
            strcpy(fault->value, checks[i].alone);
        return checks[i].check(fault->name, fault->value, err);
    }
    return true;
}

const char *mgc_lab_fault_split(const char *text, char ret_phone[MGC_LAB_NAME_SIZE])
{
    size_t len = strcspn(text, ".=");
    ret_phone[0] = '\0';
    if (text[len] != '.' || len >= MGC_LAB_NAME_SIZE)
        return text;
    memcpy(ret_phone, text, len);
    ret_phone[len] = '\0';
    return text + len + 1;
}

bool mgc_lab_fault_parse(const char *text, struct mgc_lab_fault *ret_fault, struct mgc_error *err)
{
    struct mgc_lab_fault fault = {.value = "1"};
    text = mgc_lab_fault_split(text, fault.phone);
    size_t name_len = strcspn(text, "=");
    const char *value = text[name_len] == '=' ? text + name_len + 1 : NULL;
    if (name_len < sizeof fault.name)
        memcpy(fault.name, text, name_len);
    if (!mgc_lab_fault_known(fault.name))
        return mgc_error_set(err, MGC_E_USAGE,
            "there is no fault \"%.*s\"; `mglab fault --help` lists them", (int)name_len, text);
    if (value != NULL && !value_is_word(value))
        return mgc_error_set(err, MGC_E_USAGE,
            "fault %s: the value must be one word of 1 to %d printable characters", fault.name,
            MGC_LAB_FAULT_VALUE_MAX - 1);
    if (value != NULL)
        strcpy(fault.value, value);
    size_t row = row_of(fault.name);
    if (!value_fits(row, fault.value))
        return mgc_error_set(err, MGC_E_USAGE, "fault %s=%s: expected %s%s%s", fault.name,
            fault.value, known[row].values, known[row].strikes ? ", also once or VALUE,once" : "",
            strchr(known[row].values, '#') ? " (# is a number)" : "");
    if (!check_value(&fault, value != NULL, err))
        return false;
    *ret_fault = fault;
    return true;
}

bool mgc_lab_fault_set(const char *dir, const struct mgc_lab_fault *fault, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!mgc_path_join(path, sizeof path, dir, fault->name))
        return mgc_error_set(err, MGC_E_IO, "path of fault %s is too long", fault->name);
    return mgc_file_write(path, fault->value, strlen(fault->value), 0644, err);
}

static bool clear_one(const char *dir, const char *name, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!mgc_path_join(path, sizeof path, dir, name))
        return mgc_error_set(err, MGC_E_IO, "path of fault %s is too long", name);
    return mgc_file_remove(path, err);
}

bool mgc_lab_fault_clear(const char *dir, const char *name, struct mgc_error *err)
{
    if (name != NULL)
        return clear_one(dir, name, err);
    bool ok = true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ok = clear_one(dir, known[i].name, ok ? err : NULL) && ok;
    return ok;
}

bool mgc_lab_fault_list(
    const char *dir, const char *prefix, struct mgc_buf *out, struct mgc_error *err)
{
    struct mgc_dir_names names = {0};
    struct mgc_buf value = {0};
    bool ok = mgc_dir_list(dir, &names, err);
    for (size_t i = 0; ok && i < names.count; i++) {
        char path[MGC_PATH_MAX];
        if (!mgc_lab_fault_known(names.names[i]) ||
            !mgc_path_join(path, sizeof path, dir, names.names[i]))
            continue;
        mgc_buf_clear(&value);
        ok = mgc_file_read(path, MGC_LAB_FAULT_VALUE_MAX, &value, err) &&
             mgc_buf_printf(out, "%s%s %s\n", prefix, names.names[i], mgc_buf_text(&value));
    }
    mgc_buf_destroy(&value);
    mgc_dir_names_destroy(&names);
    return ok;
}
