#include "lab/phone/sync.h"

#include <stdlib.h>
#include <string.h>

#include "lab/phone/le.h"

void mgl_sync_head_decode(const uint8_t bytes[MGL_SYNC_HEAD], struct mgl_sync_head *ret_head)
{
    ret_head->id = mgl_get_le32(bytes);
    ret_head->number = mgl_get_le32(bytes + 4);
}

bool mgl_sync_check_request(const struct mgl_sync_head *head, struct mgc_error *err)
{
    switch (head->id) {
    case MGL_SYNC_STAT:
    case MGL_SYNC_LIST:
    case MGL_SYNC_SEND:
    case MGL_SYNC_RECV:
        if (head->number == 0 || head->number > MGL_SYNC_PATH_MAX)
            return mgc_error_set(err, MGC_E_PROTOCOL, "sync path of %u bytes, 1 to %d expected",
                head->number, MGL_SYNC_PATH_MAX);
        return true;
    case MGL_SYNC_QUIT:
        return true;
    default:
        return mgc_error_set(err, MGC_E_PROTOCOL, "unknown sync request 0x%08x", head->id);
    }
}

bool mgl_sync_check_chunk(const struct mgl_sync_head *head, struct mgc_error *err)
{
    if (head->id == MGL_SYNC_DONE)
        return true;
    if (head->id != MGL_SYNC_DATA)
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "sync message 0x%08x inside a SEND, DATA or DONE expected", head->id);
    if (head->number > MGL_SYNC_DATA_MAX)
        return mgc_error_set(err, MGC_E_PROTOCOL, "sync DATA of %u bytes, at most %d expected",
            head->number, MGL_SYNC_DATA_MAX);
    return true;
}

bool mgl_sync_parse_send(char *spec, const char **ret_path, uint32_t *ret_mode)
{
    char *comma = strrchr(spec, ',');
    if (!comma || comma == spec || comma[1] < '0' || comma[1] > '9')
        return false;
    char *end;
    unsigned long mode = strtoul(comma + 1, &end, 0);
    if (*end || mode > 0177777)
        return false;
    *comma = 0;
    *ret_path = spec;
    *ret_mode = (uint32_t)mode;
    return true;
}

bool mgl_sync_append_head(struct mgc_buf *out, uint32_t id, uint32_t number)
{
    uint8_t head[MGL_SYNC_HEAD];
    mgl_put_le32(head, id);
    mgl_put_le32(head + 4, number);
    return mgc_buf_append(out, head, sizeof(head));
}

static bool append_stat(struct mgc_buf *out, uint32_t id, const struct mgl_sync_stat *stat)
{
    uint8_t bytes[16];
    mgl_put_le32(bytes, id);
    mgl_put_le32(bytes + 4, stat->mode);
    mgl_put_le32(bytes + 8, stat->size);
    mgl_put_le32(bytes + 12, stat->mtime);
    return mgc_buf_append(out, bytes, sizeof(bytes));
}

bool mgl_sync_append_stat(struct mgc_buf *out, const struct mgl_sync_stat *stat)
{
    return append_stat(out, MGL_SYNC_STAT, stat);
}

bool mgl_sync_append_dent(struct mgc_buf *out, const struct mgl_sync_stat *stat, const char *name)
{
    uint8_t len[4];
    mgl_put_le32(len, (uint32_t)strlen(name));
    append_stat(out, MGL_SYNC_DENT, stat);
    mgc_buf_append(out, len, sizeof(len));
    return mgc_buf_puts(out, name);
}

bool mgl_sync_append_list_end(struct mgc_buf *out)
{
    static const uint8_t zeros[16];
    uint8_t id[4];
    mgl_put_le32(id, MGL_SYNC_DONE);
    mgc_buf_append(out, id, sizeof(id));
    return mgc_buf_append(out, zeros, sizeof(zeros));
}

bool mgl_sync_append_fail(struct mgc_buf *out, const char *text)
{
    mgl_sync_append_head(out, MGL_SYNC_FAIL, (uint32_t)strlen(text));
    return mgc_buf_puts(out, text);
}
