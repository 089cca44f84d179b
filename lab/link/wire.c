#include "lab/link/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>

enum { BUFFER_BYTES = 4 * 1024 * 1024, SLOT = MGC_LAB_LINK_VNET_BYTES + MGC_LAB_LINK_FRAME_MAX };
_Static_assert(
    sizeof(struct virtio_net_hdr) == MGC_LAB_LINK_VNET_BYTES, "what PACKET_VNET_HDR puts in front");

int64_t mgc_lab_link_frame_cost(const struct mgc_lab_link_frame *frame)
{
    int64_t cost = (int64_t)frame->len - MGC_LAB_LINK_VNET_BYTES - ETH_HLEN;
    return cost > 0 ? cost : 1;
}

static bool set_option(int fd, int name, const char *text, struct mgc_error *err)
{
    int on = 1;
    return setsockopt(fd, SOL_PACKET, name, &on, sizeof on) == 0 ||
           mgc_error_errno(err, errno, "%s", text);
}

static bool prepare(int fd, const char *interface, struct mgc_error *err)
{
    int bytes = BUFFER_BYTES;
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    address.sll_ifindex = (int)if_nametoindex(interface);
    if (address.sll_ifindex == 0)
        return mgc_error_errno(err, errno, "interface %s", interface);
    /* Beyond the machine's limit for root only; the limit is enough up to 400 Mbit/s. */
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) < 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes) < 0)
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    return set_option(fd, PACKET_IGNORE_OUTGOING, "PACKET_IGNORE_OUTGOING", err) &&
           set_option(fd, PACKET_QDISC_BYPASS, "PACKET_QDISC_BYPASS", err) &&
           set_option(fd, PACKET_VNET_HDR, "PACKET_VNET_HDR", err) &&
           (bind(fd, (struct sockaddr *)&address, sizeof address) == 0 ||
               mgc_error_errno(err, errno, "a packet socket on %s", interface));
}

bool mgc_lab_link_wire_open(
    struct mgc_lab_link_wire *wire, const char *interface, struct mgc_error *err)
{
    /* Protocol 0: nothing comes in before it is bound to its interface. */
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return mgc_error_errno(err, errno, "opening a packet socket");
    if (!prepare(fd, interface, err)) {
        close(fd);
        return false;
    }
    *wire = (struct mgc_lab_link_wire){.fd = fd};
    return true;
}

static struct mgc_lab_link_frame *copy(const void *bytes, size_t len)
{
    struct mgc_lab_link_frame *frame = malloc(sizeof *frame + len);
    if (frame == NULL)
        return NULL; /* as good as lost on the way */
    frame->len = len;
    memcpy(frame->bytes, bytes, len);
    return frame;
}

size_t mgc_lab_link_wire_receive(
    struct mgc_lab_link_wire *wire, struct mgc_lab_link_frame *ret_frames[MGC_LAB_LINK_BATCH])
{
    static unsigned char slots[MGC_LAB_LINK_BATCH][SLOT];
    struct iovec parts[MGC_LAB_LINK_BATCH];
    struct mmsghdr messages[MGC_LAB_LINK_BATCH];
    size_t count = 0;
    for (int i = 0; i < MGC_LAB_LINK_BATCH; i++) {
        parts[i] = (struct iovec){slots[i], SLOT};
        messages[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &parts[i], .msg_iovlen = 1}};
    }
    int got = recvmmsg(wire->fd, messages, MGC_LAB_LINK_BATCH, MSG_DONTWAIT, NULL);
    for (int i = 0; i < got; i++) {
        if ((messages[i].msg_hdr.msg_flags & MSG_TRUNC) != 0) {
            wire->too_long++;
            continue;
        }
        ret_frames[count] = copy(slots[i], messages[i].msg_len);
        count += ret_frames[count] != NULL;
    }
    return count;
}

void mgc_lab_link_wire_send(
    struct mgc_lab_link_wire *wire, struct mgc_lab_link_frame **frames, size_t count)
{
    struct iovec parts[MGC_LAB_LINK_BATCH];
    struct mmsghdr messages[MGC_LAB_LINK_BATCH];
    for (size_t i = 0; i < count; i++) {
        parts[i] = (struct iovec){frames[i]->bytes, frames[i]->len};
        messages[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &parts[i], .msg_iovlen = 1}};
    }
    for (size_t done = 0; done < count;) {
        int sent = sendmmsg(wire->fd, messages + done, (unsigned)(count - done), MSG_DONTWAIT);
        if (sent <= 0) { /* the first one is refused: go on behind it */
            wire->unsent++;
            sent = 1;
        }
        done += (size_t)sent;
    }
    for (size_t i = 0; i < count; i++)
        free(frames[i]);
}
