#include "coordinator/store/receive.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/path.h"
#include "common/plat/file.h"

enum {
    WINDOW_MIN = 256 * 1024,
    WINDOW_MAX = 8 * 1024 * 1024,
    WINDOW_MS = 100,      /* bytes in flight, in time at the measured rate */
    REPEAT_MIN_MS = 1000, /* then doubled with every repeat that brought nothing */
    REPEAT_MAX_MS = 8 * 1000,
    GIVE_UP_MS = 30 * 1000,
};

/* What a worker may announce. The workers' own caps are below (a log: 1 GiB): more is a fault or a
 * lie, and nobody notices before the disk is full. */
#define FILE_MAX_BYTES   ((uint64_t)2 << 30)
#define RESULT_MAX_BYTES ((uint64_t)4 << 30)

struct incoming {
    char *name; /* owned */
    uint64_t size;
    char sha256[MGC_SHA256_HEX_SIZE];
};

struct mgc_receive {
    uint64_t task_id;
    char dir[MGC_PATH_MAX];
    struct incoming *files; /* owned */
    size_t count;
    size_t at; /* file that is coming in */
    FILE *out; /* of that file; owned */
    char out_path[MGC_PATH_MAX];
    struct mgc_sha256 hash;
    uint64_t received; /* of that file */
    uint64_t window;
    uint64_t total;
    bool paused;
    int64_t began_ns;  /* of that file, or when it went on */
    uint64_t began_at; /* bytes that were there then */
    int64_t last_ns;   /* last progress */
    int64_t asked_ns;  /* last credit */
    int64_t repeat_ns; /* ask again after this long */
    struct mgc_error error;
    void (*credit)(void *user, struct mgc_msg *msg);
    void *user;
};

static void send_credit(struct mgc_receive *receive, int64_t now_ns)
{
    const struct incoming *file = &receive->files[receive->at];
    uint64_t limit = receive->received + receive->window;
    struct mgc_msg msg = {
        .kind = MGC_MSG_CREDIT,
        .credit = {.task_id = receive->task_id,
            .name = file->name,
            .received = receive->received,
            .limit = limit < file->size ? limit : file->size},
    };
    receive->asked_ns = now_ns;
    receive->credit(receive->user, &msg);
}

static void close_out(struct mgc_receive *receive, bool keep)
{
    if (!receive->out)
        return;
    if (keep && receive->error.code == MGC_OK) /* the worker forgets its copy on our word */
        mgc_stream_sync(receive->out, receive->out_path, &receive->error);
    if (fclose(receive->out) != 0 && receive->error.code == MGC_OK)
        mgc_error_errno(&receive->error, errno, "write '%s'", receive->out_path);
    receive->out = NULL;
    if (!keep || receive->error.code != MGC_OK)
        mgc_file_remove(receive->out_path, NULL);
}

static void fail(struct mgc_receive *receive)
{
    close_out(receive, false);
}

static bool open_file(struct mgc_receive *receive, int64_t now_ns)
{
    const struct incoming *file = &receive->files[receive->at];
    if (!mgc_path_is_safe(file->name) ||
        !mgc_path_join(receive->out_path, sizeof(receive->out_path), receive->dir, file->name))
        return mgc_error_set(
            &receive->error, MGC_E_PROTOCOL, "artifact name '%s' is not safe", file->name);
    char *slash = strrchr(receive->out_path, '/');
    *slash = '\0';
    bool made = mgc_dir_make(receive->out_path, 0777, &receive->error);
    *slash = '/';
    if (!made)
        return false;
    receive->out = fopen(receive->out_path, "wbxe");
    if (!receive->out)
        return mgc_error_errno(&receive->error, errno, "create '%s'", receive->out_path);
    mgc_sha256_init(&receive->hash);
    receive->received = 0;
    receive->began_at = 0;
    receive->began_ns = receive->last_ns = now_ns;
    return true;
}

static void check_hash(struct mgc_receive *receive)
{
    const struct incoming *file = &receive->files[receive->at];
    unsigned char digest[MGC_SHA256_SIZE];
    char hex[MGC_SHA256_HEX_SIZE];
    mgc_sha256_final(&receive->hash, digest);
    mgc_sha256_hex(digest, hex);
    if (strcmp(hex, file->sha256) != 0)
        mgc_error_set(&receive->error, MGC_E_INTEGRITY,
            "artifact '%s': the bytes received hash to %.12s..., the worker promised %.12s...",
            file->name, hex, file->sha256);
}

