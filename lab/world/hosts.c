#include "lab/world/hosts.h"

#include <string.h>

static const char *const names[MGC_LAB_HOST_COUNT] = {
    [MGC_LAB_WINHOST] = "winhost",
    [MGC_LAB_WSL] = "wsl",
    [MGC_LAB_GW] = "gw",
    [MGC_LAB_PROXY] = "proxy",
    [MGC_LAB_PHONE] = "phone",
    [MGC_LAB_LINK] = "link",
};

static const char *const batches[MGC_LAB_HOST_COUNT][MGC_LAB_LINK_ROUNDS] = {
    [MGC_LAB_WINHOST] =
        {
            "link add usb0 type veth peer name usb0 netns phone\n",
            "address add 192.168.31.10/24 dev eth0\n"
            "address add 10.99.0.1/24 dev usb0\n"
            "link set eth0 up\n"
            "link set usb0 up\n",
            "route add default via 192.168.31.1\n",
        },
    [MGC_LAB_WSL] =
        {
            "",
            "address add 192.168.31.20/24 dev eth0\n"
            "link set eth0 up\n",
            /* As on the real bench: what has no route of its own goes through the proxy. */
            "route add default via 192.168.31.2\n",
        },
    [MGC_LAB_GW] =
        {
            "link add br0 type bridge\n"
            "link add lwin type veth peer name eth0 netns winhost\n"
            "link add lwsl type veth peer name eth0 netns wsl\n"
            "link add lproxy type veth peer name eth0 netns proxy\n",
            "link set lwin master br0 up\n"
            "link set lwsl master br0 up\n"
            "link set lproxy master br0 up\n"
            "address add 192.168.31.1/24 dev br0\n"
            "address add 192.168.21.1/24 dev wlan0\n"
            "link set br0 up\n"
            "link set wlan0 up\n",
            "",
        },
    [MGC_LAB_PROXY] =
        {
            "",
            "address add 192.168.31.2/24 dev eth0\n"
            "link set eth0 up\n",
            "route add default via 192.168.31.1\n",
        },
    [MGC_LAB_PHONE] =
        {
            "",
            "address add 192.168.21.181/24 dev wlan0\n"
            "address add 10.99.0.2/24 dev usb0\n"
            "link set wlan0 up\n"
            "link set usb0 up\n",
            "route add default via 192.168.21.1\n",
        },
    [MGC_LAB_LINK] =
        {
            "link add lan type veth peer name wlan0 netns gw\n"
            "link add air type veth peer name wlan0 netns phone\n",
            "link set lan up\n"
            "link set air up\n",
            "",
        },
};

const char *mgc_lab_host_name(enum mgc_lab_host host)
{
    return host < MGC_LAB_HOST_COUNT ? names[host] : "?";
}

bool mgc_lab_host_find(const char *name, enum mgc_lab_host *ret_host)
{
    for (int i = 0; i < MGC_LAB_HOST_COUNT; i++) {
        if (strcmp(names[i], name) == 0) {
            *ret_host = (enum mgc_lab_host)i;
            return true;
        }
    }
    return false;
}

const char *mgc_lab_host_batch(enum mgc_lab_host host, int round)
{
    return batches[host][round];
}

const char *mgc_lab_host_cable(void)
{
    return "link add wlan0 type veth peer name wlan0 netns phone\n";
}

const char *const *mgc_lab_host_links(enum mgc_lab_host host)
{
    static const char *const links[MGC_LAB_HOST_COUNT][6] = {
        [MGC_LAB_WINHOST] = {"eth0", "usb0"},
        [MGC_LAB_WSL] = {"eth0"},
        [MGC_LAB_GW] = {"lwin", "lwsl", "lproxy", "wlan0", "br0"},
        [MGC_LAB_PROXY] = {"eth0"},
        [MGC_LAB_PHONE] = {"wlan0", "usb0"},
        [MGC_LAB_LINK] = {"lan", "air"},
    };
    return links[host];
}

size_t mgc_lab_host_sysctls(enum mgc_lab_host host, struct mgc_lab_sysctl *ret_rows, size_t max)
{
    static const struct mgc_lab_sysctl all[] = {
        /* Else the second run starts from the first one's congestion window and RTT. */
        {"ipv4/tcp_no_metrics_save", "1"},
        /* Nothing may learn a better route than the one that is under test. */
        {"ipv4/conf/all/accept_redirects", "0"},
        {"ipv4/conf/default/accept_redirects", "0"},
        {"ipv4/conf/all/send_redirects", "0"},
        {"ipv4/conf/default/send_redirects", "0"},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all && count < max; i++)
        ret_rows[count++] = all[i];
    if ((host == MGC_LAB_GW || host == MGC_LAB_PROXY) && count < max)
        ret_rows[count++] = (struct mgc_lab_sysctl){"ipv4/ip_forward", "1"};
    /* The emulator's ends are no machines: they must not say anything of their own. */
    if (host == MGC_LAB_LINK && count < max)
        ret_rows[count++] =
            (struct mgc_lab_sysctl){"ipv6/conf/default/disable_ipv6", "1", .optional = true};
    return count;
}
