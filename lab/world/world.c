#include "lab/world/world.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/world/linkwait.h"
#include "lab/world/ns.h"

enum { TOOL_DEADLINE_MS = 20000, LINK_DEADLINE_MS = 10000 };

static bool write_sysctl(const struct mgc_lab_sysctl *row, struct mgc_error *err)
{
    char path[128];
    snprintf(path, sizeof path, "/proc/sys/net/%s", row->path);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && row->optional)
        return true;
    if (fd < 0)
        return mgc_error_errno(err, errno, "%s", path);
    ssize_t len = (ssize_t)strlen(row->value);
    bool ok = write(fd, row->value, (size_t)len) == len;
    int saved = errno;
    close(fd);
    return ok || mgc_error_errno(err, saved, "%s = %s", path, row->value);
}

/* In the holder: everything that wants to be done from inside the new network namespace. */
static bool furnish(enum mgc_lab_host host, struct mgc_error *err)
{
    struct mgc_lab_sysctl rows[16];
    const char *name = mgc_lab_host_name(host);
    if (unshare(CLONE_NEWNET | CLONE_NEWUTS) < 0)
        return mgc_lab_ns_explain(MGC_LAB_NS_CLONE, errno, "making a host's namespaces", err);
    if (sethostname(name, strlen(name)) < 0)
        return mgc_error_errno(err, errno, "setting a host name");
    if (!mgc_lab_ns_loopback_up(err))
        return false;
    size_t count = mgc_lab_host_sysctls(host, rows, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        if (!write_sysctl(&rows[i], err))
            return false;
    }
    return true;
}

static void hold(enum mgc_lab_host host, int report_fd)
{
    struct mgc_error err = {0};
    setsid();
    bool ok = furnish(host, &err);
    if (write(report_fd, ok ? "" : err.text, ok ? 1 : sizeof err.text) < 0 || !ok)
        _exit(1);
    close(report_fd);
    for (;;)
        pause();
}

static bool start_holder(struct mgc_lab_world *world, enum mgc_lab_host host, struct mgc_error *err)
{
    int report[2];
    char text[MGC_ERROR_TEXT_MAX] = "its holder ended";
    if (pipe2(report, O_CLOEXEC) < 0)
        return mgc_error_errno(err, errno, "making a pipe");
    pid_t pid = fork();
    if (pid == 0)
        hold(host, report[1]);
    int saved = errno;
    close(report[1]);
    ssize_t n = pid > 0 ? read(report[0], text, sizeof text - 1) : 0;
    close(report[0]);
    if (pid < 0)
        return mgc_error_errno(err, saved, "fork");
    if (n != 1)
        return mgc_error_set(err, MGC_E_FAILED, "host %s: %s", mgc_lab_host_name(host), text);
    world->hosts[host].holder = pid;
    return true;
}

/* Open a namespace of the holder and give it a name in the lab's private /run. */
static int name_ns(
    pid_t holder, const char *kind, const char *dir, const char *name, struct mgc_error *err)
{
    char from[64], to[96];
    snprintf(from, sizeof from, "/proc/%d/ns/%s", (int)holder, kind);
    snprintf(to, sizeof to, "%s/%s", dir, name);
    int file = open(to, O_CREAT | O_RDONLY | O_CLOEXEC, 0444);
    if (file >= 0)
        close(file);
    if (file < 0 || mount(from, to, NULL, MS_BIND, NULL) < 0) {
        mgc_error_errno(err, errno, "naming %s as %s", from, to);
        return -1;
    }
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        mgc_error_errno(err, errno, "%s", from);
    return fd;
}

static bool make_host(struct mgc_lab_world *world, enum mgc_lab_host host, struct mgc_error *err)
{
    const char *name = mgc_lab_host_name(host);
    if (!start_holder(world, host, err))
        return false;
    struct mgc_lab_place *place = &world->hosts[host].place;
    pid_t holder = world->hosts[host].holder;
    place->net_fd = name_ns(holder, "net", MGC_LAB_NETNS_DIR, name, err);
    if (place->net_fd < 0)
        return false;
    place->uts_fd = name_ns(holder, "uts", MGC_LAB_UTSNS_DIR, name, err);
    return place->uts_fd >= 0;
}

static bool is_there(const struct mgc_lab_world *world, int host)
{
    return host != MGC_LAB_LINK || !world->plain_link;
}

bool mgc_lab_world_ip(
    struct mgc_lab_world *world, enum mgc_lab_host host, const char *batch, struct mgc_error *err)
{
    static const char *const ip[] = {"ip", "-batch", "-", NULL};
    if (*batch == '\0')
        return true;
    return mgc_lab_run_tool(
               &world->hosts[host].place, ip, batch, mgc_deadline_in_ms(TOOL_DEADLINE_MS), err) ||
           mgc_error_prefix(err, "host %s", mgc_lab_host_name(host));
}

