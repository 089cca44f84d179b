#include "lab/replay/env.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/parse.h"

struct reader {
    struct mgr_env *env;
    mgr_env_get *get;
    mgr_env_note *note;
    void *user;
};

__attribute__((format(printf, 3, 4))) static void say(
    struct reader *in, enum mgr_level level, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (in->note)
        in->note(in->user, level, text);
}

static const struct number {
    const char *name;
    size_t offset; /* of an int64_t */
    int64_t initial, min, max;
} numbers[] = {
    {"MOBILEGL_IPC_PRESENT_CREDIT", offsetof(struct mgr_env, present_credit), 1, 1, 8},
    {"MOBILEGL_IPC_SPIN_US", offsetof(struct mgr_env, spin_us), 50, 0, 1000000},
    {"MOBILEGL_IPC_COLD_START_MS", offsetof(struct mgr_env, cold_start_ms), 20000, 100, 600000},
    {"MOBILEGL_IPC_CONTROL_TIMEOUT_MS", offsetof(struct mgr_env, control_timeout_ms), 5000, 100,
        600000},
    {"MOBILEGL_IPC_RING_MB", offsetof(struct mgr_env, ring_mb), 8, 1, 1024},
    {"MOBILEGL_IPC_STAGE_MB", offsetof(struct mgr_env, stage_mb), 32, 1, 4096},
    {"MOBILEGL_IPC_EVENT_WAIT_MS", offsetof(struct mgr_env, event_wait_ms), 2000, 1, 600000},
    {"MOBILEGL_IPC_ADOPT_TIER", offsetof(struct mgr_env, adopt_tier), 0, 0, 2},
    {"MOBILEGL_IPC_ROLE_SPLIT_STATE", offsetof(struct mgr_env, role_split_state), 1, 0, 1},
    {"MOBILEGL_PIPE_STATS_PERIOD", offsetof(struct mgr_env, stats_period), 120, 1, 1000000},
};

static const struct flag {
    const char *name;
    size_t offset; /* of a bool */
    bool initial;
} flags[] = {
    {"MOBILEGL_IPC_RUN_AHEAD", offsetof(struct mgr_env, run_ahead), true},
    {"MOBILEGL_IPC_REQUIRE_SAME_BUILD", offsetof(struct mgr_env, require_same_build), false},
    {"MOBILEGL_IPC_LOG_FORWARD", offsetof(struct mgr_env, log_forward), true},
    {"MOBILEGL_IPC_VERB_BARRIER", offsetof(struct mgr_env, verb_barrier), true},
    {"MOBILEGL_IPC_STRICT_ERRORS", offsetof(struct mgr_env, strict), false},
};

static void refuse(struct reader *in, const char *name, const char *value)
{
    say(in, MGR_WARN, "Config: Ignoring invalid env variable %s='%.80s' - the default stays", name,
        value);
}

static void read_numbers(struct reader *in)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const struct number *row = &numbers[i];
        int64_t *field = (int64_t *)((char *)in->env + row->offset);
        *field = row->initial;
        const char *text = in->get(row->name);
        if (!text)
            continue;
        if (mgc_parse_int(text, row->min, row->max, field))
            say(in, MGR_INFO, "Accepted env variable: %s=%s", row->name, text);
        else
            refuse(in, row->name, text);
    }
}

static void read_flags(struct reader *in)
{
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        const struct flag *row = &flags[i];
        bool *field = (bool *)((char *)in->env + row->offset);
        *field = row->initial;
        const char *text = in->get(row->name);
        if (!text)
            continue;
        if (strcmp(text, "0") == 0 || strcmp(text, "1") == 0) {
            *field = text[0] == '1';
            say(in, MGR_INFO, "Accepted env variable: %s=%s", row->name, text);
        } else {
            refuse(in, row->name, text);
        }
    }
}

static void read_text(struct reader *in, const char *name, char *ret_text, size_t size,
    const char *initial, bool secret)
{
    snprintf(ret_text, size, "%s", initial);
    const char *text = in->get(name);
    if (!text)
        return;
    if (strlen(text) >= size) {
        refuse(in, name, "(too long)");
        return;
    }
    snprintf(ret_text, size, "%s", text);
    say(in, MGR_INFO, "Accepted env variable: %s=%s", name, secret ? "(set)" : text);
}

