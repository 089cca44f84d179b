#include "lab/phone/apps.h"

#include "common/base/clock.h"
#include "lab/knob/knob.h"
#include "lab/phone/app_faults.h"
#include "lab/phone/flood.h"
#include "lab/phone/log_server.h"
#include "lab/phone/phone.h"
#include "lab/phone/procs.h"

static struct mgl_app_process *find_process(struct mgl_phone *phone,
    const struct mgl_package *package, const struct mgl_component *component)
{
    struct mgl_app_process *process = phone->apps;
    while (process && (process->component != component || process->package != package))
        process = process->next;
    return process;
}

/* The fault server-start-ignored: the answer of a service that runs, from one that does not. */
static bool start_is_ignored(const struct mgl_component *component)
{
    static const char name[] = "server-start-ignored";
    struct mgl_knob knob;
    return component->kind == MGL_SERVICE && mgl_knob_get(name, &knob) &&
           mgl_knob_take(name, &knob);
}

static void show(struct mgl_app_process *process)
{
    const struct mgl_journal_key keys[] = {{"package", process->package->name, 0}, {0}};
    process->in_front = process->component->kind == MGL_ACTIVITY;
    mgl_sys_state_busy(process->phone);
    if (!process->in_front)
        return;
    mgl_app_faults_plan(process);
    mgl_journal_write(process->phone->journal_fd, mgc_mono_ns(), "activity-start", keys);
    mgl_phone_log(process->phone, MGL_LOG_INFO, "ActivityTaskManager",
        "START u0 {cmp=%s/%s (has extras)} from uid 2000", process->package->name,
        process->component->class_name);
}

static enum mgl_start start_new(struct mgl_phone *phone, const struct mgl_package *package,
    const struct mgl_component *component, const char **extras, size_t extra_count,
    struct mgc_error *err)
{
    struct mgl_app_process *process =
        mgl_app_process_start(phone, package, component, extras, extra_count, err);
    if (!process)
        return MGL_START_FAILED;
    mgl_flood_start(phone);
    show(process);
    return MGL_START_COLD;
}

/* An activity whose process lives. */
static enum mgl_start start_again(
    struct mgl_app_process *process, const char **extras, size_t extra_count, struct mgc_error *err)
{
    if (process->in_front)
        return MGL_START_IN_FRONT;
    if (!mgl_app_process_send(process, extras, extra_count, err))
        return MGL_START_FAILED;
    show(process);
    return MGL_START_WARM;
}

enum mgl_start mgl_apps_start(struct mgl_phone *phone, const struct mgl_package *package,
    const struct mgl_component *component, const char **extras, size_t extra_count,
    struct mgc_error *err)
{
    struct mgl_app_process *live = find_process(phone, package, component);
    if (live && component->kind == MGL_ACTIVITY)
        return start_again(live, extras, extra_count, err);
    if (live || start_is_ignored(component)) {
        mgl_phone_log(phone, MGL_LOG_WARN, component->log_tag,
            "already running; the new extras (listen, token, env) are ignored");
        return MGL_START_WARM;
    }
    return start_new(phone, package, component, extras, extra_count, err);
}

void mgl_apps_kill(struct mgl_phone *phone, const struct mgl_package *package)
{
    char mark[MGL_APP_MARK_SIZE];
    pid_t roots[8];
    size_t count = 0;
    mgl_app_process_mark(phone, package, mark);
    for (const struct mgl_app_process *process = phone->apps; process; process = process->next)
        if (process->package == package && count < sizeof(roots) / sizeof(roots[0]))
            roots[count++] = process->child.pid;
    if (mgl_package_is_app(package) && !mgl_procs_kill_app(mark, roots, count))
        mgl_phone_log(phone, MGL_LOG_ERROR, "ActivityManager",
            "processes of %s did not end in time", package->name);
    mgl_loop_reap(&phone->loop); /* the next start must not find what has just ended */
}

void mgl_apps_force_stop(struct mgl_phone *phone, const struct mgl_package *package)
{
    struct mgl_knob knob;
    mgl_phone_log(phone, MGL_LOG_INFO, "ActivityManager", "Force stopping %s appid=%u user=0",
        package->name, mgl_package_uid(package));
    if (!mgl_knob_get("app-survives-stop", &knob))
        mgl_apps_kill(phone, package);
}

bool mgl_apps_busy(const struct mgl_phone *phone)
{
    for (const struct mgl_app_process *process = phone->apps; process; process = process->next)
        if (process->in_front || process->component->kind == MGL_SERVICE)
            return true;
    return false;
}
