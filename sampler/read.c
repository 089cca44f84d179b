/* READ: several files, one after the other, in slices; each with its length and hash. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "sampler/path.h"
#include "sampler/session.h"
#include "sampler/sha256.h"

enum { HASH_SLICE = 1024 * 1024 }; /* a few ms of hashing between two looks at everything else */

struct reading {
    struct mgd_job job; /* first */
    struct mgc_device_read asked;
    char *dir, *names; /* owned */
    const char *name;  /* current one; NULL: before the first */
    uint16_t index;
    int fd; /* -1: the next name is to be opened */
    struct stat before;
    int64_t bytes;
    struct mgd_sha256 hash;
};

static struct reading *of(struct mgd_job *job)
{
    return (struct reading *)job;
}

static int64_t mtime_ns(const struct stat *st)
{
    return st->st_mtim.tv_sec * MGC_NS_PER_S + st->st_mtim.tv_nsec;
}

static void tell_head(
    struct reading *reading, enum mgc_device_state state, int errnum, const struct stat *st)
{
    mgd_send(reading->job.session, &(struct mgc_device_msg){.type = MGC_DEVICE_FILE_HEAD,
                                       .id = reading->job.id,
                                       .file_head = {.index = reading->index,
                                           .state = (uint16_t)state,
                                           .errnum = (uint32_t)errnum,
                                           .size_bytes = st ? st->st_size : -1,
                                           .mtime_ns = st ? mtime_ns(st) : -1}});
}

static void open_next(struct reading *reading)
{
    char path[MGD_PATH_MAX];
    struct stat *st = &reading->before;
    if (!mgd_path_join(path, sizeof(path), reading->dir, reading->name)) {
        tell_head(reading, MGC_DEVICE_UNUSABLE, EINVAL, NULL);
        return;
    }
    /* A fifo without a writer would hold an open that blocks. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, st) != 0) {
        bool absent = fd < 0 && (errno == ENOENT || errno == ENOTDIR);
        tell_head(reading, absent ? MGC_DEVICE_ABSENT : MGC_DEVICE_UNUSABLE, errno, NULL);
    } else if (!S_ISREG(st->st_mode)) {
        tell_head(reading, MGC_DEVICE_NO_FILE, 0, st);
    } else if (st->st_size > reading->asked.max_bytes) {
        tell_head(reading, MGC_DEVICE_TOO_LARGE, 0, st);
    } else {
        tell_head(reading, MGC_DEVICE_PRESENT, 0, st);
        mgd_sha256_init(&reading->hash);
        reading->bytes = 0;
        reading->fd = fd;
        return;
    }
    if (fd >= 0)
        close(fd);
}

static void end_file(struct reading *reading, int errnum, bool too_large)
{
    unsigned char digest[MGC_DEVICE_HASH_SIZE];
    struct stat after;
    mgd_sha256_final(&reading->hash, digest);
    bool same = fstat(reading->fd, &after) == 0 && after.st_size == reading->bytes &&
                mtime_ns(&after) == mtime_ns(&reading->before);
    enum mgc_device_state state = errnum      ? MGC_DEVICE_UNUSABLE
                                  : too_large ? MGC_DEVICE_TOO_LARGE
                                  : same      ? MGC_DEVICE_PRESENT
                                              : MGC_DEVICE_CHANGED;
    mgd_send(reading->job.session, &(struct mgc_device_msg){.type = MGC_DEVICE_FILE_END,
                                       .id = reading->job.id,
                                       .file_end = {.index = reading->index,
                                           .state = (uint16_t)state,
                                           .errnum = (uint32_t)errnum,
                                           .size_bytes = reading->bytes,
                                           .sha256 = {digest, sizeof(digest)}}});
    close(reading->fd);
    reading->fd = -1;
}

/* True: there may be more of this file. */
static bool read_some(struct reading *reading)
{
    static unsigned char data[MGC_DEVICE_CHUNK];
    ssize_t len = read(reading->fd, data, sizeof(data));
    if (len < 0 && errno == EINTR)
        return true;
    if (len <= 0 || reading->bytes + len > reading->asked.max_bytes) {
        end_file(reading, len < 0 ? errno : 0, len > 0);
        return false;
    }
    mgd_sha256_update(&reading->hash, data, (size_t)len);
    reading->bytes += len;
    if (!reading->asked.hash_only)
        mgd_send(reading->job.session, &(struct mgc_device_msg){.type = MGC_DEVICE_FILE_DATA,
                                           .id = reading->job.id,
                                           .file_data = {reading->index, {data, (uint32_t)len}}});
    return true;
}

static void work(struct mgd_job *job)
{
    struct reading *reading = of(job);
    if (reading->fd < 0) {
        reading->index = (uint16_t)(reading->index + (reading->name != NULL));
        reading->name = mgc_device_list_next(&reading->asked.names, reading->name);
        if (reading->name)
            open_next(reading);
        else
            mgd_job_done(job);
        return;
    }
    int64_t until = reading->bytes + (reading->asked.hash_only ? HASH_SLICE : MGC_DEVICE_CHUNK);
    while (read_some(reading) && reading->bytes < until)
        continue;
}

static void destroy(struct mgd_job *job)
{
    struct reading *reading = of(job);
    if (reading->fd >= 0)
        close(reading->fd);
    free(reading->dir);
    free(reading->names);
    free(reading);
}

static const struct mgd_job_ops ops = {.work = work, .destroy = destroy};

void mgd_start_read(struct mgd_session *session, const struct mgc_device_msg *msg)
{
    const struct mgc_device_read *asked = &msg->read;
    struct reading *reading = calloc(1, sizeof(*reading));
    if (reading) {
        *reading = (struct reading){.job = {.ops = &ops, .id = msg->id},
            .asked = *asked,
            .dir = strdup(asked->dir),
            .names = malloc(asked->names.size + 1),
            .fd = -1};
    }
    if (!reading || !reading->dir || !reading->names) {
        mgd_failed(session, msg->id, MGC_E_NO_MEMORY, 0, "no memory for reading files");
        if (reading)
            destroy(&reading->job);
        return;
    }
    memcpy(reading->names, asked->names.data, asked->names.size);
    reading->asked.names.data = reading->names;
    mgd_job_add(session, &reading->job);
}
