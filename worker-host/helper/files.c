/* Files of the device: fetched, hashed, written. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/open.h"
#include "worker-host/helper/fetch.h"
#include "worker-host/helper/link.h"

enum { ATTEMPTS = 3 };

/* --- read ------------------------------------------------------------------------------------- */

static void on_read(void *ctx, const struct mgc_device_msg *msg)
{
    mgc_fetch_take(ctx, msg);
}

static bool fetch_once(struct mgc_helper *helper, const char *dir, struct mgc_fetch *fetch,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_buf names = {0};
    struct mgc_helper_call call = {
        .msg = {.type = MGC_DEVICE_READ,
            .read = {.dir = dir, .max_bytes = fetch->max_bytes, .hash_only = fetch->hash_only}},
        .on = on_read,
        .ctx = fetch};
    bool ok = true;
    mgc_fetch_begin(fetch);
    for (size_t i = 0; ok && i < fetch->count; i++)
        ok = mgc_device_list_add(&call.msg.read.names, &names, fetch->files[fetch->wanted[i]].name);
    ok = (ok || mgc_error_set(err, MGC_E_USAGE, "more than %d files", MGC_DEVICE_LIST_MAX)) &&
         mgc_helper_do(helper, &call, wait, err);
    bool whole = mgc_fetch_end(fetch, ok);
    mgc_buf_destroy(&names);
    if (ok && !whole) {
        if (err)
            *err = fetch->why;
        return mgc_error_prefix(err, "fetch from the device");
    }
    return ok;
}

/* Which files a request is for: with data, or for their hashes. */
static size_t choose(const struct mgc_helper_file *files, size_t count, bool hash_only, bool again,
    size_t *ret_wanted)
{
    size_t wanted = 0;
    for (size_t i = 0; i < count; i++)
        if ((!files[i].local && !files[i].into) == hash_only &&
            (!again || files[i].state == MGC_DEVICE_CHANGED))
            ret_wanted[wanted++] = i;
    return wanted;
}

/* What is read again is appended from where the first try began. */
static void take_back(struct mgc_helper_file *files, const size_t *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct mgc_helper_file *file = &files[wanted[i]];
        if (file->into && file->size_bytes >= 0 && file->into->len >= (size_t)file->size_bytes)
            file->into->len -= (size_t)file->size_bytes;
    }
}

static bool fetch_all(struct mgc_helper *helper, const char *dir, struct mgc_fetch *fetch,
    size_t count, size_t *wanted, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        fetch->count = choose(fetch->files, count, fetch->hash_only, attempt > 0, wanted);
        if (fetch->count == 0)
            return true;
        if (attempt > 0)
            take_back(fetch->files, wanted, fetch->count);
        if (!fetch_once(helper, dir, fetch, wait, err))
            return false;
    }
    return true;
}

bool mgc_helper_read(struct mgc_helper *helper, const char *dir, struct mgc_helper_file *files,
    size_t count, int64_t max_bytes, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    size_t *wanted = calloc(count + 1, sizeof(*wanted));
    struct mgc_fetch *fetch = calloc(1, sizeof(*fetch));
    bool ok = (wanted && fetch) || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for files");
    for (size_t i = 0; ok && i < count; i++) {
        files[i].state = MGC_DEVICE_UNUSABLE;
        files[i].errnum = 0;
        files[i].size_bytes = files[i].mtime_ns = -1;
        files[i].sha256[0] = '\0';
    }
    for (int hash_only = 0; ok && hash_only <= 1; hash_only++) {
        *fetch = (struct mgc_fetch){
            .files = files, .wanted = wanted, .max_bytes = max_bytes, .hash_only = hash_only};
        ok = fetch_all(helper, dir, fetch, count, wanted, wait, err);
    }
    free(fetch);
    free(wanted);
    return ok;
}

/* --- put -------------------------------------------------------------------------------------- */

struct offer {
    int64_t have_bytes;
    bool ready;
};

