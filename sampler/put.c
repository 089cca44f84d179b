/* PUT: a file from the host, resumed where an earlier try ended, proved before it gets its name. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/device/errnum.h"
#include "sampler/path.h"
#include "sampler/session.h"
#include "sampler/sha256.h"

enum { SLICE = 1024 * 1024 };

struct putting {
    struct mgd_job job; /* first */
    char path[MGD_PATH_MAX], part[MGD_PATH_MAX + 8];
    int64_t total, bytes; /* bytes: hashed so far */
    int64_t have;         /* of the part, to be hashed before more is taken */
    unsigned char sha256[MGC_DEVICE_HASH_SIZE];
    int fd;
    bool asked_for; /* PUT_READY has been sent */
    struct mgd_sha256 hash;
};

static struct putting *of(struct mgd_job *job)
{
    return (struct putting *)job;
}

static void fail(struct putting *putting, enum mgc_code code, int errnum, const char *what)
{
    mgd_failed(
        putting->job.session, putting->job.id, code, errnum, "put \"%s\": %s", putting->path, what);
    putting->job.over = true;
}

static void fail_errno(struct putting *putting, const char *what)
{
    int errnum = errno;
    fail(putting, mgc_device_errnum_code(errnum), errnum, what);
}

/* A part that does not become the file is of no use to the next try. */
static void finish(struct putting *putting)
{
    unsigned char digest[MGC_DEVICE_HASH_SIZE];
    mgd_sha256_final(&putting->hash, digest);
    if (memcmp(digest, putting->sha256, sizeof(digest)) != 0) {
        unlink(putting->part);
        fail(putting, MGC_E_INTEGRITY, 0, "the hash of what arrived is not the one announced");
        return;
    }
    if (fsync(putting->fd) != 0) {
        fail_errno(putting, "fsync");
        return;
    }
    if (rename(putting->part, putting->path) != 0) {
        fail_errno(putting, "rename");
        return;
    }
    mgd_job_done(&putting->job);
}

static const struct mgd_job_ops taking;

static void ask(struct putting *putting)
{
    putting->asked_for = true;
    putting->job.ops = &taking;
    mgd_send(putting->job.session,
        &(struct mgc_device_msg){
            .type = MGC_DEVICE_PUT_READY, .id = putting->job.id, .put_ready = {putting->bytes}});
    if (putting->bytes == putting->total)
        finish(putting);
}

/* What an earlier try left is hashed, then the rest is asked for. */
static void work(struct mgd_job *job)
{
    static unsigned char data[SLICE];
    struct putting *putting = of(job);
    if (putting->bytes < putting->have) {
        int64_t left = putting->have - putting->bytes;
        ssize_t len = read(putting->fd, data, left < SLICE ? (size_t)left : SLICE);
        if (len > 0) {
            mgd_sha256_update(&putting->hash, data, (size_t)len);
            putting->bytes += len;
            return;
        }
        if (len < 0 && errno == EINTR)
            return;
        if (len < 0) {
            fail_errno(putting, "read its part");
            return;
        }
    }
    ask(putting);
}

static void take(struct mgd_job *job, const struct mgc_device_bytes *bytes)
{
    struct putting *putting = of(job);
    if (!putting->asked_for || (int64_t)bytes->size > putting->total - putting->bytes) {
        fail(putting, MGC_E_PROTOCOL, 0, "more data came than was asked for");
        return;
    }
    for (size_t done = 0; done < bytes->size;) {
        ssize_t len = write(putting->fd, bytes->data + done, bytes->size - done);
        if (len < 0 && errno == EINTR)
            continue;
        if (len <= 0) {
            fail_errno(putting, "write");
            return;
        }
        done += (size_t)len;
    }
    mgd_sha256_update(&putting->hash, bytes->data, bytes->size);
    putting->bytes += bytes->size;
    if (putting->bytes == putting->total)
        finish(putting);
}

static void destroy(struct mgd_job *job)
{
    if (of(job)->fd >= 0)
        close(of(job)->fd);
    free(job);
}

/* With `work` the loop does not sleep: only while a part is hashed. */
static const struct mgd_job_ops hashing = {.work = work, .data = take, .destroy = destroy};
static const struct mgd_job_ops taking = {.data = take, .destroy = destroy};

static bool open_part(struct putting *putting, unsigned mode)
{
    struct stat st;
    putting->fd = open(putting->part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (putting->fd < 0 || fstat(putting->fd, &st) != 0 || fchmod(putting->fd, mode & 0777) != 0)
        return false;
    putting->have = st.st_size;
    if (putting->have > putting->total) {
        putting->have = 0;
        return ftruncate(putting->fd, 0) == 0;
    }
    return true;
}

void mgd_start_put(struct mgd_session *session, const struct mgc_device_msg *msg)
{
    const struct mgc_device_put *asked = &msg->put;
    if (!mgd_path_ok(asked->path) || strlen(asked->path) >= MGD_PATH_MAX ||
        asked->total_bytes < 0 || asked->sha256.size != MGC_DEVICE_HASH_SIZE) {
        mgd_failed(session, msg->id, MGC_E_USAGE, 0,
            "put \"%s\" of %lld bytes: expected an absolute path, a length and a hash", asked->path,
            (long long)asked->total_bytes);
        return;
    }
    struct putting *putting = calloc(1, sizeof(*putting));
    if (!putting) {
        mgd_failed(session, msg->id, MGC_E_NO_MEMORY, 0, "no memory for a file");
        return;
    }
    putting->job.ops = &hashing;
    putting->job.id = msg->id;
    putting->job.session = session;
    putting->total = asked->total_bytes;
    snprintf(putting->path, sizeof(putting->path), "%s", asked->path);
    snprintf(putting->part, sizeof(putting->part), "%s.part", asked->path);
    memcpy(putting->sha256, asked->sha256.data, sizeof(putting->sha256));
    mgd_sha256_init(&putting->hash);
    if (!open_part(putting, asked->mode)) {
        fail_errno(putting, "its part");
        destroy(&putting->job);
        return;
    }
    mgd_job_add(session, &putting->job);
}
