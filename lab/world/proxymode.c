#include "lab/world/proxymode.h"

#include <string.h>

#include "lab/world/hosts.h"
#include "lab/world/roster.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
#define RELAY    40099
#define SERVICE  40613
_Static_assert(RELAY == MGC_LAB_RELAY_PORT, "the rules name the relay's port");
_Static_assert(SERVICE == (int)MGC_LAB_SERVICE_PORT, "the rules name the service port");
_Static_assert((int)MGC_LAB_PORTS_FROM == 21001 && (int)MGC_LAB_PORTS_TO == 21064,
    "the rules name the service ports of several phones");

/* `add` before `delete` makes the deletion succeed when there was no table yet. */
#define RESET                                                                                      \
    "add table ip mglab\n"                                                                         \
    "delete table ip mglab\n"

/* nft wants the end of a line before every brace that closes. */
#define TABLE(chains)     RESET "table ip mglab {\n" chains "}\n"
#define CHAIN(hook, rule) "chain " hook "\n" rule "\n}\n"
#define NAT               "nat {\ntype nat hook prerouting priority dstnat; policy accept;"
#define RAW               "raw {\ntype filter hook prerouting priority raw; policy accept;"
#define PASS              "pass {\ntype filter hook forward priority filter; policy accept;"
#define LISTEN            "listen {\ntype filter hook input priority filter; policy accept;"

#define FOREIGN    "iifname \"eth0\" ip daddr != " MGC_LAB_PROXY_LAN " "
#define TO_RELAY   "redirect to :" TEXT(RELAY)
#define SERVICES   "{ " TEXT(SERVICE) ", 21001-21064\n}"
#define TO_SERVICE "tcp dport " SERVICES " "

/* A refusal that the proxy makes up looks like the phone's own: same addresses, same ports. What
 * gives it away is the time that it takes. */
#define FORGED FOREIGN "meta l4proto tcp tcp dport != " SERVICES " reject with tcp reset"

static const struct {
    const char *name;
    const char *rules;
} modes[MGC_LAB_PROXY_MODE_COUNT] = {
    [MGC_LAB_PROXY_ACCEPT_ALL] = {"accept-all",
        TABLE(CHAIN(NAT, FOREIGN "meta l4proto tcp " TO_RELAY))},
    [MGC_LAB_PROXY_SERVICE_PORT] = {"service-port", TABLE(CHAIN(NAT, FOREIGN TO_SERVICE TO_RELAY))},
    [MGC_LAB_PROXY_FORGE] = {"forge",
        TABLE(CHAIN(NAT, FOREIGN TO_SERVICE TO_RELAY) CHAIN(PASS, FORGED))},
    [MGC_LAB_PROXY_FORWARD] = {"forward", RESET},
    /* Before conntrack, so that connections made in another mode fall silent too. */
    [MGC_LAB_PROXY_DROP] = {"drop", TABLE(CHAIN(RAW, FOREIGN "drop"))},
    [MGC_LAB_PROXY_UNREACHABLE] = {"unreachable",
        TABLE(CHAIN(PASS, FOREIGN "reject with icmp type host-unreachable"))},
    [MGC_LAB_PROXY_SILENCE] = {"silence", RESET},
};

const char *mgc_lab_proxy_mode_name(enum mgc_lab_proxy_mode mode)
{
    return modes[mode].name;
}

bool mgc_lab_proxy_mode_parse(
    const char *text, enum mgc_lab_proxy_mode *ret_mode, struct mgc_error *err)
{
    for (int i = 0; i < MGC_LAB_PROXY_MODE_COUNT; i++) {
        if (strcmp(modes[i].name, text) == 0) {
            *ret_mode = (enum mgc_lab_proxy_mode)i;
            return true;
        }
    }
    return mgc_error_set(err, MGC_E_USAGE,
        "fault proxy-mode: \"%s\" is no mode, expected accept-all, service-port, forge, forward, "
        "drop, unreachable or silence",
        text);
}

const char *mgc_lab_proxy_rules(enum mgc_lab_proxy_mode mode)
{
    return modes[mode].rules;
}

/* From the phone only: a worker's own connections in the lab's LAN stay as they are. */
const char *mgc_lab_proxy_wsl_rules(enum mgc_lab_proxy_mode mode)
{
    return mode == MGC_LAB_PROXY_SILENCE ? TABLE(CHAIN(LISTEN, "ip saddr " MGC_LAB_PHONES_WLAN
                                                               " tcp flags & rst == rst drop"))
                                         : RESET;
}