static void on_put(void *ctx, const struct mgc_device_msg *msg)
{
    struct offer *offer = ctx;
    if (msg->type == MGC_DEVICE_PUT_READY)
        *offer = (struct offer){msg->put_ready.have_bytes, true};
}

static bool hash_file(const char *local, unsigned char ret_digest[MGC_SHA256_SIZE],
    int64_t *ret_bytes, struct mgc_error *err)
{
    char *chunk = malloc(MGC_DEVICE_CHUNK);
    FILE *file = chunk ? mgc_open_read(local, err) : NULL;
    struct mgc_sha256 hash;
    size_t len;
    *ret_bytes = 0;
    mgc_sha256_init(&hash);
    while (file && (len = fread(chunk, 1, MGC_DEVICE_CHUNK, file)) > 0) {
        mgc_sha256_update(&hash, chunk, len);
        *ret_bytes += (int64_t)len;
    }
    bool ok = file && !ferror(file);
    if (file && !ok)
        mgc_error_set(err, MGC_E_IO, "reading \"%s\" failed", local);
    mgc_sha256_final(&hash, ret_digest);
    if (file)
        fclose(file);
    free(chunk);
    return ok || (chunk == NULL && mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a file"));
}

static bool skip_to(FILE *file, char *chunk, int64_t offset)
{
    while (offset > 0) { /* fseek's long is 32 bits on Windows */
        size_t step = offset < MGC_DEVICE_CHUNK ? (size_t)offset : MGC_DEVICE_CHUNK;
        if (fread(chunk, 1, step, file) != step)
            return false;
        offset -= (int64_t)step;
    }
    return true;
}

static bool send_rest(struct mgc_helper *helper, uint32_t id, const struct mgc_helper_put *put,
    int64_t offset, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    char *chunk = malloc(MGC_DEVICE_CHUNK);
    FILE *file = chunk ? mgc_open_read(put->local, err) : NULL;
    size_t len = 0;
    bool ok = file && (skip_to(file, chunk, offset) ||
                          mgc_error_set(err, MGC_E_IO, "reading \"%s\" failed", put->local));
    int64_t sent = offset;
    if (ok && put->sent)
        put->sent(put->ctx, sent);
    /* One that has failed there, for want of room say, is not sent to its end. */
    while (
        ok && !mgc_helper_over(helper, id) && (len = fread(chunk, 1, MGC_DEVICE_CHUNK, file)) > 0) {
        struct mgc_device_msg msg = {.type = MGC_DEVICE_PUT_DATA,
            .id = id,
            .put_data = {{(const unsigned char *)chunk, (uint32_t)len}}};
        ok = mgc_helper_send(helper, &msg, wait, err);
        sent += (int64_t)len;
        if (ok && put->sent)
            put->sent(put->ctx, sent);
    }
    if (file)
        fclose(file);
    free(chunk);
    return ok || (chunk == NULL && mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a file"));
}

static bool send_and_end(struct mgc_helper *helper, uint32_t id, const struct mgc_helper_put *put,
    const struct offer *offer, int64_t total_bytes, const struct mgc_adb_wait *wait,
    struct mgc_error *err)
{
    if (offer->have_bytes == total_bytes ||
        send_rest(helper, id, put, offer->have_bytes, wait, err))
        return mgc_helper_end(helper, id, wait, err);
    mgc_helper_forget(helper, id);
    return false;
}

bool mgc_helper_put(struct mgc_helper *helper, const struct mgc_helper_put *put,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    unsigned char digest[MGC_SHA256_SIZE];
    struct offer offer = {0};
    uint32_t id;
    struct mgc_helper_call call = {.msg = {.type = MGC_DEVICE_PUT,
                                       .put = {.path = put->path,
                                           .mode = (uint16_t)put->mode,
                                           .sha256 = {digest, sizeof(digest)}}},
        .on = on_put,
        .ctx = &offer};
    return hash_file(put->local, digest, &call.msg.put.total_bytes, err) &&
           mgc_helper_begin(helper, &call, &id, wait, err) &&
           send_and_end(helper, id, put, &offer, call.msg.put.total_bytes, wait, err);
}
