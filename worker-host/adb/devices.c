#include "worker-host/adb/devices.h"

#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/parse.h"
#include "worker-host/adb/wire.h"

enum { LIST_MAX = 0xffff, CONNECT_MS = 15000, LOST_QUERY_MS = 2000 };

static const struct {
    const char *word;
    enum mgc_adb_state state;
} state_words[] = {
    {"device", MGC_ADB_ONLINE},
    {"offline", MGC_ADB_OFFLINE},
    {"connecting", MGC_ADB_CONNECTING},
    {"authorizing", MGC_ADB_CONNECTING},
    {"unauthorized", MGC_ADB_UNAUTHORIZED},
    {"recovery", MGC_ADB_RECOVERY},
    {"rescue", MGC_ADB_RECOVERY},
    {"sideload", MGC_ADB_RECOVERY},
    {"bootloader", MGC_ADB_BOOTLOADER},
};

const char *mgc_adb_state_name(enum mgc_adb_state state)
{
    static const char *const names[] = {"gone", "online", "offline", "connecting", "unauthorized",
        "no-permission", "recovery", "bootloader", "other"};
    return (size_t)state < sizeof(names) / sizeof(names[0]) ? names[state] : "other";
}

static enum mgc_adb_state state_from(const char *text, size_t len)
{
    /* The only state of several words: "no permissions (udev ...); see [http://...]". */
    static const char no_permission[] = "no permissions";
    if (len >= sizeof(no_permission) - 1 &&
        strncmp(text, no_permission, sizeof(no_permission) - 1) == 0)
        return MGC_ADB_NO_PERMISSION;
    for (size_t i = 0; i < sizeof(state_words) / sizeof(state_words[0]); i++) {
        if (strlen(state_words[i].word) == len && strncmp(state_words[i].word, text, len) == 0)
            return state_words[i].state;
    }
    return MGC_ADB_OTHER;
}

/* "serial<blanks>state[<blanks>key:value ...]" */
static bool parse_line(const char *line, size_t len, struct mgc_adb_entry *entry)
{
    char text[1024];
    if (len >= sizeof(text))
        return false;
    memcpy(text, line, len);
    text[len] = '\0';
    size_t serial_len = strcspn(text, " \t");
    const char *state = text + serial_len + strspn(text + serial_len, " \t");
    size_t state_len = strcspn(state, " \t\r");
    if (serial_len == 0 || serial_len >= sizeof(entry->serial) || state_len == 0)
        return false;
    *entry = (struct mgc_adb_entry){.state = state_from(state, strlen(state))};
    if (entry->state != MGC_ADB_NO_PERMISSION)
        entry->state = state_from(state, state_len);
    snprintf(entry->serial, sizeof(entry->serial), "%.*s", (int)serial_len, text);
    snprintf(entry->state_text, sizeof(entry->state_text), "%.*s", (int)state_len, state);
    const char *model = strstr(state, " model:");
    if (model)
        snprintf(
            entry->model, sizeof(entry->model), "%.*s", (int)strcspn(model + 7, " \r"), model + 7);
    return true;
}

bool mgc_adb_devices_parse(
    const char *text, struct mgc_adb_devices *ret_devices, struct mgc_error *err)
{
    ret_devices->count = 0;
    while (*text) {
        size_t len = strcspn(text, "\n");
        if (len) {
            if (ret_devices->count == MGC_ADB_DEVICES_MAX)
                return mgc_error_set(err, MGC_E_PROTOCOL,
                    "the adb server lists more than %d devices", MGC_ADB_DEVICES_MAX);
            if (!parse_line(text, len, &ret_devices->items[ret_devices->count]))
                return mgc_error_set(err, MGC_E_PROTOCOL,
                    "device list of the adb server: expected serial and state, got \"%.*s\"",
                    (int)(len < 80 ? len : 80), text);
            ret_devices->count++;
        }
        text += len + (text[len] == '\n');
    }
    return true;
}

enum mgc_adb_state mgc_adb_devices_state(const struct mgc_adb_devices *devices, const char *serial)
{
    for (size_t i = 0; i < devices->count; i++) {
        if (strcmp(devices->items[i].serial, serial) == 0)
            return devices->items[i].state;
    }
    return MGC_ADB_GONE;
}

