/* The packets of adb's device protocol as bytes: a 24-byte header and a payload.
 *
 * Pure: no sockets, no memory of its own. Source: adb's protocol description (protocol.txt in the
 * Android platform tools). All integers little endian:
 *
 *   0-3  command ("CNXN", "OPEN", "OKAY", "WRTE", "CLSE", "SYNC", "AUTH")
 *   4-7  arg0    8-11 arg1
 *   12-15 payload length    16-19 payload checksum (sum of bytes; unused from version 0x01000001)
 *   20-23 command with all bits inverted
 */
#ifndef MGC_LAB_PHONE_PACKET_H
#define MGC_LAB_PHONE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"

#define MGL_ADB_CNXN UINT32_C(0x4e584e43)
#define MGL_ADB_OPEN UINT32_C(0x4e45504f)
#define MGL_ADB_OKAY UINT32_C(0x59414b4f)
#define MGL_ADB_WRTE UINT32_C(0x45545257)
#define MGL_ADB_CLSE UINT32_C(0x45534c43)

#define MGL_ADB_VERSION_MIN           UINT32_C(0x01000000)
#define MGL_ADB_VERSION_SKIP_CHECKSUM UINT32_C(0x01000001)

enum {
    MGL_PACKET_HEAD = 24,
    MGL_PACKET_PAYLOAD_MAX = 1 << 20, /* what we offer in CNXN */
};

struct mgl_packet {
    uint32_t command, arg0, arg1;
    const uint8_t *payload; /* borrowed */
    size_t payload_len;
};

/* One packet from the front of data. Returns bytes taken, 0 when more are needed, -1 (err says
 * why) when this is no packet. The checksum is verified only when check_sum is set, and in a CNXN
 * only when its version is one that has checksums. */
long mgl_packet_decode(const uint8_t *data, size_t len, bool check_sum,
    struct mgl_packet *ret_packet, struct mgc_error *err);

/* Append the packet; the checksum is filled in only when check_sum is set, else 0. */
bool mgl_packet_encode(struct mgc_buf *out, const struct mgl_packet *packet, bool check_sum);

#endif