/* Finish files that are complete (an empty one is at once) and open the next. */
static void advance(struct mgc_receive *receive, int64_t now_ns)
{
    while (receive->error.code == MGC_OK && receive->at < receive->count) {
        if (!receive->out && !open_file(receive, now_ns))
            break;
        if (receive->received < receive->files[receive->at].size) {
            send_credit(receive, now_ns);
            return;
        }
        check_hash(receive);
        close_out(receive, true);
        receive->at++;
    }
    if (receive->error.code != MGC_OK)
        fail(receive);
}

static void check_sizes(struct mgc_receive *receive)
{
    uint64_t total = 0;
    for (size_t i = 0; i < receive->count && receive->error.code == MGC_OK; i++) {
        const struct incoming *file = &receive->files[i];
        if (file->size > FILE_MAX_BYTES)
            mgc_error_set(&receive->error, MGC_E_PROTOCOL,
                "artifact '%s' is announced with %" PRIu64 " bytes, expected at most %" PRIu64,
                file->name, file->size, FILE_MAX_BYTES);
        else if ((total += file->size) > RESULT_MAX_BYTES)
            mgc_error_set(&receive->error, MGC_E_PROTOCOL,
                "the artifacts of one result have more than %" PRIu64 " bytes", RESULT_MAX_BYTES);
    }
}

struct mgc_receive *mgc_receive_new(const struct mgc_msg_result *result, const char *dir,
    void (*credit)(void *user, struct mgc_msg *msg), void *user, int64_t now_ns)
{
    struct mgc_receive *receive = calloc(1, sizeof(*receive));
    if (!receive)
        return NULL;
    receive->files = calloc(result->artifact_count + 1, sizeof(*receive->files));
    if (!receive->files) {
        free(receive);
        return NULL;
    }
    receive->task_id = result->task_id;
    receive->credit = credit;
    receive->user = user;
    receive->window = WINDOW_MIN;
    receive->repeat_ns = REPEAT_MIN_MS * MGC_NS_PER_MS;
    receive->last_ns = now_ns;
    snprintf(receive->dir, sizeof(receive->dir), "%s", dir);
    for (size_t i = 0; i < result->artifact_count; i++) {
        struct incoming *file = &receive->files[i];
        file->name = strdup(result->artifacts[i].name);
        file->size = result->artifacts[i].size_bytes;
        memcpy(file->sha256, result->artifacts[i].sha256, sizeof(file->sha256));
        receive->count = i + 1;
        if (!file->name) {
            mgc_receive_free(receive);
            return NULL;
        }
    }
    check_sizes(receive);
    advance(receive, now_ns);
    return receive;
}

void mgc_receive_free(struct mgc_receive *receive)
{
    if (!receive)
        return;
    close_out(receive, false);
    for (size_t i = 0; i < receive->count; i++)
        free(receive->files[i].name);
    free(receive->files);
    free(receive);
}

uint64_t mgc_receive_task_id(const struct mgc_receive *receive)
{
    return receive->task_id;
}

static void adapt_window(struct mgc_receive *receive, int64_t now_ns)
{
    int64_t took_ns = now_ns - receive->began_ns;
    if (took_ns < 10 * MGC_NS_PER_MS)
        return; /* too short to say anything about the rate */
    double bytes_per_ns = (double)(receive->received - receive->began_at) / (double)took_ns;
    double window = bytes_per_ns * (double)(WINDOW_MS * MGC_NS_PER_MS);
    receive->window = window < WINDOW_MIN   ? WINDOW_MIN
                      : window > WINDOW_MAX ? WINDOW_MAX
                                            : (uint64_t)window;
}

/* The same credit twice sends the worker back to where we are. On a slow link that would be all it
 * ever does, so what a chunk takes there decides how long silence is normal. */
static void adapt_repeat(struct mgc_receive *receive, int64_t now_ns)
{
    int64_t twice_ns = 2 * (now_ns - receive->last_ns);
    int64_t min_ns = REPEAT_MIN_MS * MGC_NS_PER_MS, max_ns = REPEAT_MAX_MS * MGC_NS_PER_MS;
    receive->repeat_ns = twice_ns < min_ns ? min_ns : mgc_deadline_min(twice_ns, max_ns);
}