static void read_transport(struct reader *in)
{
    const char *text = in->get("MOBILEGL_TRANSPORT");
    in->env->transport = MGR_MONOLITH;
    if (!text)
        return;
    if (strcmp(text, "spawn") == 0)
        in->env->transport = MGR_SPAWN;
    else if (strcmp(text, "inproc") == 0)
        in->env->transport = MGR_INPROC;
    else if (strcmp(text, "monolith") != 0) {
        say(in, MGR_WARN,
            "Config: Ignoring invalid env variable MOBILEGL_TRANSPORT='%.80s' - legal are "
            "monolith, inproc and spawn; running monolith",
            text);
        return;
    }
    say(in, MGR_INFO, "Accepted env variable: MOBILEGL_TRANSPORT=%s", text);
}

void mgr_env_read(struct mgr_env *ret_env, mgr_env_get *get, mgr_env_note *note, void *note_user)
{
    struct mgr_env env = {0};
    struct reader in = {&env, get, note, note_user};
    read_transport(&in);
    read_text(&in, "MOBILEGL_IPC_CONTROL", env.control, sizeof(env.control), "fork", false);
    read_text(&in, "MOBILEGL_IPC_DATA", env.data, sizeof(env.data), "auto", false);
    read_text(&in, "MOBILEGL_IPC_TOKEN", env.token, sizeof(env.token), "", true);
    read_text(&in, "MOBILEGL_BACKEND_TYPE", env.backend, sizeof(env.backend), "", false);
    read_text(&in, "MOBILEGL_LOG_FILE_PATH", env.log_base, sizeof(env.log_base), "", false);
    read_text(&in, "MOBILEGL_IPC_SERVER_PATH", env.server_path, sizeof(env.server_path), "", false);
    read_text(&in, "MOBILEGL_PIPE_STATS_FILE", env.stats_file, sizeof(env.stats_file), "", false);
    read_numbers(&in);
    read_flags(&in);
    const char *stats = get("MOBILEGL_PIPE_STATS");
    env.pipe_stats = stats && *stats && *stats != '0';
    env.link_metrics = stats && strcmp(stats, "1") == 0;
    const char *frames = get("MOBILEGL_SERVER_FRAME_STATS");
    env.server_frame_stats = frames && *frames && *frames != '0';
    *ret_env = env;
}

bool mgr_env_check_pair(const struct mgr_env *env, struct mgc_error *err)
{
    bool stream = strncmp(env->control, "tcp://", 6) == 0;
    if (strcmp(env->data, "auto") == 0 || strcmp(env->data, stream ? "stream" : "shm") == 0)
        return true;
    return mgc_error_set(err, MGC_E_USAGE,
        "MOBILEGL_IPC_DATA=%s does not go with MOBILEGL_IPC_CONTROL=%s: legal are auto and %s",
        env->data, env->control, stream ? "stream" : "shm");
}

void mgr_env_ipc_line(const struct mgr_env *env, char *ret_text, size_t size)
{
    snprintf(ret_text, size,
        "Config: IPC ring=%lldMiB stage=%lldMiB wire-deferred=4MiB spin=%lldus event-wait=%lldms "
        "persistent-block=256KiB adopt-tier=%lld verb-barrier=%d run-ahead=%d present-credit=%lld "
        "control-timeout=%lldms cold-start=%lldms strict=%d audit=0 role-split-state=%lld "
        "affinity='auto' surface=offscreen",
        (long long)env->ring_mb, (long long)env->stage_mb, (long long)env->spin_us,
        (long long)env->event_wait_ms, (long long)env->adopt_tier, env->verb_barrier,
        env->run_ahead, (long long)env->present_credit, (long long)env->control_timeout_ms,
        (long long)env->cold_start_ms, env->strict, (long long)env->role_split_state);
}

bool mgr_env_endpoint(const char *text, char *ret_host, size_t size, unsigned *ret_port)
{
    if (strncmp(text, "tcp://", 6) != 0)
        return false;
    const char *host = text + 6, *colon = strrchr(host, ':');
    int64_t port;
    if (!colon || !mgc_parse_int(colon + 1, 0, 65535, &port))
        return false;
    size_t len = (size_t)(colon - host);
    if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
        host++;
        len -= 2;
    }
    if (len == 0 || len >= size || memchr(host, '/', len))
        return false;
    memcpy(ret_host, host, len);
    ret_host[len] = '\0';
    *ret_port = (unsigned)port;
    return true;
}
