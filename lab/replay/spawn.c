#include "lab/replay/spawn.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/plat/net.h"

enum { ENV_MAX = 1024, OWN_VARIABLES = 3, NAME_MODULUS = 1000000 };

/* "@name" stands for the abstract name "\0name"; the length is part of it. */
static bool address_of(const char *name, struct sockaddr_un *ret_address, socklen_t *ret_len)
{
    size_t len = strlen(name);
    if (name[0] != '@' || len < 2 || len > sizeof(ret_address->sun_path))
        return false;
    *ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(ret_address->sun_path + 1, name + 1, len - 1);
    *ret_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    return true;
}

static bool listen_at(struct mgr_spawn *spawn, struct mgc_error *err)
{
    struct sockaddr_un address;
    socklen_t len;
    snprintf(spawn->name, sizeof(spawn->name), "@mgl-%d-%06d", (int)getpid(),
        (int)(mgc_wall_ns() / MGC_NS_PER_US % NAME_MODULUS));
    spawn->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (spawn->listener < 0 || !address_of(spawn->name, &address, &len) ||
        bind(spawn->listener, (struct sockaddr *)&address, len) != 0 ||
        listen(spawn->listener, 1) != 0)
        return mgc_error_errno(err, errno, "cannot listen at %s", spawn->name);
    return true;
}

/* The environment of the server; entries of our own are in `own`. NULL: too many variables. */
static char **make_environment(char own[OWN_VARIABLES][640], const char *const *from)
{
    static const char *const gone[] = {
        "MOBILEGL_IPC_", "MOBILEGL_TRANSPORT=", "MOBILEGL_LOG_FILE_PATH="};
    char **env = calloc(ENV_MAX, sizeof(*env));
    size_t count = 0;
    for (; env && *from && count < ENV_MAX - OWN_VARIABLES - 1; from++) {
        bool keep = true;
        for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
            keep = keep && strncmp(*from, gone[i], strlen(gone[i])) != 0;
        if (keep)
            env[count++] = (char *)*from;
    }
    for (int i = 0; env && i < OWN_VARIABLES; i++)
        env[count++] = own[i];
    return env;
}

/* Between fork and exec in a process that has threads: system calls only. */
_Noreturn static void become_server(const char *image, char **env, pid_t parent)
{
    char *argv[] = {(char *)image, NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        execve(image, argv, env);
    _exit(127);
}

static bool fork_server(
    struct mgr_spawn *spawn, const char *image, const char *log_base, struct mgc_error *err)
{
    extern char **environ;
    char own[OWN_VARIABLES][640];
    snprintf(own[0], sizeof(own[0]), "MOBILEGL_IPC_ROLE=server");
    snprintf(own[1], sizeof(own[1]), "MOBILEGL_IPC_DIAL=%s", spawn->name);
    snprintf(own[2], sizeof(own[2]), "MOBILEGL_LOG_FILE_PATH=%s", log_base ? log_base : "");
    char **env = make_environment(own, (const char *const *)environ);
    if (!env)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the server's environment");
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become_server(image, env, parent);
    int errnum = errno;
    free(env);
    if (pid < 0)
        return mgc_error_errno(err, errnum, "fork");
    spawn->pid = pid;
    spawn->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    return spawn->pidfd >= 0 || mgc_error_errno(err, errno, "pidfd_open");
}

bool mgr_spawn_start(
    struct mgr_spawn *spawn, const char *image, const char *log_base, struct mgc_error *err)
{
    *spawn = (struct mgr_spawn)MGR_SPAWN_INIT;
    if (!image || !*image)
        return mgc_error_set(err, MGC_E_USAGE,
            "MOBILEGL_IPC_CONTROL=fork needs the server's image in MOBILEGL_IPC_SERVER_PATH");
    if (access(image, X_OK) != 0)
        return mgc_error_errno(err, errno, "MOBILEGL_IPC_SERVER_PATH=%s", image);
    return listen_at(spawn, err) && fork_server(spawn, image, log_base, err);
}

/* Somebody else who connects to the name is no server of ours. */
static bool is_ours(const struct mgr_spawn *spawn, int socket)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.pid == spawn->pid;
}

int mgr_spawn_accept(struct mgr_spawn *spawn, int64_t deadline_ns, struct mgc_error *err)
{
    struct mgc_error why = {0};
    for (;;) {
        mgc_socket socket = mgc_net_accept(spawn->listener, deadline_ns, spawn->pidfd, &why);
        if (socket == MGC_SOCKET_NONE)
            break;
        if (is_ours(spawn, (int)socket))
            return (int)socket;
        mgc_net_close(socket);
    }
    if (why.code == MGC_E_CANCELLED) {
        mgr_spawn_end(spawn, deadline_ns);
        mgc_error_set(
            err, MGC_E_LOST, "the forked server ended before it dialled: %s", spawn->ending);
    } else {
        mgc_error_set(err, why.code, "the forked server does not dial: %s", why.text);
    }
    return -1;
}

static void reap(struct mgr_spawn *spawn)
{
    int status = 0;
    if (waitpid(spawn->pid, &status, 0) != spawn->pid)
        snprintf(spawn->ending, sizeof(spawn->ending), "unknown, somebody else waited for it");
    else if (WIFEXITED(status))
        snprintf(spawn->ending, sizeof(spawn->ending), "exit code %d", WEXITSTATUS(status));
    else
        snprintf(spawn->ending, sizeof(spawn->ending), "signal %d", WTERMSIG(status));
    spawn->pid = 0;
}

bool mgr_spawn_end(struct mgr_spawn *spawn, int64_t deadline_ns)
{
    bool by_itself = true;
    if (spawn->pid && spawn->pidfd >= 0) {
        struct pollfd fd = {.fd = spawn->pidfd, .events = POLLIN};
        while (
            poll(&fd, 1, mgc_deadline_poll_ms(deadline_ns)) < 1 && !mgc_deadline_past(deadline_ns))
            ;
        by_itself = fd.revents != 0;
    }
    if (spawn->pid) {
        kill(spawn->pid, SIGKILL); /* a zombie does not mind */
        reap(spawn);
    }
    if (spawn->pidfd >= 0)
        close(spawn->pidfd);
    if (spawn->listener >= 0)
        close(spawn->listener);
    spawn->pidfd = spawn->listener = -1;
    return by_itself && strcmp(spawn->ending, "exit code 0") == 0;
}

int mgr_spawn_dial(const char *name, struct mgc_error *err)
{
    struct sockaddr_un address;
    socklen_t len;
    if (!address_of(name, &address, &len)) {
        mgc_error_set(err, MGC_E_USAGE, "MOBILEGL_IPC_DIAL=%s is not @name", name);
        return -1;
    }
    /* A local connect does not wait: the listener has room, or it is gone. */
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, len) == 0)
        return fd;
    mgc_error_errno(err, errno, "dial %s", name);
    if (fd >= 0)
        close(fd);
    return -1;
}