static void repeat_credit(struct mgc_receive *receive, int64_t now_ns)
{
    receive->repeat_ns = mgc_deadline_min(2 * receive->repeat_ns, REPEAT_MAX_MS * MGC_NS_PER_MS);
    send_credit(receive, now_ns);
}

static void store_bytes(struct mgc_receive *receive, const void *data, size_t len, int64_t now_ns)
{
    if (fwrite(data, 1, len, receive->out) != len) {
        mgc_error_errno(&receive->error, errno, "write '%s'", receive->out_path);
        return;
    }
    mgc_sha256_update(&receive->hash, data, len);
    receive->received += len;
    receive->total += len;
    adapt_repeat(receive, now_ns);
    receive->last_ns = now_ns;
    adapt_window(receive, now_ns);
}

void mgc_receive_chunk(struct mgc_receive *receive, const struct mgc_msg_chunk *chunk,
    const void *data, size_t len, int64_t now_ns)
{
    /* Nothing is no progress: else a worker could go on for ever with empty chunks. */
    if (mgc_receive_done(receive) || receive->paused || len == 0)
        return;
    const struct incoming *file = &receive->files[receive->at];
    if (strcmp(chunk->name, file->name) != 0 || chunk->offset != receive->received) {
        /* A repeat, or what follows a gap: a credit puts the worker right, but not one each. */
        if (now_ns - receive->asked_ns >= receive->repeat_ns)
            repeat_credit(receive, now_ns);
        return;
    }
    if (len > file->size - receive->received)
        mgc_error_set(&receive->error, MGC_E_INTEGRITY,
            "artifact '%s': more than the promised %llu bytes came", file->name,
            (unsigned long long)file->size);
    else
        store_bytes(receive, data, len, now_ns);
    advance(receive, now_ns);
}

void mgc_receive_pause(struct mgc_receive *receive)
{
    receive->paused = true;
}

void mgc_receive_resume(struct mgc_receive *receive, int64_t now_ns)
{
    if (!receive->paused || mgc_receive_done(receive))
        return;
    receive->paused = false;
    receive->last_ns = now_ns;
    receive->began_ns = now_ns; /* the pause says nothing about the rate */
    receive->began_at = receive->received;
    receive->window = WINDOW_MIN;
    receive->repeat_ns = REPEAT_MIN_MS * MGC_NS_PER_MS;
    send_credit(receive, now_ns);
}

void mgc_receive_moved(struct mgc_receive *receive, const char *dir)
{
    snprintf(receive->dir, sizeof(receive->dir), "%s", dir);
    if (receive->out)
        mgc_path_join(receive->out_path, sizeof(receive->out_path), receive->dir,
            receive->files[receive->at].name);
}

void mgc_receive_tick(struct mgc_receive *receive, int64_t now_ns)
{
    if (mgc_receive_done(receive) || receive->paused)
        return;
    if (now_ns - receive->last_ns >= GIVE_UP_MS * MGC_NS_PER_MS) {
        mgc_error_set(&receive->error, MGC_E_TIMEOUT,
            "artifact '%s': nothing came for %d s at byte %llu of %llu",
            receive->files[receive->at].name, GIVE_UP_MS / 1000,
            (unsigned long long)receive->received,
            (unsigned long long)receive->files[receive->at].size);
        fail(receive);
    } else if (now_ns - receive->asked_ns >= receive->repeat_ns) {
        repeat_credit(receive, now_ns);
    }
}

int64_t mgc_receive_due(const struct mgc_receive *receive)
{
    return mgc_receive_done(receive) || receive->paused ? MGC_NEVER
                                                        : receive->asked_ns + receive->repeat_ns;
}

bool mgc_receive_done(const struct mgc_receive *receive)
{
    return receive->error.code != MGC_OK || receive->at == receive->count;
}

const struct mgc_error *mgc_receive_error(const struct mgc_receive *receive)
{
    return &receive->error;
}

uint64_t mgc_receive_bytes(const struct mgc_receive *receive)
{
    return receive->total;
}
