#include "lab/phone/packet.h"

#include "lab/phone/le.h"

static uint32_t sum_bytes(const uint8_t *data, size_t len)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < len; i++)
        sum += data[i];
    return sum;
}

/* A server that connects again skips the checksum in its CNXN already: it remembers what the last
 * connection agreed on. The packet's own version tells. */
static bool has_sum(uint32_t command, uint32_t arg0, bool check_sum)
{
    if (command == MGL_ADB_CNXN)
        return check_sum && arg0 < MGL_ADB_VERSION_SKIP_CHECKSUM;
    return check_sum;
}

long mgl_packet_decode(const uint8_t *data, size_t len, bool check_sum,
    struct mgl_packet *ret_packet, struct mgc_error *err)
{
    if (len < MGL_PACKET_HEAD)
        return 0;
    uint32_t command = mgl_get_le32(data);
    uint32_t payload_len = mgl_get_le32(data + 12);
    if (mgl_get_le32(data + 20) != ~command) {
        mgc_error_set(err, MGC_E_PROTOCOL, "adb packet 0x%08x has a wrong magic word", command);
        return -1;
    }
    if (payload_len > MGL_PACKET_PAYLOAD_MAX) {
        mgc_error_set(err, MGC_E_PROTOCOL,
            "adb packet 0x%08x declares %u bytes, at most %d expected", command, payload_len,
            MGL_PACKET_PAYLOAD_MAX);
        return -1;
    }
    if (len - MGL_PACKET_HEAD < payload_len)
        return 0;
    const uint8_t *payload = data + MGL_PACKET_HEAD;
    if (has_sum(command, mgl_get_le32(data + 4), check_sum) &&
        sum_bytes(payload, payload_len) != mgl_get_le32(data + 16)) {
        mgc_error_set(err, MGC_E_PROTOCOL, "adb packet 0x%08x has a wrong checksum", command);
        return -1;
    }
    *ret_packet = (struct mgl_packet){
        .command = command,
        .arg0 = mgl_get_le32(data + 4),
        .arg1 = mgl_get_le32(data + 8),
        .payload = payload,
        .payload_len = payload_len,
    };
    return (long)(MGL_PACKET_HEAD + payload_len);
}

bool mgl_packet_encode(struct mgc_buf *out, const struct mgl_packet *packet, bool check_sum)
{
    uint8_t head[MGL_PACKET_HEAD];
    mgl_put_le32(head, packet->command);
    mgl_put_le32(head + 4, packet->arg0);
    mgl_put_le32(head + 8, packet->arg1);
    mgl_put_le32(head + 12, (uint32_t)packet->payload_len);
    mgl_put_le32(head + 16, check_sum ? sum_bytes(packet->payload, packet->payload_len) : 0);
    mgl_put_le32(head + 20, ~packet->command);
    mgc_buf_append(out, head, sizeof(head));
    return mgc_buf_append(out, packet->payload, packet->payload_len);
}
