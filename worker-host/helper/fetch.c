#include "worker-host/helper/fetch.h"

#include <inttypes.h>
#include <string.h>

/* The file that is open, if this message is of it. */
static struct mgc_helper_file *open_file(struct mgc_fetch *fetch, const char *what, unsigned index)
{
    if (fetch->open && index == fetch->next - 1)
        return &fetch->files[fetch->wanted[index]];
    mgc_error_set(&fetch->why, MGC_E_PROTOCOL, "%s of file %u of %zu, which is not open", what,
        index, fetch->count);
    return NULL;
}

static void on_head(struct mgc_fetch *fetch, const struct mgc_device_file_head *head)
{
    if (fetch->open || head->index != fetch->next || fetch->next >= fetch->count) {
        mgc_error_set(&fetch->why, MGC_E_PROTOCOL, "the head of file %u of %zu, expected %s %zu",
            head->index, fetch->count, fetch->open ? "the rest of file" : "that of file",
            fetch->open ? fetch->next - 1 : fetch->next);
        return;
    }
    struct mgc_helper_file *file = &fetch->files[fetch->wanted[fetch->next++]];
    file->state = head->state;
    file->errnum = (int)head->errnum;
    file->size_bytes = head->size_bytes;
    file->mtime_ns = head->mtime_ns;
    mgc_sha256_init(&fetch->hash);
    fetch->bytes = 0;
    fetch->into_before = file->into ? file->into->len : 0;
    fetch->open = head->state == MGC_DEVICE_PRESENT;
    if (fetch->open && file->local && !fetch->hash_only)
        mgc_adb_part_open(&fetch->part, file->local, &fetch->why);
}

static void on_data(struct mgc_fetch *fetch, const struct mgc_device_file_data *data)
{
    struct mgc_helper_file *file = open_file(fetch, "data", data->index);
    if (!file)
        return;
    if (fetch->hash_only || data->data.size > fetch->max_bytes - fetch->bytes) {
        mgc_error_set(&fetch->why, MGC_E_PROTOCOL, "\"%s\": data past the %" PRId64 " asked for",
            file->name, fetch->hash_only ? INT64_C(0) : fetch->max_bytes);
        return;
    }
    mgc_sha256_update(&fetch->hash, data->data.data, data->data.size);
    fetch->bytes += data->data.size;
    if (fetch->part.file)
        mgc_adb_part_write(&fetch->part, data->data.data, data->data.size, &fetch->why);
    else if (file->into && !mgc_buf_append(file->into, data->data.data, data->data.size))
        mgc_error_set(
            &fetch->why, MGC_E_NO_MEMORY, "\"%s\" passes %zu bytes", file->name, file->into->max);
}

/* Is what arrived what the device has read? */
static bool proved(struct mgc_fetch *fetch, const struct mgc_device_file_end *end)
{
    unsigned char digest[MGC_SHA256_SIZE];
    if (end->sha256.size != sizeof(digest))
        return false;
    if (fetch->hash_only)
        return true;
    mgc_sha256_final(&fetch->hash, digest);
    return fetch->bytes == end->size_bytes && memcmp(digest, end->sha256.data, sizeof(digest)) == 0;
}

static void on_end(struct mgc_fetch *fetch, const struct mgc_device_file_end *end)
{
    struct mgc_helper_file *file = open_file(fetch, "the end", end->index);
    bool whole = end->state == MGC_DEVICE_PRESENT || end->state == MGC_DEVICE_CHANGED;
    if (!file)
        return;
    fetch->open = false;
    file->state = end->state;
    file->errnum = (int)end->errnum;
    file->size_bytes = end->size_bytes;
    if (whole && !proved(fetch, end)) {
        mgc_error_set(&fetch->why, MGC_E_INTEGRITY,
            "\"%s\": %" PRId64 " bytes arrived, not the %" PRId64 " that were read on the device",
            file->name, fetch->bytes, end->size_bytes);
    } else if (whole) {
        mgc_sha256_hex(end->sha256.data, file->sha256);
        if (fetch->part.file)
            mgc_adb_part_keep(&fetch->part, &fetch->why);
    } else if (file->into) {
        file->into->len = fetch->into_before;
    }
    mgc_adb_part_drop(&fetch->part);
}

void mgc_fetch_begin(struct mgc_fetch *fetch)
{
    fetch->why = (struct mgc_error){0};
    fetch->next = 0;
    fetch->open = false;
    fetch->bytes = 0;
}

void mgc_fetch_take(struct mgc_fetch *fetch, const struct mgc_device_msg *msg)
{
    if (fetch->why.code) /* it cannot be trusted any more, or has nowhere to go */
        return;
    if (msg->type == MGC_DEVICE_FILE_HEAD)
        on_head(fetch, &msg->file_head);
    else if (msg->type == MGC_DEVICE_FILE_DATA)
        on_data(fetch, &msg->file_data);
    else if (msg->type == MGC_DEVICE_FILE_END)
        on_end(fetch, &msg->file_end);
}

bool mgc_fetch_end(struct mgc_fetch *fetch, bool done)
{
    mgc_adb_part_drop(&fetch->part);
    if (done && !fetch->why.code && (fetch->open || fetch->next != fetch->count))
        mgc_error_set(&fetch->why, MGC_E_PROTOCOL, "it said done after %zu of %zu files",
            fetch->next - fetch->open, fetch->count);
    fetch->open = false;
    return !fetch->why.code;
}
