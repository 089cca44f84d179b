#include "common/task/sender.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/open.h"
#include "common/base/path.h"

struct stream {
    struct stream *next;
    uint64_t task_id;
    char *name;
    uint64_t offset;          /* next byte to send */
    uint64_t received, limit; /* of the last credit */
};

struct mgc_sender {
    mgc_sender_send *send;
    void *user;
    struct stream *streams; /* owned */
    unsigned char chunk[MGC_CHUNK_MAX];
};

struct mgc_sender *mgc_sender_new(mgc_sender_send *send, void *user)
{
    struct mgc_sender *sender = calloc(1, sizeof(*sender));
    if (sender) {
        sender->send = send;
        sender->user = user;
    }
    return sender;
}

static void stream_free(struct stream *stream)
{
    free(stream->name);
    free(stream);
}

void mgc_sender_reset(struct mgc_sender *sender)
{
    while (sender->streams) {
        struct stream *next = sender->streams->next;
        stream_free(sender->streams);
        sender->streams = next;
    }
}

void mgc_sender_free(struct mgc_sender *sender)
{
    if (!sender)
        return;
    mgc_sender_reset(sender);
    free(sender);
}

void mgc_sender_forget(struct mgc_sender *sender, uint64_t task_id)
{
    struct stream **link = &sender->streams;
    while (*link) {
        struct stream *stream = *link;
        if (stream->task_id == task_id) {
            *link = stream->next;
            stream_free(stream);
        } else {
            link = &stream->next;
        }
    }
}

/* The stream that this credit is about, moved to where it must go on; NULL: no memory. */
static struct stream *stream_for(struct mgc_sender *sender, const struct mgc_msg_credit *credit)
{
    struct stream *stream = sender->streams;
    while (
        stream && (stream->task_id != credit->task_id || strcmp(stream->name, credit->name) != 0))
        stream = stream->next;
    if (!stream) {
        stream = calloc(1, sizeof(*stream));
        if (!stream || !(stream->name = strdup(credit->name))) {
            free(stream);
            return NULL;
        }
        stream->task_id = credit->task_id;
        stream->offset = credit->received;
        stream->next = sender->streams;
        sender->streams = stream;
    } else if (credit->received < stream->received || credit->received > stream->offset ||
               (credit->received == stream->received && credit->limit == stream->limit)) {
        stream->offset = credit->received;
    }
    stream->received = credit->received;
    stream->limit = credit->limit;
    return stream;
}

static bool send_chunk(struct mgc_sender *sender, struct stream *stream, FILE *file, uint64_t end,
    struct mgc_error *err)
{
    uint64_t left = end - stream->offset;
    size_t want = left < MGC_CHUNK_MAX ? (size_t)left : MGC_CHUNK_MAX;
    errno = 0;
    if (fread(sender->chunk, 1, want, file) != want)
        return mgc_error_errno(err, ferror(file) ? errno : EIO,
            "send '%s': the file ends before byte %" PRIu64, stream->name, end);
    struct mgc_msg msg = {.kind = MGC_MSG_CHUNK, .body = sender->chunk, .body_len = want};
    msg.chunk = (struct mgc_msg_chunk){
        .task_id = stream->task_id, .name = stream->name, .offset = stream->offset};
    if (!sender->send(sender->user, &msg, err))
        return false;
    stream->offset += want;
    return true;
}

static bool send_up_to(struct mgc_sender *sender, struct stream *stream, const char *path,
    uint64_t end, struct mgc_error *err)
{
    FILE *file = mgc_open_read(path, err);
    if (!file)
        return false;
    bool ok = fseeko(file, (off_t)stream->offset, SEEK_SET) == 0 ||
              mgc_error_errno(err, errno, "seek in '%s'", path);
    while (ok && stream->offset < end)
        ok = send_chunk(sender, stream, file, end, err);
    fclose(file);
    return ok;
}

bool mgc_sender_credit(struct mgc_sender *sender, const struct mgc_results *results,
    const struct mgc_msg_credit *credit, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    uint64_t size;
    if (!mgc_results_file(results, credit->task_id, credit->name, path, sizeof(path), &size, err))
        return false;
    if (credit->received > size)
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "credit for '%s' asks for byte %" PRIu64 ", the file has %" PRIu64, credit->name,
            credit->received, size);
    struct stream *stream = stream_for(sender, credit);
    if (!stream)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "send '%s': out of memory", credit->name);
    uint64_t end = credit->limit < size ? credit->limit : size;
    return stream->offset >= end || send_up_to(sender, stream, path, end, err);
}
