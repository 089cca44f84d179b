#include "lab/phone/services.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/parse.h"
#include "lab/phone/phone.h"
#include "lab/phone/pump.h"
#include "lab/phone/shell.h"
#include "lab/phone/spawn.h"
#include "lab/phone/syncd.h"

enum { SYNC_BUFFER = 1 << 20, CONNECT_WAIT_S = 2 };

static int run_sync(void *arg)
{
    return mgl_syncd_run(0);
}

static void open_sync(struct mgl_phone *phone, struct mgl_stream *stream)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        mgl_stream_refuse(stream);
        return;
    }
    int size = SYNC_BUFFER;
    for (int i = 0; i < 2; i++)
        setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
    struct mgl_spawn spawn = {
        .function = run_sync,
        .cwd = "/",
        .in = pair[1],
        .out = pair[1],
        .err = STDERR_FILENO,
        .identity = MGL_SHELL,
    };
    struct mgc_error err;
    pid_t pid = mgl_spawn(&spawn, &err);
    close(pair[1]);
    if (pid < 0) {
        mgc_warn("adb sync: %s, refusing the stream", err.text);
        close(pair[0]);
        mgl_stream_refuse(stream);
        return;
    }
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    mgl_pump_start(&phone->loop, stream, pair[0], pid);
}

/* The target is on this machine, so the answer is immediate unless its backlog is full. */
static int connect_to(int family, const void *address, socklen_t len)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    struct timeval wait = {.tv_sec = CONNECT_WAIT_S};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    if (connect(fd, address, len) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0)
        return fd;
    close(fd);
    return -1;
}

static int connect_tcp(const char *port_text)
{
    int64_t port;
    if (!mgc_parse_int(port_text, 1, 65535, &port))
        return -1;
    struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return connect_to(AF_INET, &address, sizeof(address));
}

static int connect_unix(const char *name, bool abstract)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t len = strlen(name);
    if (len + 2 > sizeof(address.sun_path))
        return -1;
    memcpy(address.sun_path + (abstract ? 1 : 0), name, len);
    return connect_to(
        AF_UNIX, &address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1));
}

/* Targets of `adb forward`. False when the name is none of them. */
static bool open_socket(struct mgl_phone *phone, struct mgl_stream *stream, const char *name)
{
    int fd;
    if (strncmp(name, "tcp:", 4) == 0)
        fd = connect_tcp(name + 4);
    else if (strncmp(name, "localabstract:", 14) == 0)
        fd = connect_unix(name + 14, true);
    else if (strncmp(name, "localfilesystem:", 16) == 0)
        fd = connect_unix(name + 16, false);
    else
        return false;
    if (fd < 0)
        mgl_stream_refuse(stream);
    else
        mgl_pump_start(&phone->loop, stream, fd, 0);
    return true;
}

static bool open_shell(struct mgl_phone *phone, struct mgl_stream *stream, const char *name)
{
    char *copy = strdup(name);
    struct mgl_shell_request request;
    bool is_shell = copy && mgl_shell_parse(copy, &request);
    if (is_shell) {
        mgl_sys_state_settle(phone);
        mgl_shell_open(&phone->loop, stream, &request);
    }
    free(copy);
    return is_shell;
}

static void open_now(struct mgl_phone *phone, struct mgl_stream *stream, const char *name)
{
    mgc_debug("adb stream %u opens '%s'", stream->local_id, name);
    if (strcmp(name, "sync:") == 0)
        open_sync(phone, stream);
    else if (!open_shell(phone, stream, name) && !open_socket(phone, stream, name))
        mgl_stream_refuse(stream);
}

/* A stream that waits for what its opening costs. */
struct opening {
    struct mgl_timer timer;
    struct mgl_phone *phone;   /* borrowed */
    struct mgl_stream *stream; /* borrowed */
    char name[];
};

static void opening_free(struct opening *opening)
{
    opening->stream->ops = NULL;
    mgl_timer_stop(&opening->timer);
    free(opening);
}

static void opening_data(struct mgl_stream *stream, const uint8_t *data, size_t len)
{
    /* before our OKAY the host must not send; what it sends all the same is dropped */
}

static void opening_room(struct mgl_stream *stream)
{
}

static void opening_closed(struct mgl_stream *stream)
{
    opening_free(stream->service);
}

static void opening_over(struct mgl_timer *timer)
{
    struct opening *opening = timer->arg;
    struct mgl_phone *phone = opening->phone;
    struct mgl_stream *stream = opening->stream;
    stream->ops = NULL;
    open_now(phone, stream, opening->name);
    free(opening);
}

/* The service without its arguments and the first word of a command: an argument may be a secret.
 */
static void note_opening(const struct mgl_phone *phone, const char *name)
{
    const char *colon = strchr(name, ':');
    char service[32], command[32];
    snprintf(service, sizeof(service), "%.*s", (int)(colon ? colon - name : 31), name);
    snprintf(command, sizeof(command), "%.*s", colon ? (int)strcspn(colon + 1, " ;='\"") : 0,
        colon ? colon + 1 : "");
    const struct mgl_journal_key keys[] = {{"service", service, 0}, {"command", command, 0}, {0}};
    mgl_journal_write(phone->journal_fd, mgc_mono_ns(), "adb-stream", keys);
}

void mgl_service_open(struct mgl_stream *stream, const char *name, void *arg)
{
    static const struct mgl_stream_ops ops = {opening_data, opening_room, opening_closed};
    struct mgl_phone *phone = arg;
    note_opening(phone, name);
    int64_t wait_ns = phone->latency->open_ms * MGC_NS_PER_MS;
    struct opening *opening = wait_ns ? calloc(1, sizeof(*opening) + strlen(name) + 1) : NULL;
    if (!opening) {
        open_now(phone, stream, name);
        return;
    }
    *opening = (struct opening){
        .timer = {.fired = opening_over, .arg = opening}, .phone = phone, .stream = stream};
    strcpy(opening->name, name);
    stream->ops = &ops;
    stream->service = opening;
    if (!mgl_timer_start(&phone->loop, &opening->timer, wait_ns))
        opening_over(&opening->timer);
}