bool mgc_adb_devices_list(struct mgc_adb *adb, struct mgc_adb_devices *ret_devices,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_buf reply = {.max = LIST_MAX};
    struct mgc_adb_wait limit = mgc_adb_wait_ms(wait, MGC_ADB_QUERY_MS);
    bool ok = mgc_adb_query(adb, "host:devices-l", &reply, &limit, err) &&
              mgc_adb_devices_parse(mgc_buf_text(&reply), ret_devices, err);
    mgc_buf_destroy(&reply);
    return ok;
}

bool mgc_adb_device_state(struct mgc_adb *adb, const char *serial, enum mgc_adb_state *ret_state,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_adb_devices devices;
    if (!mgc_adb_devices_list(adb, &devices, wait, err))
        return false;
    *ret_state = mgc_adb_devices_state(&devices, serial);
    return true;
}

bool mgc_adb_device_features(struct mgc_adb *adb, const char *serial, struct mgc_buf *text,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    char service[192];
    snprintf(service, sizeof(service), "host-serial:%.127s:features", serial);
    struct mgc_adb_wait limit = mgc_adb_wait_ms(wait, MGC_ADB_QUERY_MS);
    return mgc_adb_query(adb, service, text, &limit, err);
}

bool mgc_adb_track_open(struct mgc_adb_conn *conn, struct mgc_adb *adb,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    if (!mgc_adb_conn_open(conn, adb, wait, err))
        return false;
    if (mgc_adb_conn_request(conn, "host:track-devices", wait, err))
        return true;
    mgc_adb_conn_close(conn);
    return false;
}

bool mgc_adb_track_next(struct mgc_adb_conn *conn, struct mgc_adb_devices *ret_devices,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_buf text = {.max = LIST_MAX};
    bool ok = mgc_adb_conn_reply(conn, &text, wait, err) &&
              mgc_adb_devices_parse(mgc_buf_text(&text), ret_devices, err);
    mgc_buf_destroy(&text);
    return ok;
}

bool mgc_adb_serial_is_address(const char *serial)
{
    const char *colon = strrchr(serial, ':');
    int64_t port;
    return colon && colon != serial && mgc_parse_int(colon + 1, 1, 65535, &port);
}

/* The server answers OKAY and a sentence, also when it failed; the sentence is all there is. */
static bool connect_answer(const char *serial, const char *text, struct mgc_error *err)
{
    if (strncmp(text, "connected to", 12) == 0 || strncmp(text, "already connected", 17) == 0)
        return true;
    char shown[200];
    return mgc_error_set(err, MGC_E_UNREACHABLE, "adb connect %s: %s", serial,
        mgc_adb_wire_shown(text, shown, sizeof(shown)));
}

bool mgc_adb_connect(struct mgc_adb *adb, const char *serial, bool again,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    char service[192];
    struct mgc_buf reply = {.max = LIST_MAX};
    struct mgc_adb_wait limit = mgc_adb_wait_ms(wait, CONNECT_MS);
    snprintf(service, sizeof(service), "host:disconnect:%.127s", serial);
    if (again) /* "no such device" is as good: it is not there afterwards */
        mgc_adb_query(adb, service, &reply, &limit, NULL);
    mgc_buf_clear(&reply);
    snprintf(service, sizeof(service), "host:connect:%.127s", serial);
    bool ok = mgc_adb_query(adb, service, &reply, &limit, err) &&
              connect_answer(serial, mgc_buf_text(&reply), err);
    mgc_buf_destroy(&reply);
    return ok;
}

bool mgc_adb_device_wait(struct mgc_adb *adb, const char *serial, enum mgc_adb_state state,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_adb_conn conn;
    struct mgc_adb_devices devices;
    struct mgc_error why;
    enum mgc_adb_state now = MGC_ADB_GONE;
    bool ok = mgc_adb_track_open(&conn, adb, wait, &why);
    while (ok && mgc_adb_track_next(&conn, &devices, wait, &why)) {
        now = mgc_adb_devices_state(&devices, serial);
        if (now == state)
            break;
    }
    mgc_adb_conn_close(&conn);
    if (ok && now == state)
        return true;
    if (ok && why.code == MGC_E_TIMEOUT)
        return mgc_error_set(err, MGC_E_TIMEOUT, "device %s is %s, waited for %s", serial,
            mgc_adb_state_name(now), mgc_adb_state_name(state));
    if (err)
        *err = why;
    return false;
}

