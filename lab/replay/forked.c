#include "lab/replay/forked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/replay/fault.h"
#include "lab/replay/fdpass.h"
#include "lab/replay/ring_serve.h"
#include "lab/replay/server.h"
#include "lab/replay/spawn.h"
#include "lab/replay/thread.h"

struct forked {
    struct mgr_env env;
    struct mgr_log log;
    struct mgr_channel control;
    int fds[MGR_SPAWN_FDS];
    struct mgr_ring ring;
    struct mgr_bell bell;
    struct mgr_apply apply;
    char backend[32];
    bool complete;
    struct mgc_error err;
};

static const char *get_variable(const char *name)
{
    return getenv(name);
}

static void note(void *user, enum mgr_level level, const char *text)
{
    mgr_log_line(user, level, "%s", text);
}

static bool open_log(struct forked *forked)
{
    mgr_env_read(&forked->env, get_variable, NULL, NULL);
    if (!mgr_log_open(&forked->log, forked->env.log_base, ".server.log", "libMobileGLServer.so",
            &forked->err))
        return false;
    forked->log.to_logcat = true;
    mgr_env_read(&forked->env, get_variable, note, &forked->log);
    return true;
}

/* Ring and bells; the exit code that says what is missing, 0: all there. */
static int make_segment(struct forked *forked)
{
    int *fds = forked->fds;
    if (!mgr_ring_create_shared(&forked->ring, forked->env.ring_mb, forked->env.stage_mb,
            &fds[MGR_SPAWN_RING], &forked->err))
        return MGR_EXIT_SEGMENT;
    fds[MGR_SPAWN_CLIENT_BELL] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    fds[MGR_SPAWN_SERVER_BELL] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fds[MGR_SPAWN_CLIENT_BELL] < 0 || fds[MGR_SPAWN_SERVER_BELL] < 0) {
        mgc_error_set(&forked->err, MGC_E_FAILED, "no event counters for a ring");
        return MGR_EXIT_BELL;
    }
    forked->bell = (struct mgr_bell){.ring_fd = fds[MGR_SPAWN_CLIENT_BELL],
        .wait_fd = fds[MGR_SPAWN_SERVER_BELL],
        .peer_fd = (int)forked->control.socket,
        .spin_us = forked->env.spin_us};
    mgr_ring_bell_server(&forked->ring, &forked->bell);
    return 0;
}

static bool dial(struct forked *forked, const char *name)
{
    int socket = mgr_spawn_dial(name, &forked->err);
    if (socket >= 0)
        mgr_channel_init(&forked->control, socket);
    return socket >= 0;
}

static bool refuse(struct forked *forked, const char *code, const char *detail)
{
    struct mgr_msg msg = {.kind = MGR_MSG_REFUSE};
    snprintf(msg.code, sizeof(msg.code), "%s", code);
    snprintf(msg.detail, sizeof(msg.detail), "%s", detail);
    mgr_channel_send(&forked->control, &msg, mgc_deadline_in_ms(forked->env.cold_start_ms), NULL);
    return mgc_error_set(&forked->err, MGC_E_DENIED, "Refuse{%s} %s", code, detail);
}

static bool take_hello(struct forked *forked, struct mgr_msg *ret_hello)
{
    int64_t deadline_ns = mgc_deadline_in_ms(forked->env.cold_start_ms);
    if (!mgr_channel_receive(&forked->control, ret_hello, deadline_ns, &forked->err))
        return false;
    if (ret_hello->kind != MGR_MSG_HELLO)
        return mgc_error_set(&forked->err, MGC_E_PROTOCOL, "no HELLO first");
    if (ret_hello->version != MGR_PROTO_VERSION)
        return refuse(forked, "ProtocolMismatch", "another session protocol version");
    if (forked->env.backend[0] && strcmp(forked->env.backend, ret_hello->backend) != 0)
        return refuse(forked, "Backend", "this server is pinned to another backend");
    snprintf(forked->backend, sizeof(forked->backend), "%s", ret_hello->backend);
    return true;
}

static void apply_main(void *arg)
{
    struct forked *forked = arg;
    struct mgr_msg ready = {.kind = MGR_MSG_READY, .pid = (uint32_t)getpid()};
    mgr_log_thread(&forked->log, MGR_APPLY_THREAD);
    mgr_apply_log_ready(&forked->apply, forked->backend, "unix", "shm");
    forked->complete = mgr_channel_send(&forked->control, &ready,
                           mgc_deadline_in_ms(forked->env.cold_start_ms), &forked->err) &&
                       mgr_ring_serve(&forked->ring, &forked->bell, &forked->apply, &forked->err);
    if (forked->complete)
        mgr_apply_end(&forked->apply);
}

static int session(struct forked *forked)
{
    struct mgr_msg hello;
    int64_t planted;
    if (!take_hello(forked, &hello))
        return MGR_EXIT_HELLO;
    forked->apply =
        (struct mgr_apply){.env = &forked->env, .log = &forked->log, .own_process = true};
    if (!mgr_apply_init(&forked->apply, hello.width, hello.height, &forked->err))
        return MGR_EXIT_BACKEND;
    if (!mgr_thread_run(MGR_APPLY_THREAD, apply_main, forked, &forked->err) || !forked->complete)
        return MGR_EXIT_LOOP;
    return mgr_fault_number("server-bad-exit", MGR_EXIT_LOOP, &planted) ? (int)planted & 0xff : 0;
}

static int run(struct forked *forked)
{
    const char *name = getenv("MOBILEGL_IPC_DIAL");
    if (!name || !*name) {
        mgc_error_set(&forked->err, MGC_E_USAGE, "MOBILEGL_IPC_DIAL is not set");
        return MGR_EXIT_DIAL;
    }
    if (getenv("MOBILEGL_TRANSPORT")) {
        mgc_error_set(&forked->err, MGC_E_USAGE, "MOBILEGL_TRANSPORT is a client's variable");
        return MGR_EXIT_FORBIDDEN;
    }
    if (!dial(forked, name))
        return MGR_EXIT_HELLO;
    int code = make_segment(forked);
    if (code)
        return code;
    if (!mgr_fdpass_send((int)forked->control.socket, forked->fds, MGR_SPAWN_FDS, &forked->err))
        return MGR_EXIT_HELLO;
    return session(forked);
}

int mgr_forked_main(void)
{
    static struct forked forked = {.control.socket = MGC_SOCKET_NONE};
    if (!open_log(&forked)) {
        fprintf(stderr, "libMobileGLServer.so: %s\n", forked.err.text);
        return MGR_EXIT_ARGUMENTS;
    }
    int code = run(&forked);
    if (code)
        mgr_log_line(&forked.log, MGR_ERROR, "MG_Remote server: pid=%d ends with %d: %s",
            (int)getpid(), code, forked.err.code ? forked.err.text : "planted by the lab");
    mgr_apply_destroy(&forked.apply);
    mgr_ring_close(&forked.ring);
    mgr_channel_destroy(&forked.control);
    mgr_log_close(&forked.log);
    return code;
}
