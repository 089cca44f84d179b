/* libMobileGLServer.so: the render server, an executable despite its name (Android installs only
 * lib*.so files from a package). `libMobileGLServer.so tcp://HOST:PORT --serve` listens; without
 * arguments it is the child of a client (forked.h). */
#include "lab/replay/server.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "lab/replay/fault.h"
#include "lab/replay/forked.h"

enum { TOKEN_MIN = 16 };

static const char *get_variable(const char *name)
{
    return getenv(name);
}

static void note(void *user, enum mgr_level level, const char *text)
{
    mgr_log_line(user, level, "%s", text);
}

static bool is_loopback(const char *host)
{
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 ||
           strcmp(host, "localhost") == 0;
}

/* Alive and never listening: what a start that hangs looks like from outside. */
static int never_listen(struct mgr_server *server, struct mgc_stop *stop)
{
    struct pollfd fd = {.fd = stop->read_fd, .events = POLLIN};
    mgr_log_line(&server->log, MGR_INFO, "MG_Remote server: pid=%d starting", (int)getpid());
    while (!mgc_stop_raised(stop))
        poll(&fd, 1, -1);
    return 0;
}

static int listen_and_serve(struct mgr_server *server, struct mgc_stop *stop)
{
    struct mgc_error err = {0};
    if (!is_loopback(server->host) && strlen(server->env.token) < TOKEN_MIN) {
        mgr_log_line(&server->log, MGR_ERROR,
            "MG_Remote server: a listener on %s needs MOBILEGL_IPC_TOKEN of at least %d bytes",
            server->host, TOKEN_MIN);
        return MGR_EXIT_LISTEN;
    }
    server->listener = mgc_net_listen(server->host, server->port, &err);
    if (server->listener == MGC_SOCKET_NONE ||
        !mgc_net_local_port(server->listener, &server->port, &err)) {
        mgr_log_line(&server->log, MGR_ERROR, "MG_Remote server: %s", err.text);
        return MGR_EXIT_LISTEN;
    }
    /* The level is what field reports show: readiness must survive any log filter. */
    mgr_log_line(&server->log, MGR_ERROR, "MG_Remote server: pid=%d listening on tcp://%s:%u",
        (int)getpid(), server->host, server->port);
    int code = mgr_server_run(server, stop);
    mgc_net_close(server->listener);
    return code;
}

static int serve(struct mgr_server *server)
{
    struct mgc_error err = {0};
    struct mgc_stop *stop = mgc_stop_on_signals(&err);
    mgr_env_read(&server->env, get_variable, NULL, NULL);
    if (!stop || !mgr_log_open(&server->log, server->env.log_base, ".server.log",
                     "libMobileGLServer.so", &err)) {
        fprintf(stderr, "libMobileGLServer.so: %s\n", err.text);
        return MGR_EXIT_ARGUMENTS;
    }
    server->log.to_stderr = server->log.to_logcat = true;
    mgr_env_read(&server->env, get_variable, note, &server->log);
    int code = mgr_fault("server-never-listens") ? never_listen(server, stop)
                                                 : listen_and_serve(server, stop);
    mgr_log_close(&server->log);
    return code;
}

int main(int argc, char **argv)
{
    static struct mgr_server server;
    struct mgc_error err = {0};
    const char *role = getenv("MOBILEGL_IPC_ROLE");
    if (argc == 1 && role && strcmp(role, "server") == 0)
        return mgr_forked_main();
    if (argc != 3 || strcmp(argv[2], "--serve") != 0 ||
        !mgr_env_endpoint(argv[1], server.host, sizeof(server.host), &server.port)) {
        fprintf(stderr, "usage: libMobileGLServer.so tcp://HOST:PORT --serve\n");
        return MGR_EXIT_ARGUMENTS;
    }
    if (!mgc_clock_plant_from_env(&err) || !mgc_random_init(&err)) {
        fprintf(stderr, "libMobileGLServer.so: %s\n", err.text);
        return MGR_EXIT_ARGUMENTS;
    }
    return serve(&server);
}
