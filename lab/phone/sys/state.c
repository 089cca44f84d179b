#include "lab/phone/sys/state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/phone/log_server.h"
#include "lab/phone/phone.h"

enum { TICK_MS = 250 };

/* The service that takes clock limits back, as vendors' do; see phone-pin-override. */
#define BOOST_SERVICE "perf2-hal-1-0"

static void write_node(struct mgl_sys_state *state, size_t i)
{
    char text[MGL_NODE_TEXT_MAX];
    mgl_node_text(&state->model, &state->nodes[i], text);
    if (strcmp(text, state->texts[i]) == 0)
        return;
    size_t len = strlen(text);
    if (pwrite(state->fds[i], text, len, 0) != (ssize_t)len ||
        ftruncate(state->fds[i], (off_t)len) != 0)
        return; /* memory is full: tried again when it changes again */
    strcpy(state->texts[i], text);
}

static void put(struct mgl_phone *phone, const char *key, int value)
{
    char text[16];
    const char *now = mgl_store_get(&phone->store, MGL_SPACE_POWER, key);
    snprintf(text, sizeof(text), "%d", value);
    if (!now || strcmp(now, text) != 0)
        mgl_store_put(&phone->store, MGL_SPACE_POWER, key, text);
}

/* What dumpsys tells comes from the same model. */
static void write_services(struct mgl_phone *phone)
{
    const struct mgl_sys_model *model = &phone->sys.model;
    put(phone, "battery.temperature", mgl_sys_battery_dc(model));
    put(phone, "thermal.cpu", (int)(model->cpu_c * 10));
    put(phone, "thermal.gpu", (int)(model->gpu_c * 10));
    put(phone, "thermal.skin", (int)((model->skin_c + model->warmed_c) * 10));
    put(phone, "thermal.status", mgl_sys_thermal_status(model));
}

static void step(struct mgl_sys_state *state)
{
    const char *plugged = mgl_store_get(&state->phone->store, MGL_SPACE_POWER, "plugged");
    int64_t now_ns = mgc_mono_ns();
    mgl_sys_model_step(&state->model, (double)(now_ns - state->stepped_ns) / MGC_NS_PER_S);
    state->stepped_ns = now_ns;
    state->model.plugged = plugged && strcmp(plugged, "usb") == 0;
}

void mgl_sys_state_update(struct mgl_phone *phone)
{
    struct mgl_sys_state *state = &phone->sys;
    if (!state->phone || phone->off)
        return;
    step(state);
    for (size_t i = 0; i < state->count; i++)
        write_node(state, i);
    write_services(phone);
}

static void tick(struct mgl_timer *timer)
{
    struct mgl_phone *phone = timer->arg;
    mgl_sys_state_update(phone);
    mgl_timer_start(&phone->loop, timer, TICK_MS * MGC_NS_PER_MS);
}

/* ---- what root writes ------------------------------------------------------------------------ */

static bool boost_service_runs(const struct mgl_phone *phone)
{
    const char *now = mgl_store_get(&phone->store, MGL_SPACE_PROP, "init.svc." BOOST_SERVICE);
    return now && strcmp(now, "running") == 0;
}

static void take_back(struct mgl_timer *timer)
{
    struct mgl_phone *phone = timer->arg;
    if (!boost_service_runs(phone) || phone->sys.revert_ms == 0)
        return;
    for (int i = 0; i < MGL_POLICIES; i++)
        mgl_sys_policy_set(
            &phone->sys.model, i, mgl_sys_policy_hw_min(i), mgl_sys_policy_hw_max(i));
    mgl_phone_log(phone, MGL_LOG_INFO, BOOST_SERVICE, "clock limits are back to stock");
    mgl_sys_state_update(phone);
}

