/* The machines of the lab: their names, and what each one's network looks like. `link` is none of
 * them: the namespace of the link emulator, between the gateway's and the phone's wlan0.
 *
 * Topology and addresses are drawn in docs/lab.md. Everything here is pure text; world.c carries
 * it out. A host is a network and a UTS namespace; mounts and processes are shared by the lab.
 */
#ifndef MGC_LAB_HOSTS_H
#define MGC_LAB_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

enum mgc_lab_host {
    MGC_LAB_WINHOST,
    MGC_LAB_WSL,
    MGC_LAB_GW,
    MGC_LAB_PROXY,
    MGC_LAB_PHONE,
    MGC_LAB_LINK,
    MGC_LAB_HOST_COUNT
};

#define MGC_LAB_PHONE_USB   "10.99.0.2"
#define MGC_LAB_PHONE_WLAN  "192.168.21.181"
#define MGC_LAB_PHONES_WLAN "192.168.21.128/25" /* several phones, from the one above on */
#define MGC_LAB_WSL_LAN     "192.168.31.20"
#define MGC_LAB_PROXY_LAN   "192.168.31.2"
#define MGC_LAB_GATEWAY_LAN "192.168.31.1"

enum {
    MGC_LAB_ADB_PORT = 5555,
    MGC_LAB_BUS_PORT = 40700,
    MGC_LAB_SERVICE_PORT = 40613,
    MGC_LAB_SINK_PORT = 40614
};

/* "winhost", "wsl", "gw", "proxy", "phone", "link". */
const char *mgc_lab_host_name(enum mgc_lab_host host);
bool mgc_lab_host_find(const char *name, enum mgc_lab_host *ret_host);

/* What `ip -batch -` reads, in three rounds, because a link must exist before its peer's host can
 * give it an address. Links are made in round 1 (only gw and winhost have any), addresses and
 * bridge ports in round 2, routes in round 3. "" where a host has nothing to do in a round. Peers
 * are named by /run/netns/NAME of the lab. */
enum { MGC_LAB_LINK_ROUNDS = 3 };
const char *mgc_lab_host_batch(enum mgc_lab_host host, int round);
/* For gw, after round 1, in a lab without `link`: a plain cable to the phone. */
const char *mgc_lab_host_cable(void);

/* Interfaces that must be up, ended by NULL; bridge ports before their bridge. */
const char *const *mgc_lab_host_links(enum mgc_lab_host host);

/* Settings below /proc/sys/net to be written before any link exists, so that links inherit them. */
struct mgc_lab_sysctl {
    const char *path; /* relative to /proc/sys/net; NULL ends the list */
    const char *value;
    bool optional; /* may be missing, such as all of IPv6 */
};
/* At most `max` rows are written, without the end row; returns how many. */
size_t mgc_lab_host_sysctls(enum mgc_lab_host host, struct mgc_lab_sysctl *ret_rows, size_t max);

#endif
