#include "lab/replay/trace.h"

#include <stdio.h>
#include <string.h>

#include "lab/replay/bytes.h"
#include "lab/replay/raster.h"

static const char magic[8] = "MGLABTRC";

void mgr_trace_head_encode(struct mgc_buf *buf, const struct mgr_trace_head *head)
{
    char name[sizeof(head->name)] = {0};
    snprintf(name, sizeof(name), "%s", head->name);
    mgc_buf_append(buf, magic, sizeof(magic));
    mgr_put_u32(buf, MGR_TRACE_VERSION);
    mgr_put_u32(buf, MGR_TRACE_HEAD);
    mgr_put_u32(buf, head->width);
    mgr_put_u32(buf, head->height);
    mgr_put_u32(buf, head->frames);
    mgr_put_u32(buf, head->divisor);
    mgr_put_u32(buf, head->full_frames);
    mgr_put_u32(buf, 0);
    mgr_put_u64(buf, head->target_call);
    for (int i = 0; i < 4; i++)
        mgr_put_u32(buf, head->crop[i]);
    mgc_buf_append(buf, name, sizeof(name));
}

static bool bad(struct mgc_error *err, const char *what)
{
    return mgc_error_set(err, MGC_E_PROTOCOL, "trace: %s", what);
}

static bool check_sizes(const struct mgr_trace_head *head, struct mgc_error *err)
{
    if (!head->width || !head->height || head->width > MGR_IMAGE_SIDE_MAX ||
        head->height > MGR_IMAGE_SIDE_MAX)
        return bad(err, "width or height outside 1..4096");
    if (!head->frames || head->frames > MGR_TRACE_FRAMES_MAX || !head->divisor)
        return bad(err, "number of frames outside 1..100000, or divisor 0");
    if (head->crop[0] > head->width || head->crop[2] > head->width - head->crop[0] ||
        head->crop[1] > head->height || head->crop[3] > head->height - head->crop[1])
        return bad(err, "crop outside the picture");
    return true;
}

static bool decode_head(
    const void *data, size_t len, struct mgr_trace_head *head, struct mgc_error *err)
{
    if (len < MGR_TRACE_HEAD || memcmp(data, magic, sizeof(magic)) != 0)
        return bad(err, "not a lab trace (no MGLABTRC header)");
    struct mgr_reader in = {.at = (const uint8_t *)data + 8, .left = MGR_TRACE_HEAD - 8};
    uint32_t version = mgr_get_u32(&in);
    if (version != MGR_TRACE_VERSION || mgr_get_u32(&in) != MGR_TRACE_HEAD)
        return mgc_error_set(err, MGC_E_VERSION, "trace: version %u, this build reads %d", version,
            MGR_TRACE_VERSION);
    head->width = mgr_get_u32(&in);
    head->height = mgr_get_u32(&in);
    head->frames = mgr_get_u32(&in);
    head->divisor = mgr_get_u32(&in);
    head->full_frames = mgr_get_u32(&in);
    (void)mgr_get_u32(&in);
    head->target_call = mgr_get_u64(&in);
    for (int i = 0; i < 4; i++)
        head->crop[i] = mgr_get_u32(&in);
    memcpy(head->name, mgr_take(&in, sizeof(head->name)), sizeof(head->name));
    head->name[sizeof(head->name) - 1] = '\0';
    return check_sizes(head, err);
}

bool mgr_trace_check(
    const void *data, size_t len, struct mgr_trace_head *ret_head, struct mgc_error *err)
{
    struct mgr_trace_head head;
    if (len > MGR_TRACE_MAX_BYTES)
        return bad(err, "larger than 256 MiB");
    if (!decode_head(data, len, &head, err))
        return false;
    uint32_t presents = 0;
    for (size_t at = MGR_TRACE_HEAD; at < len;) {
        struct mgr_record record;
        size_t used;
        enum mgr_decode outcome =
            mgr_record_decode((const char *)data + at, len - at, &record, &used, err);
        if (outcome == MGR_DECODE_MORE)
            return mgc_error_set(
                err, MGC_E_PROTOCOL, "trace: ends inside the record at byte %zu", at);
        if (outcome == MGR_DECODE_BAD)
            return mgc_error_prefix(err, "trace, byte %zu", at);
        presents += record.kind == MGR_PRESENT;
        at += used;
    }
    if (presents != head.frames)
        return mgc_error_set(err, MGC_E_PROTOCOL, "trace: %u frames where the header says %u",
            presents, head.frames);
    *ret_head = head;
    return true;
}

bool mgr_trace_next(const void *data, size_t len, size_t *offset, struct mgr_record *ret_record)
{
    size_t used;
    if (*offset >= len || mgr_record_decode((const char *)data + *offset, len - *offset, ret_record,
                              &used, NULL) != MGR_DECODE_OK)
        return false;
    *offset += used;
    return true;
}
