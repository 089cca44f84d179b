#include "lab/phone/apps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "lab/knob/knob.h"
#include "lab/phone/control.h"
#include "lab/phone/flood.h"
#include "lab/phone/log_server.h"
#include "lab/phone/phone.h"
#include "lab/phone/procs.h"
#include "lab/phone/spawn.h"

static struct mgl_app_process *find_process(
    struct mgl_phone *phone, const struct mgl_component *component)
{
    struct mgl_app_process *process = phone->apps;
    while (process && process->component != component)
        process = process->next;
    return process;
}

static void process_ended(struct mgl_child *child, int status)
{
    struct mgl_app_process *process = child->arg, **at = &process->phone->apps;
    while (*at != process)
        at = &(*at)->next;
    *at = process->next;
    mgl_phone_log(process->phone, MGL_LOG_INFO, "ActivityManager", "Process %s%s has died: %s %d",
        process->package->name, process->component->process_suffix,
        WIFSIGNALED(status) ? "signal" : "exit code",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    free(process);
}

/* The request travels through a pipe, not through arguments or environment: `ps` must show an
 * Android process name only, and the token is nobody's business. A pipe holds more than the
 * control socket lets through, so writing never waits. */
static int open_request(const struct mgl_package *package, const struct mgl_component *component,
    const char **extras, size_t extra_count, struct mgc_error *err)
{
    const char *words[MGL_CONTROL_WORDS_MAX + 2] = {package->name, component->class_name};
    memcpy(words + 2, extras, extra_count * sizeof(*extras));
    struct mgc_buf request = {0};
    int fds[2] = {-1, -1};
    bool ok = mgl_control_append_request(&request, words) &&
              pipe2(fds, O_CLOEXEC | O_NONBLOCK) == 0 &&
              fcntl(fds[1], F_SETPIPE_SZ, 2 * MGL_CONTROL_REQUEST_MAX) > 0 &&
              write(fds[1], request.data, request.len) == (ssize_t)request.len;
    if (!ok)
        mgc_error_errno(err, errno, "hand the request to %s", package->name);
    if (fds[1] >= 0)
        close(fds[1]);
    mgc_buf_destroy(&request);
    if (!ok && fds[0] >= 0)
        close(fds[0]);
    return ok ? fds[0] : -1;
}

static pid_t spawn_process(const struct mgl_package *package, const struct mgl_component *component,
    int request_fd, struct mgc_error *err)
{
    char name[128], home[128], marker[128], home_env[160];
    snprintf(name, sizeof(name), "%s%s", package->name, component->process_suffix);
    snprintf(home, sizeof(home), "/data/user/0/%s", package->name);
    snprintf(home_env, sizeof(home_env), "HOME=%s", home);
    snprintf(marker, sizeof(marker), MGL_APP_MARKER "=%s", package->name);
    const char *const argv[] = {name, NULL};
    const char *const env[] = {"PATH=/system/bin", "ANDROID_ROOT=/system", "ANDROID_DATA=/data",
        "EXTERNAL_STORAGE=/sdcard", home_env, marker, NULL};
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null_fd < 0) {
        mgc_error_errno(err, errno, "open /dev/null");
        return -1;
    }
    struct mgl_spawn spawn = {
        .path = "/system/bin/mgphone-app",
        .argv = argv,
        .env = env,
        .cwd = "/",
        .in = request_fd,
        .out = null_fd,
        .err = null_fd,
        .identity = MGL_APP,
    };
    pid_t pid = mgl_spawn(&spawn, err);
    close(null_fd);
    return pid;
}

/* The fault server-start-ignored: the answer of a service that runs, from one that does not. */
static bool start_is_ignored(const struct mgl_component *component)
{
    static const char name[] = "server-start-ignored";
    struct mgl_knob knob;
    return component->kind == MGL_SERVICE && mgl_knob_get(name, &knob) &&
           mgl_knob_take(name, &knob);
}

bool mgl_apps_start(struct mgl_phone *phone, const struct mgl_package *package,
    const struct mgl_component *component, const char **extras, size_t extra_count,
    struct mgc_error *err)
{
    if (find_process(phone, component) || start_is_ignored(component)) {
        mgl_phone_log(phone, MGL_LOG_WARN, component->log_tag,
            "already running; the new extras (listen, token, env) are ignored");
        return true;
    }
    struct mgl_app_process *process = calloc(1, sizeof(*process));
    int request_fd = process ? open_request(package, component, extras, extra_count, err) : -1;
    pid_t pid = request_fd >= 0 ? spawn_process(package, component, request_fd, err) : -1;
    if (request_fd >= 0)
        close(request_fd);
    if (pid < 0) {
        free(process);
        return false;
    }
    *process = (struct mgl_app_process){.child = {.ended = process_ended, .arg = process},
        .phone = phone,
        .package = package,
        .component = component,
        .next = phone->apps};
    phone->apps = process;
    mgl_child_add(&phone->loop, &process->child, pid);
    mgl_flood_start(phone);
    mgl_phone_log(phone, MGL_LOG_INFO, "ActivityManager",
        "Start proc %d:%s%s/u0a123 for component {%s/%s}", (int)pid, package->name,
        component->process_suffix, package->name, component->class_name);
    return true;
}

void mgl_apps_kill(struct mgl_phone *phone, const struct mgl_package *package)
{
    pid_t roots[8];
    size_t count = 0;
    for (const struct mgl_app_process *process = phone->apps; process; process = process->next)
        if (process->package == package && count < sizeof(roots) / sizeof(roots[0]))
            roots[count++] = process->child.pid;
    if (package->app && !mgl_procs_kill_app(package->name, roots, count))
        mgl_phone_log(phone, MGL_LOG_ERROR, "ActivityManager",
            "processes of %s did not end in time", package->name);
    mgl_loop_reap(&phone->loop); /* the next start must not find what has just ended */
}

void mgl_apps_force_stop(struct mgl_phone *phone, const struct mgl_package *package)
{
    struct mgl_knob knob;
    mgl_phone_log(phone, MGL_LOG_INFO, "ActivityManager", "Force stopping %s appid=%d user=0",
        package->name, MGL_UID_APP);
    if (!mgl_knob_get("app-survives-stop", &knob))
        mgl_apps_kill(phone, package);
}
