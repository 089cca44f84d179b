/* The hosts of a running lab: their namespaces, links, addresses and routes. PID 1 only. */
#ifndef MGC_LAB_WORLD_H
#define MGC_LAB_WORLD_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "lab/world/hosts.h"
#include "lab/world/proxymode.h"
#include "lab/world/spawn.h"

/* Port of an adb server that shares its network with others: the first one of the lab. */
enum { MGC_LAB_LOOPBACK_ADB_PORT = 15037 };

struct mgc_lab_world {
    struct {
        pid_t holder;               /* keeps the host's namespaces; 0: none */
        struct mgc_lab_place place; /* owned descriptors */
    } hosts[MGC_LAB_HOST_COUNT];
    bool loopback;   /* there are no hosts, only this machine */
    bool plain_link; /* a cable between gw and phone, and no host `link` */
    int own_net_fd;  /* PID 1's own network, to come back to */
};

/* Where the namespaces of a host are found inside the lab's mounts. */
#define MGC_LAB_NETNS_DIR "/run/netns"
#define MGC_LAB_UTSNS_DIR "/run/mglab/uts"

/* Make all hosts and their links; plain_link is set before. Nothing need be undone: it goes with
 * PID 1. */
bool mgc_lab_world_build(struct mgc_lab_world *world, struct mgc_error *err);

/* Instead of building: no host at all. */
void mgc_lab_world_loopback(struct mgc_lab_world *world);

/* Lines for `ip -batch -` in a host; "" is success. */
bool mgc_lab_world_ip(
    struct mgc_lab_world *world, enum mgc_lab_host host, const char *batch, struct mgc_error *err);

/* A listening TCP socket on a port of all addresses of a host; -1 on failure. It outlives the
 * program that it is passed to, so a restart loses no connection request. */
int mgc_lab_world_listen(
    struct mgc_lab_world *world, enum mgc_lab_host host, unsigned port, struct mgc_error *err);

bool mgc_lab_world_set_proxy(
    struct mgc_lab_world *world, enum mgc_lab_proxy_mode mode, struct mgc_error *err);

#endif