/* Go to the host's network, and come back by go_home; PID 1 has one thread. */
static bool visit(struct mgc_lab_world *world, enum mgc_lab_host host, struct mgc_error *err)
{
    const struct mgc_lab_place net_only = {world->hosts[host].place.net_fd, -1};
    return mgc_lab_enter(&net_only, err);
}

static bool go_home(struct mgc_lab_world *world, struct mgc_error *err)
{
    const struct mgc_lab_place home = {world->own_net_fd, -1};
    return mgc_lab_enter(&home, err);
}

static bool await_links(struct mgc_lab_world *world, struct mgc_error *err)
{
    int64_t deadline = mgc_deadline_in_ms(LINK_DEADLINE_MS);
    for (int host = 0; host < MGC_LAB_HOST_COUNT; host++) {
        if (!is_there(world, host))
            continue;
        if (!visit(world, (enum mgc_lab_host)host, err))
            return false;
        bool ok = mgc_lab_links_wait(mgc_lab_host_links((enum mgc_lab_host)host), deadline, err);
        if (!go_home(world, ok ? err : NULL) || !ok)
            return mgc_error_prefix(err, "host %s", mgc_lab_host_name((enum mgc_lab_host)host));
    }
    return true;
}

static bool run_round(struct mgc_lab_world *world, int round, struct mgc_error *err)
{
    for (int host = 0; host < MGC_LAB_HOST_COUNT; host++) {
        const char *batch = mgc_lab_host_batch((enum mgc_lab_host)host, round);
        if (is_there(world, host) && !mgc_lab_world_ip(world, (enum mgc_lab_host)host, batch, err))
            return false;
    }
    return round != 0 || !world->plain_link ||
           mgc_lab_world_ip(world, MGC_LAB_GW, mgc_lab_host_cable(), err);
}

/* Else one packet may be 64 KB of TCP, which is 52 ms at 10 Mbit/s and too long for a frame. */
static bool plain_frames(struct mgc_lab_world *world, struct mgc_error *err)
{
    static const char *const ethtool[] = {
        "ethtool", "-K", "wlan0", "tso", "off", "gso", "off", "gro", "off", NULL};
    static const enum mgc_lab_host ends[] = {MGC_LAB_GW, MGC_LAB_PHONE};
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !world->plain_link; i++) {
        if (!mgc_lab_run_tool(&world->hosts[ends[i]].place, ethtool, "",
                mgc_deadline_in_ms(TOOL_DEADLINE_MS), err))
            return mgc_error_prefix(err, "host %s", mgc_lab_host_name(ends[i]));
    }
    return true;
}

bool mgc_lab_world_build(struct mgc_lab_world *world, struct mgc_error *err)
{
    world->own_net_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (world->own_net_fd < 0)
        return mgc_error_errno(err, errno, "/proc/self/ns/net");
    for (int host = 0; host < MGC_LAB_HOST_COUNT; host++) {
        if (is_there(world, host) && !make_host(world, (enum mgc_lab_host)host, err))
            return false;
    }
    for (int round = 0; round < MGC_LAB_LINK_ROUNDS; round++) {
        if (!run_round(world, round, err))
            return false;
    }
    return plain_frames(world, err) && await_links(world, err);
}

void mgc_lab_world_loopback(struct mgc_lab_world *world)
{
    world->loopback = world->plain_link = true;
    for (int host = 0; host < MGC_LAB_HOST_COUNT; host++)
        world->hosts[host].place = (struct mgc_lab_place){-1, -1};
}

static int listen_here(unsigned port, struct mgc_error *err)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int one = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
        bind(fd, (struct sockaddr *)&any, sizeof any) == 0 && listen(fd, 128) == 0)
        return fd;
    mgc_error_errno(err, errno, "listening on port %u", port);
    if (fd >= 0)
        close(fd);
    return -1;
}

int mgc_lab_world_listen(
    struct mgc_lab_world *world, enum mgc_lab_host host, unsigned port, struct mgc_error *err)
{
    if (!visit(world, host, err))
        return -1;
    int fd = listen_here(port, err);
    if (go_home(world, fd < 0 ? NULL : err))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

bool mgc_lab_world_set_proxy(
    struct mgc_lab_world *world, enum mgc_lab_proxy_mode mode, struct mgc_error *err)
{
    static const char *const nft[] = {"nft", "-f", "-", NULL};
    return mgc_lab_run_tool(&world->hosts[MGC_LAB_PROXY].place, nft, mgc_lab_proxy_rules(mode),
               mgc_deadline_in_ms(TOOL_DEADLINE_MS), err) &&
           mgc_lab_run_tool(&world->hosts[MGC_LAB_WSL].place, nft, mgc_lab_proxy_wsl_rules(mode),
               mgc_deadline_in_ms(TOOL_DEADLINE_MS), err);
}
