/* MobileGLServerService: runs the render server and passes on what it prints to the log. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "lab/knob/knob.h"
#include "lab/phone/app/components.h"
#include "lab/phone/app/server_env.h"
#include "lab/phone/logd.h"

#define TAG            "MobileGLServer"
#define PROGRAM        "libMobileGLServer.so"
#define DEFAULT_LISTEN "tcp://127.0.0.1:40613"

enum { ENV_MAX = 1024, LINE_MAX_BYTES = 4000 };

struct service {
    pid_t pid;           /* of the server's supervisor process */
    int output;          /* what it prints */
    int signals;         /* SIGCHLD */
    struct mgc_buf line; /* the current, unfinished one */
    bool ended;
    int status;
};

static void say(enum mgl_log_prio prio, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(enum mgl_log_prio prio, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    mgl_logd_write(prio, TAG, text);
}

static void end_line(struct service *service)
{
    if (service->line.len > 0)
        mgl_logd_write(MGL_LOG_INFO, TAG, mgc_buf_text(&service->line));
    mgc_buf_clear(&service->line);
}

/* False when there is nothing to read now or ever again. */
static bool read_output(struct service *service)
{
    char chunk[4096];
    ssize_t got = read(service->output, chunk, sizeof(chunk));
    if (got < 0 && errno == EINTR)
        return true;
    if (got < 0 && errno == EAGAIN)
        return false;
    if (got <= 0) {
        close(service->output);
        service->output = -1; /* poll ignores it */
        return false;
    }
    for (ssize_t i = 0; i < got; i++) {
        if (chunk[i] == '\n' || service->line.len == LINE_MAX_BYTES)
            end_line(service);
        if (chunk[i] != '\n')
            mgc_buf_putc(&service->line, chunk[i]);
    }
    return true;
}

/* Everything that ends below us: the server, and orphans of it (we are their reaper). */
static void reap(struct service *service)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;
    while (read(service->signals, &info, sizeof(info)) > 0)
        ;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid != service->pid)
            continue;
        service->ended = true;
        service->status = status;
    }
}

static bool make_environment(
    const struct mgl_app_request *request, const char *files, const char **ret_env)
{
    static struct mgc_fields fields; /* for the life of the process */
    extern char **environ;
    struct mgl_server_env spec = {
        .base = (const char *const *)environ,
        .files_dir = files,
        .token = mgl_app_request_extra(request, "token", NULL),
        .extra = mgl_app_request_extra(request, "env", NULL),
    };
    struct mgl_knob knob;
    if (mgl_knob_get("server-other-token", &knob) && mgl_knob_take("server-other-token", &knob))
        spec.token = "another-token-than-the-one-that-was-given";
    if (!mgl_server_env_build(&spec, &fields) || fields.count >= ENV_MAX)
        return false;
    for (size_t i = 0; i < fields.count; i++) {
        char *entry;
        if (asprintf(&entry, "%s=%s", fields.items[i].name, fields.items[i].value.string) < 0)
            return false;
        ret_env[i] = entry;
    }
    ret_env[fields.count] = NULL;
    return true;
}

static void exec_server(const struct mgl_app_request *request, const char *files, int output)
{
    static const char *env[ENV_MAX];
    char path[256];
    snprintf(path, sizeof(path), "/data/app/%s/lib/" PROGRAM, request->package);
    const char *listen = mgl_app_request_extra(request, "listen", DEFAULT_LISTEN);
    const char *const argv[] = {path, listen, "--serve", NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (!make_environment(request, files, env) || chdir(files) != 0 || dup2(output, 1) < 0 ||
        dup2(output, 2) < 0) {
        dprintf(output, "cannot prepare the server: %s\n", strerror(errno));
        return;
    }
    execve(path, (char *const *)argv, (char *const *)env);
    printf("cannot run '%s': %s\n", path, strerror(errno));
    fflush(stdout);
}

static bool start_server(struct service *service, const struct mgl_app_request *request)
{
    int fds[2];
    char files[256];
    snprintf(files, sizeof(files), "/data/user/0/%s/files", request->package);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    service->signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    if (service->signals < 0 || pipe2(fds, O_CLOEXEC) != 0)
        return false;
    fcntl(fds[0], F_SETFL, O_NONBLOCK);
    service->output = fds[0];
    service->pid = fork();
    if (service->pid == 0) {
        exec_server(request, files, fds[1]);
        _exit(127);
    }
    close(fds[1]);
    return service->pid > 0;
}

int mgl_server_service(const struct mgl_app_request *request, int channel)
{
    struct service service = {.output = -1, .signals = -1};
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (!start_server(&service, request)) {
        say(MGL_LOG_ERROR, "cannot start the server: %s", strerror(errno));
        return 1;
    }
    say(MGL_LOG_INFO, "server started, pid %d", (int)service.pid);
    while (!service.ended) {
        struct pollfd wait[2] = {
            {.fd = service.output, .events = POLLIN}, {.fd = service.signals, .events = POLLIN}};
        if (poll(wait, 2, -1) < 0 && errno != EINTR)
            break;
        if (wait[0].revents)
            read_output(&service);
        if (wait[1].revents)
            reap(&service);
    }
    while (service.output >= 0 && read_output(&service))
        ;
    end_line(&service);
    say(MGL_LOG_WARN, "server ended: %s %d", WIFSIGNALED(service.status) ? "signal" : "exit code",
        WIFSIGNALED(service.status) ? WTERMSIG(service.status) : WEXITSTATUS(service.status));
    return 0;
}
