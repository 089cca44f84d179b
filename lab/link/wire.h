/* A network interface as the emulator sees it: whole frames in and out, by packet socket.
 *
 * Every frame travels with the kernel's virtio-net header, which says whose checksum is not
 * finished yet; without it no TCP connection over veth comes up. */
#ifndef MGC_LAB_LINK_WIRE_H
#define MGC_LAB_LINK_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

/* Ethernet header and MTU 1500, with room for a VLAN tag; what is longer comes from an interface
 * whose segmentation offload is still on, and is dropped and counted. */
enum { MGC_LAB_LINK_FRAME_MAX = 1536, MGC_LAB_LINK_VNET_BYTES = 10, MGC_LAB_LINK_BATCH = 64 };

struct mgc_lab_link_frame {
    size_t len; /* of bytes[], virtio-net header included */
    unsigned char bytes[];
};

struct mgc_lab_link_wire {
    int fd;
    uint64_t too_long, unsent;
};

/* Bytes that count against the rate: the frame without its Ethernet header. */
int64_t mgc_lab_link_frame_cost(const struct mgc_lab_link_frame *frame);

bool mgc_lab_link_wire_open(
    struct mgc_lab_link_wire *wire, const char *interface, struct mgc_error *err);

/* Up to MGC_LAB_LINK_BATCH frames that are there now, each one malloc()ed for the caller. */
size_t mgc_lab_link_wire_receive(
    struct mgc_lab_link_wire *wire, struct mgc_lab_link_frame *ret_frames[MGC_LAB_LINK_BATCH]);

/* Send and free up to MGC_LAB_LINK_BATCH frames; what the kernel will not take is counted. */
void mgc_lab_link_wire_send(
    struct mgc_lab_link_wire *wire, struct mgc_lab_link_frame **frames, size_t count);

#endif
