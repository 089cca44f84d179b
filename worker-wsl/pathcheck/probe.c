#include "worker-wsl/pathcheck/pathcheck.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"

const unsigned mgc_path_default_ports[3] = {1, 9, 40612};

/* Sockets of the attempts that are under way; poll skips the -1 of those that are over. The last
 * place is the stop signal's. */
struct attempts {
    struct pollfd fds[MGC_PATH_PROBES_MAX + 1];
    int64_t start_ns[MGC_PATH_PROBES_MAX];
    size_t open;
    struct mgc_path_evidence *evidence;
};

static void settle(struct attempts *attempts, size_t i, enum mgc_path_outcome outcome, int errnum)
{
    struct mgc_path_probe *probe = &attempts->evidence->probes[i];
    probe->took_us = (mgc_mono_ns() - attempts->start_ns[i]) / MGC_NS_PER_US;
    probe->outcome = outcome;
    probe->errnum = errnum;
    close(attempts->fds[i].fd);
    attempts->fds[i].fd = -1;
    attempts->open--;
}

static void settle_errno(struct attempts *attempts, size_t i, int errnum)
{
    enum mgc_path_outcome outcome = MGC_PATH_UNREACHABLE;
    if (errnum == 0)
        outcome = MGC_PATH_ACCEPTED;
    else if (errnum == ECONNREFUSED)
        outcome = MGC_PATH_REFUSED;
    else if (errnum == ETIMEDOUT) /* the kernel gave up before our deadline */
        outcome = MGC_PATH_SILENT;
    settle(attempts, i, outcome, outcome == MGC_PATH_SILENT ? 0 : errnum);
}

static void note_source(struct mgc_path_evidence *evidence, int fd)
{
    struct sockaddr_in own = {0};
    socklen_t len = sizeof(own);
    if (!evidence->source[0] && getsockname(fd, (struct sockaddr *)&own, &len) == 0 &&
        own.sin_addr.s_addr != htonl(INADDR_ANY))
        inet_ntop(AF_INET, &own.sin_addr, evidence->source, sizeof(evidence->source));
}

static bool begin(
    struct attempts *attempts, size_t i, struct sockaddr_in peer, struct mgc_error *err)
{
    unsigned port = attempts->evidence->probes[i].port;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return mgc_error_errno(
            err, errno, "path check of %s port %u: socket", attempts->evidence->address, port);
    peer.sin_port = htons((uint16_t)port);
    attempts->fds[i] = (struct pollfd){.fd = fd, .events = POLLOUT};
    attempts->open++;
    attempts->start_ns[i] = mgc_mono_ns();
    int errnum = connect(fd, (struct sockaddr *)&peer, sizeof(peer)) == 0 ? 0 : errno;
    note_source(attempts->evidence, fd);
    if (errnum != EINPROGRESS)
        settle_errno(attempts, i, errnum);
    return true;
}

static void collect(struct attempts *attempts)
{
    for (size_t i = 0; i < attempts->evidence->count; i++) {
        if (attempts->fds[i].fd < 0 || !attempts->fds[i].revents)
            continue;
        int errnum = 0;
        socklen_t len = sizeof(errnum);
        getsockopt(attempts->fds[i].fd, SOL_SOCKET, SO_ERROR, &errnum, &len);
        settle_errno(attempts, i, errnum);
    }
}

static bool await_all(struct attempts *attempts, int64_t deadline_ns, struct mgc_error *err)
{
    const struct pollfd *stop = &attempts->fds[MGC_PATH_PROBES_MAX];
    while (attempts->open && !mgc_deadline_past(deadline_ns)) {
        int ready = poll(attempts->fds, MGC_PATH_PROBES_MAX + 1, mgc_deadline_poll_ms(deadline_ns));
        if (ready < 0 && errno != EINTR)
            return mgc_error_errno(
                err, errno, "path check of %s: poll", attempts->evidence->address);
        if (ready > 0 && stop->revents)
            return mgc_error_set(err, MGC_E_CANCELLED, "path check of %s: asked to stop",
                attempts->evidence->address);
        if (ready > 0)
            collect(attempts);
    }
    return true;
}

static bool check_request(const struct mgc_path_request *request, const unsigned *ports,
    size_t count, struct sockaddr_in *ret_peer, struct mgc_error *err)
{
    *ret_peer = (struct sockaddr_in){.sin_family = AF_INET};
    if (inet_pton(AF_INET, request->address, &ret_peer->sin_addr) != 1)
        return mgc_error_set(err, MGC_E_USAGE,
            "path check of '%.64s': expected an IPv4 address such as 192.168.1.5",
            request->address);
    if (count < 1 || count > MGC_PATH_PROBES_MAX)
        return mgc_error_set(err, MGC_E_USAGE, "path check of %s: %zu ports, expected 1 to %d",
            request->address, count, MGC_PATH_PROBES_MAX);
    for (size_t i = 0; i < count; i++) {
        if (ports[i] < 1 || ports[i] > 65535)
            return mgc_error_set(err, MGC_E_USAGE, "path check of %s: port %u, expected 1 to 65535",
                request->address, ports[i]);
    }
    return true;
}

bool mgc_pathcheck_probe(const struct mgc_path_request *request,
    struct mgc_path_evidence *ret_evidence, struct mgc_error *err)
{
    const unsigned *ports = request->ports ? request->ports : mgc_path_default_ports;
    size_t count = request->ports ? request->port_count : 3;
    struct sockaddr_in peer;
    if (!check_request(request, ports, count, &peer, err))
        return false;
    struct mgc_path_evidence evidence = {
        .timeout_ms = request->timeout_ms ? request->timeout_ms : MGC_PATH_TIMEOUT_MS,
        .count = count,
    };
    snprintf(evidence.address, sizeof(evidence.address), "%s", request->address);
    struct attempts attempts = {.evidence = &evidence};
    for (size_t i = 0; i < MGC_PATH_PROBES_MAX; i++)
        attempts.fds[i].fd = -1;
    attempts.fds[MGC_PATH_PROBES_MAX] = (struct pollfd){.fd = request->stop_fd, .events = POLLIN};

    int64_t deadline_ns = mgc_deadline_in_ms(evidence.timeout_ms);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        evidence.probes[i].port = ports[i];
        ok = begin(&attempts, i, peer, err);
    }
    ok = ok && await_all(&attempts, deadline_ns, err);
    for (size_t i = 0; i < count; i++) {
        if (attempts.fds[i].fd >= 0)
            settle(&attempts, i, MGC_PATH_SILENT, 0);
    }
    if (ok)
        *ret_evidence = evidence;
    return ok;
}