/* Under the lock: the state is read again, another task may just have connected it. */
static bool connect_if_away(
    struct mgc_adb *adb, const char *serial, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    enum mgc_adb_state state;
    struct mgc_keyhold hold;
    mgc_adb_lock(adb, &hold, serial);
    bool ok = mgc_adb_device_state(adb, serial, &state, wait, err);
    if (ok && (state == MGC_ADB_GONE || state == MGC_ADB_OFFLINE))
        ok = mgc_adb_connect(adb, serial, state == MGC_ADB_OFFLINE, wait, err);
    mgc_adb_unlock(adb, &hold);
    return ok;
}

static bool needs_a_person(const char *serial, enum mgc_adb_state state, struct mgc_error *err)
{
    if (state == MGC_ADB_UNAUTHORIZED)
        mgc_error_set(err, MGC_E_DENIED,
            "device %s is unauthorized: allow this host's key on its screen", serial);
    else
        mgc_error_set(err, MGC_E_DENIED,
            "device %s: this user may not open the USB device (no-permission)", serial);
    return false;
}

/* One round: connect it when it can be, then wait a little for it. *ret_again: not yet. */
static bool ready_round(struct mgc_adb *adb, const char *serial, int64_t pause_ms,
    const struct mgc_adb_wait *wait, bool *ret_again, struct mgc_error *err)
{
    enum mgc_adb_state state;
    struct mgc_error why = {0};
    bool address = mgc_adb_serial_is_address(serial);
    *ret_again = false;
    if (!mgc_adb_device_state(adb, serial, &state, wait, err))
        return false;
    if (state == MGC_ADB_ONLINE)
        return true;
    if (state == MGC_ADB_UNAUTHORIZED || state == MGC_ADB_NO_PERMISSION)
        return needs_a_person(serial, state, err);
    bool away = address && !connect_if_away(adb, serial, wait, &why);
    if (!away || why.code == MGC_E_UNREACHABLE) {
        struct mgc_adb_wait limit = address ? mgc_adb_wait_ms(wait, pause_ms) : *wait;
        struct mgc_error wait_why;
        if (mgc_adb_device_wait(adb, serial, MGC_ADB_ONLINE, &limit, &wait_why))
            return true;
        *ret_again = wait_why.code == MGC_E_TIMEOUT && !mgc_deadline_past(wait->deadline_ns);
        if (!away || wait_why.code == MGC_E_CANCELLED)
            why = wait_why;
    }
    /* What is refused or silent for all of the time is a device that is not there. */
    bool lost = why.code == MGC_E_UNREACHABLE || why.code == MGC_E_TIMEOUT;
    return mgc_error_set(err, lost ? MGC_E_LOST : why.code, "device %s is %s: %s", serial,
        mgc_adb_state_name(state), why.text);
}

bool mgc_adb_device_ready(
    struct mgc_adb *adb, const char *serial, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    enum { PAUSE_MS = 1000, PAUSE_MAX_MS = 5000 };
    bool again = true, ready = false;
    for (int64_t pause_ms = PAUSE_MS; again && !ready; pause_ms *= 2) {
        if (pause_ms > PAUSE_MAX_MS)
            pause_ms = PAUSE_MAX_MS;
        ready = ready_round(adb, serial, pause_ms, wait, &again, err);
    }
    return ready;
}

bool mgc_adb_device_lost(
    struct mgc_adb *adb, const char *serial, const char *what, struct mgc_error *err)
{
    struct mgc_adb_wait wait = {mgc_deadline_in_ms(LOST_QUERY_MS), -1};
    struct mgc_error why;
    enum mgc_adb_state state;
    if (!mgc_adb_device_state(adb, serial, &state, &wait, &why))
        return mgc_error_set(
            err, MGC_E_LOST, "device %s: %s; its state is not known: %s", serial, what, why.text);
    if (state == MGC_ADB_ONLINE)
        return mgc_error_set(err, MGC_E_LOST,
            "device %s: %s, though the adb server calls it online (it may just have come back)",
            serial, what);
    return mgc_error_set(
        err, MGC_E_LOST, "device %s went %s: %s", serial, mgc_adb_state_name(state), what);
}
