/* The operations behind the control socket; one row each.
 *
 *   get SPACE KEY | put SPACE KEY VALUE | delete SPACE KEY | list SPACE
 *   log-read dump|follow COUNT SINCE_NS    COUNT -1: all
 *   log-clear | log-size [BYTES]           answers "MAX USED"
 *   start activity|service PACKAGE CLASS [T:KEY=VALUE...]    answers "cold", "warm" (the process
 *                              lived) or "front" (an activity is on the screen already: nothing was
 *                              started); REFUSED with the uid: it is not exported
 *   force-stop PACKAGE
 *   am-cost                                answers the milliseconds that `am start` takes
 *   ping
 */
#include "lab/phone/control_server.h"

#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"
#include "lab/knob/knob.h"
#include "lab/phone/conditions.h"
#include "lab/phone/ids.h"
#include "lab/phone/log_server.h"
#include "lab/phone/phone.h"

static enum mgl_control_result get_conditions(struct mgl_control_client *client)
{
    struct mgc_buf text = {0};
    mgl_conditions(&text);
    mgl_control_item_add(client, mgc_buf_text(&text), text.len);
    mgc_buf_destroy(&text);
    return MGL_CONTROL_OK;
}

static enum mgl_control_result do_get(
    struct mgl_control_client *client, const char **words, size_t count)
{
    enum mgl_space space;
    if (!mgl_space_parse(words[1], &space))
        return MGL_CONTROL_BAD;
    if (space == MGL_SPACE_PROP && strcmp(words[2], MGL_CONDITIONS_PROP) == 0)
        return get_conditions(client);
    const char *value = mgl_store_get(&client->server->phone->store, space, words[2]);
    if (!value)
        return MGL_CONTROL_ABSENT;
    mgl_control_item_add(client, value, strlen(value));
    return MGL_CONTROL_OK;
}

/* With one user id for all, everybody is root. */
static bool is_root(const struct mgl_control_client *client)
{
    return client->uid == MGL_UID_ROOT || !mgl_ids_are_real();
}

static enum mgl_control_result do_put(
    struct mgl_control_client *client, const char **words, size_t count)
{
    struct mgl_store *store = &client->server->phone->store;
    enum mgl_space space;
    if (!mgl_space_parse(words[1], &space))
        return MGL_CONTROL_BAD;
    struct mgl_knob knob;
    bool held_asleep = space == MGL_SPACE_POWER && strcmp(words[2], "wakefulness") == 0 &&
                       mgl_knob_get("phone-screen-off", &knob);
    if (held_asleep)
        return MGL_CONTROL_OK; /* as a phone in a bag does: the key was pressed, no more */
    if (space == MGL_SPACE_PROP && strncmp(words[2], "ctl.", 4) == 0)
        return is_root(client) && mgl_store_control(store, words[2], words[3])
                   ? MGL_CONTROL_OK
                   : MGL_CONTROL_REFUSED;
    if (!mgl_store_may_put(store, space, words[2], words[3]) ||
        !mgl_store_put(store, space, words[2], words[3]))
        return MGL_CONTROL_REFUSED;
    return MGL_CONTROL_OK;
}

static enum mgl_control_result do_delete(
    struct mgl_control_client *client, const char **words, size_t count)
{
    struct mgl_store *store = &client->server->phone->store;
    enum mgl_space space;
    if (!mgl_space_parse(words[1], &space) || space == MGL_SPACE_PROP)
        return MGL_CONTROL_BAD;
    if (!mgl_store_get(store, space, words[2]))
        return MGL_CONTROL_ABSENT;
    mgl_store_put(store, space, words[2], NULL);
    return MGL_CONTROL_OK;
}

static enum mgl_control_result do_list(
    struct mgl_control_client *client, const char **words, size_t count)
{
    enum mgl_space space;
    if (!mgl_space_parse(words[1], &space))
        return MGL_CONTROL_BAD;
    const struct mgc_fields *fields = &client->server->phone->store.spaces[space];
    for (size_t i = 0; i < fields->count; i++) {
        struct mgc_buf line = {0};
        mgc_buf_printf(&line, "%s=%s", fields->items[i].name, fields->items[i].value.string);
        mgl_control_item_add(client, mgc_buf_text(&line), line.len);
        mgc_buf_destroy(&line);
    }
    return MGL_CONTROL_OK;
}

static enum mgl_control_result do_log_read(
    struct mgl_control_client *client, const char **words, size_t count)
{
    const struct mgl_log_ring *ring = &client->server->phone->log;
    int64_t tail, since_ns;
    if (!mgc_parse_int(words[2], -1, INT64_MAX, &tail) ||
        !mgc_parse_int(words[3], 0, INT64_MAX, &since_ns))
        return MGL_CONTROL_BAD;
    uint64_t held = ring->end - ring->first;
    uint64_t wanted = tail < 0 || (uint64_t)tail > held ? held : (uint64_t)tail;
    client->log_next = ring->end - wanted;
    client->log_since_ns = since_ns;
    client->log_follow = strcmp(words[1], "follow") == 0;
    client->log_reader = true;
    return MGL_CONTROL_OK;
}

static enum mgl_control_result do_log_clear(
    struct mgl_control_client *client, const char **words, size_t count)
{
    mgl_log_ring_clear(&client->server->phone->log);
    return MGL_CONTROL_OK;
}

