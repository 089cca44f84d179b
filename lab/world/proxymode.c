#include "lab/world/proxymode.h"

#include <string.h>

#include "lab/world/hosts.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
#define PORT     40099
_Static_assert(PORT == MGC_LAB_RELAY_PORT, "the rules name the relay's port");

/* `add` before `delete` makes the deletion succeed when there was no table yet. */
#define RESET                                                                                      \
    "add table ip mglab\n"                                                                         \
    "delete table ip mglab\n"

static const struct {
    const char *name;
    const char *rules;
} modes[MGC_LAB_PROXY_MODE_COUNT] = {
    [MGC_LAB_PROXY_ACCEPT_ALL] = {"accept-all",
        RESET "table ip mglab {\n"
              "  chain in {\n"
              "    type nat hook prerouting priority dstnat; policy accept;\n"
              "    iifname \"eth0\" ip daddr != " MGC_LAB_PROXY_LAN
              " meta l4proto tcp redirect to :" TEXT(PORT) "\n"
                                                           "  }\n"
                                                           "}\n"},
    [MGC_LAB_PROXY_FORWARD] = {"forward", RESET},
    /* Before conntrack, so that connections made in another mode fall silent too. */
    [MGC_LAB_PROXY_DROP] = {"drop",
        RESET "table ip mglab {\n"
              "  chain in {\n"
              "    type filter hook prerouting priority raw; policy accept;\n"
              "    iifname \"eth0\" ip daddr != " MGC_LAB_PROXY_LAN " drop\n"
              "  }\n"
              "}\n"},
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
        "fault proxy-mode: \"%s\" is no mode, expected accept-all, forward or drop", text);
}

const char *mgc_lab_proxy_rules(enum mgc_lab_proxy_mode mode)
{
    return modes[mode].rules;
}
