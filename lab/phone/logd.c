#include "lab/phone/logd.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/phone/le.h"

enum { LOGD_VERSION = 1, WRITE_WAIT_MS = 250 };

size_t mgl_logd_encode(uint8_t *buf, const struct mgl_logd_entry *entry)
{
    size_t tag_len = strnlen(entry->tag, MGL_LOGD_TAG_MAX);
    size_t text_len = entry->text_len < MGL_LOGD_TEXT_MAX ? entry->text_len : MGL_LOGD_TEXT_MAX;
    buf[0] = LOGD_VERSION;
    buf[1] = (uint8_t)entry->prio;
    mgl_put_le32(buf + 2, entry->tid);
    mgl_put_le64(buf + 6, (uint64_t)entry->wall_ns);
    memcpy(buf + MGL_LOGD_HEAD, entry->tag, tag_len);
    buf[MGL_LOGD_HEAD + tag_len] = 0;
    memcpy(buf + MGL_LOGD_HEAD + tag_len + 1, entry->text, text_len);
    return MGL_LOGD_HEAD + tag_len + 1 + text_len;
}

bool mgl_logd_decode(const uint8_t *data, size_t len, struct mgl_logd_entry *ret_entry)
{
    if (len < MGL_LOGD_HEAD + 1 || len > MGL_LOGD_DATAGRAM_MAX || data[0] != LOGD_VERSION)
        return false;
    if (data[1] < MGL_LOG_VERBOSE || data[1] > MGL_LOG_FATAL)
        return false;
    const char *tag = (const char *)data + MGL_LOGD_HEAD;
    size_t left = len - MGL_LOGD_HEAD;
    size_t tag_len = strnlen(tag, left);
    if (tag_len == left || tag_len > MGL_LOGD_TAG_MAX)
        return false;
    *ret_entry = (struct mgl_logd_entry){
        .prio = (enum mgl_log_prio)data[1],
        .tid = mgl_get_le32(data + 2),
        .wall_ns = (int64_t)mgl_get_le64(data + 6),
        .tag = tag,
        .text = tag + tag_len + 1,
        .text_len = left - tag_len - 1,
    };
    return true;
}

/* A socket per entry: no state to go stale over fork, and the log is no hot path here. */
static int open_log(void)
{
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    struct timeval wait = {.tv_usec = WRITE_WAIT_MS * 1000};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = MGL_LOGD_SOCKET};
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
        return fd;
    close(fd);
    return -1;
}

bool mgl_logd_write(enum mgl_log_prio prio, const char *tag, const char *text)
{
    int fd = open_log();
    if (fd < 0)
        return false;
    struct mgl_logd_entry entry = {
        .prio = prio,
        .tid = (uint32_t)syscall(SYS_gettid),
        .wall_ns = mgc_wall_ns(),
        .tag = tag,
        .text = text,
        .text_len = strlen(text),
    };
    uint8_t datagram[MGL_LOGD_DATAGRAM_MAX];
    size_t len = mgl_logd_encode(datagram, &entry);
    bool sent = send(fd, datagram, len, MSG_NOSIGNAL) == (ssize_t)len;
    close(fd);
    return sent;
}