static enum mgl_control_result do_log_size(
    struct mgl_control_client *client, const char **words, size_t count)
{
    struct mgl_log_ring *ring = &client->server->phone->log;
    int64_t bytes;
    if (count > 1 && (!mgc_parse_int(words[1], MGL_LOG_RING_MIN, MGL_LOG_RING_MAX, &bytes) ||
                         !mgl_log_ring_resize(ring, (size_t)bytes)))
        return MGL_CONTROL_REFUSED;
    char text[64];
    int len = snprintf(text, sizeof(text), "%zu %zu", ring->max_bytes, ring->used_bytes);
    mgl_control_item_add(client, text, (size_t)len);
    return MGL_CONTROL_OK;
}

static enum mgl_control_result refuse_unexported(
    struct mgl_control_client *client, const struct mgl_package *package)
{
    char uid[16];
    int len = snprintf(uid, sizeof(uid), "%u", mgl_package_uid(package));
    mgl_control_item_add(client, uid, (size_t)len);
    return MGL_CONTROL_REFUSED;
}

/* The fault am-start-error: an activity that starts on any other day does not. */
static bool start_fails(enum mgl_control_result *ret_result)
{
    static const char name[] = "am-start-error";
    struct mgl_knob knob;
    if (!mgl_knob_get(name, &knob) || !mgl_knob_take(name, &knob))
        return false;
    *ret_result = strcmp(knob.value, "denied") == 0 ? MGL_CONTROL_REFUSED : MGL_CONTROL_ABSENT;
    return true;
}

static enum mgl_control_result do_start(
    struct mgl_control_client *client, const char **words, size_t count)
{
    struct mgl_phone *phone = client->server->phone;
    enum mgl_control_result fault;
    enum mgl_component_kind kind = strcmp(words[1], "activity") == 0 ? MGL_ACTIVITY : MGL_SERVICE;
    const struct mgl_package *package = mgl_package_find(words[2]);
    const struct mgl_component *component =
        package ? mgl_component_find(package, kind, words[3]) : NULL;
    if (!component)
        return MGL_CONTROL_ABSENT;
    /* With one user id for all, everybody is the shell. */
    if (!component->exported && (client->uid != MGL_UID_ROOT || !mgl_ids_are_real()))
        return refuse_unexported(client, package);
    if (component->kind == MGL_ACTIVITY && start_fails(&fault))
        return fault == MGL_CONTROL_REFUSED ? refuse_unexported(client, package) : fault;
    struct mgc_error err;
    enum mgl_start how = mgl_apps_start(phone, package, component, words + 4, count - 4, &err);
    if (how == MGL_START_FAILED) {
        mgl_control_sentence(client, "%s", err.text);
        return MGL_CONTROL_BAD;
    }
    const char *word = how == MGL_START_COLD ? "cold" : how == MGL_START_WARM ? "warm" : "front";
    mgl_control_item_add(client, word, strlen(word));
    return MGL_CONTROL_OK;
}

static enum mgl_control_result do_force_stop(
    struct mgl_control_client *client, const char **words, size_t count)
{
    const struct mgl_package *package = mgl_package_find(words[1]);
    if (!package)
        return MGL_CONTROL_ABSENT;
    mgl_apps_force_stop(client->server->phone, package);
    return MGL_CONTROL_OK;
}

static enum mgl_control_result do_am_cost(
    struct mgl_control_client *client, const char **words, size_t count)
{
    char text[32];
    int len = snprintf(
        text, sizeof(text), "%lld", (long long)client->server->phone->latency->am_start_ms);
    mgl_control_item_add(client, text, (size_t)len);
    return MGL_CONTROL_OK;
}

static enum mgl_control_result do_ping(
    struct mgl_control_client *client, const char **words, size_t count)
{
    return MGL_CONTROL_OK;
}

/* `privileged`: for root and the shell only; an app gets a refusal, as on Android. */
static const struct {
    const char *name;
    size_t min_words, max_words;
    bool privileged;
    enum mgl_control_result (*run)(struct mgl_control_client *, const char **, size_t);
} operations[] = {
    {"get", 3, 3, false, do_get},
    {"put", 4, 4, true, do_put},
    {"delete", 3, 3, true, do_delete},
    {"list", 2, 2, false, do_list},
    {"log-read", 4, 4, false, do_log_read},
    {"log-clear", 1, 1, true, do_log_clear},
    {"log-size", 1, 2, false, do_log_size},
    {"start", 4, MGL_CONTROL_WORDS_MAX, true, do_start},
    {"force-stop", 2, 2, true, do_force_stop},
    {"am-cost", 1, 1, false, do_am_cost},
    {"ping", 1, 1, false, do_ping},
};

enum mgl_control_result mgl_control_run(
    struct mgl_control_client *client, const char **words, size_t count)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (strcmp(operations[i].name, words[0]) != 0)
            continue;
        if (count < operations[i].min_words || count > operations[i].max_words)
            return MGL_CONTROL_BAD;
        /* With one user id for all, everybody is the shell. */
        if (operations[i].privileged && mgl_ids_are_real() && client->uid != MGL_UID_ROOT &&
            client->uid != MGL_UID_SHELL)
            return MGL_CONTROL_REFUSED;
        return operations[i].run(client, words, count);
    }
    return MGL_CONTROL_BAD;
}
