#include "lab/phone/syncd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "lab/knob/knob.h"
#include "lab/phone/io.h"
#include "lab/phone/le.h"
#include "lab/phone/sync.h"

enum { SLOW_MS = 20 };

static bool send_buf(int fd, struct mgc_buf *out)
{
    bool sent = mgc_buf_ok(out) && mgl_io_write_all(fd, out->data, out->len);
    mgc_buf_destroy(out);
    return sent;
}

static bool send_fail(int fd, const char *what, int errnum)
{
    char text[256];
    if (errnum)
        snprintf(text, sizeof(text), "%s: %s", what, strerror(errnum));
    else
        snprintf(text, sizeof(text), "%s", what);
    struct mgc_buf out = {0};
    mgl_sync_append_fail(&out, text);
    return send_buf(fd, &out);
}

static struct mgl_sync_stat to_stat(const struct stat *st)
{
    return (struct mgl_sync_stat){
        (uint32_t)st->st_mode, (uint32_t)st->st_size, (uint32_t)st->st_mtime};
}

static bool serve_stat(int fd, const char *path)
{
    struct stat st;
    struct mgl_sync_stat reply = {0};
    if (lstat(path, &st) == 0)
        reply = to_stat(&st);
    struct mgc_buf out = {0};
    mgl_sync_append_stat(&out, &reply);
    return send_buf(fd, &out);
}

/* A directory that cannot be read lists as empty: version 1 has no way to say more. */
static bool serve_list(int fd, const char *path)
{
    struct mgc_buf out = {0};
    DIR *dir = opendir(path);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        struct stat st;
        if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        struct mgl_sync_stat stat = to_stat(&st);
        mgl_sync_append_dent(&out, &stat, entry->d_name);
    }
    if (dir)
        closedir(dir);
    mgl_sync_append_list_end(&out);
    return send_buf(fd, &out);
}

static bool send_data(int fd, uint8_t *chunk, size_t len)
{
    mgl_put_le32(chunk, MGL_SYNC_DATA);
    mgl_put_le32(chunk + 4, (uint32_t)len);
    return mgl_io_write_all(fd, chunk, MGL_SYNC_HEAD + len);
}

static bool serve_recv(int fd, const char *path)
{
    static uint8_t chunk[MGL_SYNC_HEAD + MGL_SYNC_DATA_MAX];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return send_fail(fd, "open failed", errno);
    ssize_t got;
    bool ok = true;
    while (ok && (got = read(file, chunk + MGL_SYNC_HEAD, MGL_SYNC_DATA_MAX)) > 0)
        ok = send_data(fd, chunk, (size_t)got);
    int errnum = errno;
    close(file);
    if (!ok)
        return false;
    if (got < 0)
        return send_fail(fd, "read failed", errnum);
    struct mgc_buf out = {0};
    mgl_sync_append_head(&out, MGL_SYNC_DONE, 0);
    return send_buf(fd, &out);
}

/* The feature "fixed_push_mkdir" promises that SEND makes missing parents. */
static void make_parents(const char *path)
{
    char copy[MGL_SYNC_PATH_MAX + 1];
    snprintf(copy, sizeof(copy), "%s", path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(copy, 0775);
        *slash = '/';
    }
}

/* What a SEND is doing; after a failure the rest of the data is read and dropped. */
struct receive {
    const char *path;
    uint32_t mode;
    int file; /* -1 for a link, and after a failure */
    const char *failed;
    int errnum;
    char link[MGL_SYNC_PATH_MAX + 1];
    size_t link_len;
};

static void receive_failed(struct receive *receive, const char *what, int errnum)
{
    if (receive->failed)
        return;
    receive->failed = what;
    receive->errnum = errnum;
}

