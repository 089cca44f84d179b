#include "common/plat/tcp.h"

#include <errno.h>
#include <linux/tcp.h> /* glibc's own copy of tcp_info ends too early */
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

/* An old kernel's tcp_info ends earlier. */
#define HAS(len, field)                                                                            \
    ((len) >= offsetof(struct tcp_info, field) + sizeof(((struct tcp_info *)0)->field))

void mgc_tcp_facts(int fd, struct mgc_tcp_facts *ret_facts)
{
    struct tcp_info info = {0};
    socklen_t len = sizeof(info);
    *ret_facts = (struct mgc_tcp_facts){
        .retransmits = -1, .received_bytes = -1, .acked_bytes = -1, .min_rtt_us = -1};
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0)
        len = 0;
    if (HAS(len, tcpi_total_retrans)) {
        ret_facts->retransmits = info.tcpi_total_retrans;
        ret_facts->mss = info.tcpi_snd_mss;
        ret_facts->wscale = info.tcpi_snd_wscale;
        ret_facts->timestamps = info.tcpi_options & TCPI_OPT_TIMESTAMPS;
    }
    if (HAS(len, tcpi_bytes_received)) {
        ret_facts->acked_bytes = (int64_t)info.tcpi_bytes_acked;
        ret_facts->received_bytes = (int64_t)info.tcpi_bytes_received;
    }
    if (HAS(len, tcpi_min_rtt))
        ret_facts->min_rtt_us = info.tcpi_min_rtt;
    len = sizeof(ret_facts->congestion) - 1;
    if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, ret_facts->congestion, &len) != 0)
        ret_facts->congestion[0] = '\0';
}

bool mgc_tcp_set_congestion(int fd, const char *name, struct mgc_error *err)
{
    if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0)
        return true;
    return mgc_error_errno(err, errno, "congestion control \"%s\"", name);
}

void mgc_tcp_limit_unsent(int fd, int bytes)
{
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof(bytes));
}