static void take_write(struct mgl_sys_state *state, size_t i)
{
    char text[MGL_NODE_TEXT_MAX];
    char path[MGL_NODE_PATH_MAX + 8];
    snprintf(path, sizeof(path), "/sys/%s", state->nodes[i].path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (len < 0)
        return;
    text[len] = '\0';
    if (strcmp(text, state->texts[i]) == 0)
        return;
    snprintf(state->texts[i], sizeof(state->texts[i]), "%s", text);
    mgl_node_write(&state->model, &state->nodes[i], text);
    if (mgl_node_is_cpu_limit(&state->nodes[i]) && state->revert_ms > 0)
        mgl_timer_start(&state->phone->loop, &state->revert, state->revert_ms * MGC_NS_PER_MS);
}

int mgl_sys_state_watch(struct mgl_phone *phone, const char *dir, uint32_t mask)
{
    return inotify_add_watch(phone->sys.writes.fd, dir, mask);
}

/* Knobs wait for the loop's next turn: a command that begins is no moment to switch the phone off.
 * After an overflow anything may have happened. True: some file of ours was written; which one does
 * not matter, the files are the truth. */
static bool take_events(struct mgl_phone *phone, const char *data, size_t len)
{
    bool ours = false;
    for (size_t at = 0; at < len;) {
        struct inotify_event event;
        memcpy(&event, data + at, sizeof(event));
        at += sizeof(event) + event.len;
        bool knobs = phone->knob_dir > 0 && event.wd == phone->knob_dir;
        ours |= !knobs;
        if (knobs || (event.mask & IN_Q_OVERFLOW && phone->knob_dir > 0))
            mgl_timer_start(&phone->loop, &phone->knob_timer, 1);
    }
    return ours;
}

void mgl_sys_state_settle(struct mgl_phone *phone)
{
    char buf[4096];
    ssize_t len;
    bool any = false;
    while (phone->sys.phone && (len = read(phone->sys.writes.fd, buf, sizeof(buf))) > 0)
        any |= take_events(phone, buf, (size_t)len);
    for (size_t i = 0; any && i < phone->sys.count; i++)
        if (phone->sys.nodes[i].mode & 0200)
            take_write(&phone->sys, i);
    if (any)
        mgl_sys_state_update(phone);
}

static void written(struct mgl_watch *watch, uint32_t events)
{
    mgl_sys_state_settle(watch->arg);
}

/* ---- starting -------------------------------------------------------------------------------- */

static bool open_node(struct mgl_sys_state *state, size_t i, struct mgc_error *err)
{
    char path[MGL_NODE_PATH_MAX + 8];
    snprintf(path, sizeof(path), "/sys/%s", state->nodes[i].path);
    bool read_only = !(state->nodes[i].mode & 0200);
    if (read_only)
        chmod(path, 0600); /* who is not root could not open it for writing */
    state->fds[i] = open(path, O_WRONLY | O_CLOEXEC);
    if (state->fds[i] < 0)
        return mgc_error_errno(err, errno, "open '%s'", path);
    if (read_only)
        chmod(path, state->nodes[i].mode);
    if (!read_only && inotify_add_watch(state->writes.fd, path, IN_CLOSE_WRITE) < 0)
        return mgc_error_errno(err, errno, "watch '%s'", path);
    return true;
}

static void set_timers(struct mgl_phone *phone)
{
    struct mgl_sys_state *state = &phone->sys;
    state->tick = (struct mgl_timer){.fired = tick, .arg = phone};
    state->revert = (struct mgl_timer){.fired = take_back, .arg = phone};
    state->throttle = (struct mgl_timer){.arg = phone};
}

bool mgl_sys_state_start(struct mgl_phone *phone, struct mgc_error *err)
{
    struct mgl_sys_state *state = &phone->sys;
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (fd < 0)
        return mgc_error_errno(err, errno,
            "watch /sys (each phone takes one of this user's fs.inotify.max_user_instances)");
    mgl_sys_model_init(&state->model);
    state->throttle_ms = -1;
    state->stepped_ns = mgc_mono_ns();
    state->writes.ready = written;
    state->writes.arg = phone;
    set_timers(phone);
    if (!mgl_watch_add(&phone->loop, &state->writes, fd, EPOLLIN))
        return mgc_error_errno(err, errno, "watch /sys");
    state->phone = phone;
    size_t count = mgl_nodes_list(state->nodes);
    while (state->count < count) {
        if (!open_node(state, state->count, err))
            return false;
        state->count++;
    }
    tick(&state->tick);
    return true;
}

void mgl_sys_state_stop(struct mgl_phone *phone)
{
    struct mgl_sys_state *state = &phone->sys;
    if (!state->phone)
        return;
    mgl_timer_stop(&state->tick);
    mgl_timer_stop(&state->revert);
    mgl_timer_stop(&state->throttle);
    int fd = state->writes.fd;
    mgl_watch_remove(&state->writes);
    close(fd);
    while (state->count > 0)
        close(state->fds[--state->count]);
    state->phone = NULL;
}

void mgl_sys_state_boot(struct mgl_phone *phone)
{
    struct mgl_sys_model *model = &phone->sys.model;
    const struct mgl_sys_model before = *model;
    mgl_sys_model_init(model);
    model->hot_dc = before.hot_dc;
    model->warming = before.warming;
    phone->sys.stepped_ns = mgc_mono_ns();
    mgl_timer_stop(&phone->sys.revert);
    mgl_timer_stop(&phone->sys.throttle);
    mgl_sys_state_update(phone);
}

/* ---- load and faults ------------------------------------------------------------------------- */

static void set_throttled(struct mgl_phone *phone, bool throttled)
{
    mgl_timer_stop(&phone->sys.throttle);
    if (phone->sys.model.throttled == throttled)
        return;
    mgl_sys_state_update(phone); /* the time until now was as before */
    phone->sys.model.throttled = throttled;
    mgl_phone_log(phone, MGL_LOG_WARN, "ThermalEngine", "clocks are %s",
        throttled ? "held down: the phone is hot" : "free again");
    mgl_sys_state_update(phone);
}

static void throttle_now(struct mgl_timer *timer)
{
    set_throttled(timer->arg, true);
}

static void plan_throttle(struct mgl_phone *phone)
{
    struct mgl_sys_state *state = &phone->sys;
    state->throttle.fired = throttle_now;
    if (state->throttle_ms == 0)
        set_throttled(phone, true);
    else if (state->throttle_ms > 0)
        mgl_timer_start(&phone->loop, &state->throttle, state->throttle_ms * MGC_NS_PER_MS);
}

void mgl_sys_state_busy(struct mgl_phone *phone)
{
    bool busy = mgl_apps_busy(phone);
    if (phone->sys.model.busy == busy)
        return;
    mgl_sys_state_update(phone);
    phone->sys.model.busy = busy;
    mgl_sys_state_update(phone);
    if (busy)
        plan_throttle(phone);
    else
        set_throttled(phone, false);
}

void mgl_sys_state_throttle(struct mgl_phone *phone, int64_t after_ms)
{
    phone->sys.throttle_ms = after_ms;
    if (after_ms < 0)
        set_throttled(phone, false);
    else if (phone->sys.model.busy)
        plan_throttle(phone);
}

void mgl_sys_state_clamp(struct mgl_phone *phone, int khz)
{
    for (int i = 0; i < MGL_POLICIES; i++)
        phone->sys.model.policies[i].boost_max_khz = khz ? khz : INT_MAX;
    mgl_sys_state_update(phone);
}
