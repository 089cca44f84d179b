#include "lab/phone/app_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "lab/phone/app/channel.h"
#include "lab/phone/log_server.h"
#include "lab/phone/phone.h"
#include "lab/phone/procs.h"
#include "lab/phone/spawn.h"

static void note(const struct mgl_app_process *process, int64_t mono_ns, const char *event)
{
    const struct mgl_journal_key keys[] = {{"package", process->package->name, 0},
        {"process", process->component->process_suffix, 0}, {"pid", NULL, process->pid}, {0}};
    mgl_journal_write(process->phone->journal_fd, mono_ns, event, keys);
}

/* What the process says; an end of file comes before or after the end of the child. */
static void channel_ready(struct mgl_watch *watch, uint32_t events)
{
    struct mgl_app_process *process = watch->arg;
    char packet[MGL_CHANNEL_REPORT_MAX], what[MGL_CHANNEL_REPORT_MAX];
    int64_t number;
    ssize_t got = recv(watch->fd, packet, sizeof(packet), MSG_DONTWAIT);
    if (got <= 0) {
        if (got == 0 || (errno != EAGAIN && errno != EINTR))
            mgl_watch_set(watch, 0);
        return;
    }
    if (!mgl_channel_report_parse(packet, (size_t)got, what, &number))
        return;
    if (strcmp(what, MGL_REPORT_RESULT) == 0)
        note(process, number, "result-closed");
    else if (strcmp(what, MGL_REPORT_FINISHED) == 0) {
        process->in_front = false;
        mgl_sys_state_busy(process->phone);
        note(process, mgc_mono_ns(), "activity-end");
    }
}

static void process_ended(struct mgl_child *child, int status)
{
    struct mgl_app_process *process = child->arg, **at = &process->phone->apps;
    while (*at != process)
        at = &(*at)->next;
    *at = process->next;
    int fd = process->channel.fd;
    char first;
    while (recv(fd, &first, 1, MSG_DONTWAIT | MSG_PEEK) > 0)
        channel_ready(&process->channel, EPOLLIN); /* what it said before its end */
    mgl_timer_stop(&process->death);
    mgl_watch_remove(&process->channel);
    close(fd);
    mgl_sys_state_busy(process->phone);
    note(process, mgc_mono_ns(), "app-end");
    mgl_phone_log(process->phone, MGL_LOG_INFO, "ActivityManager", "Process %s%s has died: %s %d",
        process->package->name, process->component->process_suffix,
        WIFSIGNALED(status) ? "signal" : "exit code",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    free(process);
}

/* The request travels through the channel, not through arguments or environment: `ps` must show an
 * Android process name only, and the token is nobody's business. One packet holds all of it, so
 * writing never waits. */
static bool send_request(int fd, const struct mgl_package *package,
    const struct mgl_component *component, const char **extras, size_t extra_count,
    struct mgc_error *err)
{
    const char *words[MGL_CONTROL_WORDS_MAX + 2] = {package->name, component->class_name};
    memcpy(words + 2, extras, extra_count * sizeof(*extras));
    struct mgc_buf request = {0};
    bool ok =
        mgl_control_append_request(&request, words) &&
        send(fd, request.data, request.len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)request.len;
    if (!ok)
        mgc_error_errno(err, errno, "hand the request to %s", package->name);
    mgc_buf_destroy(&request);
    return ok;
}

void mgl_app_process_mark(const struct mgl_phone *phone, const struct mgl_package *package,
    char ret_mark[MGL_APP_MARK_SIZE])
{
    snprintf(ret_mark, MGL_APP_MARK_SIZE, "%s@%s", package->name, phone->id);
}

static pid_t spawn_process(const struct mgl_phone *phone, const struct mgl_package *package,
    const struct mgl_component *component, int channel, struct mgc_error *err)
{
    char name[128], home[128], mark[MGL_APP_MARK_SIZE], marker[MGL_APP_MARK_SIZE + 16];
    char home_env[160];
    snprintf(name, sizeof(name), "%s%s", package->name, component->process_suffix);
    snprintf(home, sizeof(home), "/data/user/0/%s", package->name);
    snprintf(home_env, sizeof(home_env), "HOME=%s", home);
    mgl_app_process_mark(phone, package, mark);
    snprintf(marker, sizeof(marker), MGL_APP_MARKER "=%s", mark);
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
        .in = channel,
        .out = null_fd,
        .err = null_fd,
        .identity = package->identity,
    };
    pid_t pid = mgl_spawn(&spawn, err);
    close(null_fd);
    return pid;
}

static bool open_channel(int pair[2], struct mgc_error *err)
{
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return mgc_error_errno(err, errno, "make a channel to an app");
    int size = 2 * MGL_CHANNEL_PACKET_MAX;
    for (int i = 0; i < 2; i++)
        setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
    return true;
}

static void attach(struct mgl_app_process *process, pid_t pid, int channel)
{
    struct mgl_phone *phone = process->phone;
    process->next = phone->apps;
    phone->apps = process;
    process->pid = pid;
    mgl_child_add(&phone->loop, &process->child, pid);
    mgl_watch_add(&phone->loop, &process->channel, channel, EPOLLIN);
    note(process, mgc_mono_ns(), "app-start");
    mgl_phone_log(phone, MGL_LOG_INFO, "ActivityManager",
        "Start proc %d:%s%s/u0a%u for component {%s/%s}", (int)pid, process->package->name,
        process->component->process_suffix, mgl_package_uid(process->package) - 10000,
        process->package->name, process->component->class_name);
}

struct mgl_app_process *mgl_app_process_start(struct mgl_phone *phone,
    const struct mgl_package *package, const struct mgl_component *component, const char **extras,
    size_t extra_count, struct mgc_error *err)
{
    int pair[2];
    if (!open_channel(pair, err))
        return NULL;
    struct mgl_app_process *process = calloc(1, sizeof(*process));
    pid_t pid = -1;
    if (process && send_request(pair[0], package, component, extras, extra_count, err))
        pid = spawn_process(phone, package, component, pair[1], err);
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        free(process);
        return NULL;
    }
    *process = (struct mgl_app_process){.child = {.ended = process_ended, .arg = process},
        .channel = {.ready = channel_ready, .arg = process},
        .phone = phone,
        .package = package,
        .component = component};
    attach(process, pid, pair[0]);
    return process;
}

bool mgl_app_process_send(
    struct mgl_app_process *process, const char **extras, size_t extra_count, struct mgc_error *err)
{
    return send_request(
        process->channel.fd, process->package, process->component, extras, extra_count, err);
}