static void receive_open(struct receive *receive)
{
    receive->file = -1;
    make_parents(receive->path);
    if (S_ISLNK(receive->mode))
        return;
    /* As adbd: a file in the way is replaced, not rewritten, so a running program is no obstacle.
     */
    unlink(receive->path);
    receive->file = open(receive->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (receive->file < 0)
        receive_failed(receive, "couldn't create file", errno);
}

static void receive_data(struct receive *receive, const uint8_t *data, size_t len)
{
    struct mgl_knob slow;
    if (receive->failed)
        return;
    if (mgl_knob_get("phone-slow-storage", &slow))
        mgc_sleep_ms(mgl_knob_number(&slow, SLOW_MS));
    if (receive->file >= 0) {
        if (!mgl_io_write_all(receive->file, data, len))
            receive_failed(receive, "write failed", errno);
    } else if (len < sizeof(receive->link) - receive->link_len) {
        memcpy(receive->link + receive->link_len, data, len);
        receive->link_len += len;
    } else {
        receive_failed(receive, "couldn't create symlink", ENAMETOOLONG);
    }
}

static void receive_done(struct receive *receive, uint32_t mtime)
{
    if (!receive->failed && S_ISLNK(receive->mode)) {
        unlink(receive->path);
        if (symlink(receive->link, receive->path) != 0)
            receive_failed(receive, "couldn't create symlink", errno);
    }
    if (receive->file < 0)
        return;
    /* The host's group bits mean nothing here; adbd repeats the owner's for the group. */
    mode_t mode = receive->mode & 0777;
    fchmod(receive->file, mode | ((mode >> 3) & 0070));
    struct timespec times[2] = {{.tv_sec = mtime}, {.tv_sec = mtime}};
    futimens(receive->file, times);
    close(receive->file);
    if (receive->failed)
        unlink(receive->path);
}

static bool serve_send(int fd, char *spec)
{
    static uint8_t chunk[MGL_SYNC_DATA_MAX];
    struct receive receive = {.file = -1};
    if (mgl_sync_parse_send(spec, &receive.path, &receive.mode))
        receive_open(&receive);
    else
        receive_failed(&receive, "bad SEND request", EINVAL);
    struct mgl_sync_head head;
    for (;;) {
        uint8_t bytes[MGL_SYNC_HEAD];
        if (!mgl_io_read_all(fd, bytes, sizeof(bytes)))
            return false;
        mgl_sync_head_decode(bytes, &head);
        if (!mgl_sync_check_chunk(&head, NULL))
            return false;
        if (head.id == MGL_SYNC_DONE)
            break;
        if (!mgl_io_read_all(fd, chunk, head.number))
            return false;
        receive_data(&receive, chunk, head.number);
    }
    receive_done(&receive, head.number);
    if (receive.failed)
        return send_fail(fd, receive.failed, receive.errnum);
    struct mgc_buf out = {0};
    mgl_sync_append_head(&out, MGL_SYNC_OKAY, 0);
    return send_buf(fd, &out);
}

static bool serve_request(int fd, const struct mgl_sync_head *head, char *path)
{
    switch (head->id) {
    case MGL_SYNC_STAT:
        return serve_stat(fd, path);
    case MGL_SYNC_LIST:
        return serve_list(fd, path);
    case MGL_SYNC_RECV:
        return serve_recv(fd, path);
    case MGL_SYNC_SEND:
        return serve_send(fd, path);
    default: /* QUIT */
        return false;
    }
}

int mgl_syncd_run(int fd)
{
    for (;;) {
        uint8_t bytes[MGL_SYNC_HEAD];
        if (!mgl_io_read_all(fd, bytes, sizeof(bytes)))
            return 0;
        struct mgl_sync_head head;
        struct mgc_error err;
        mgl_sync_head_decode(bytes, &head);
        if (!mgl_sync_check_request(&head, &err)) {
            send_fail(fd, err.text, 0);
            return 1;
        }
        char path[MGL_SYNC_PATH_MAX + 1] = "";
        if (head.id != MGL_SYNC_QUIT && !mgl_io_read_all(fd, path, head.number))
            return 1;
        if (!serve_request(fd, &head, path))
            return 0;
    }
}
