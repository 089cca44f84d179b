#include "lab/phone/log_server.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/phone/phone.h"
#include "lab/phone/sockets.h"

enum { RECEIVE_BUFFER = 4 << 20, BATCH = 64 };

/* One entry; false when the socket is empty. */
static bool receive_one(struct mgl_phone *phone)
{
    uint8_t datagram[MGL_LOGD_DATAGRAM_MAX + 1];
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec iov = {datagram, sizeof(datagram)};
    struct msghdr message = {.msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes)};
    ssize_t got = recvmsg(phone->log_watch.fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0)
        return false;
    struct ucred writer = {0};
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_type == SCM_CREDENTIALS && head->cmsg_level == SOL_SOCKET)
        memcpy(&writer, CMSG_DATA(head), sizeof(writer));
    mgl_log_ring_add(
        &phone->log, (uint32_t)writer.pid, (uint32_t)writer.uid, datagram, (size_t)got);
    return true;
}

/* In batches, so that a flood cannot keep the loop from adb. */
static void log_ready(struct mgl_watch *watch, uint32_t events)
{
    struct mgl_phone *phone = watch->arg;
    for (int i = 0; i < BATCH && receive_one(phone); i++)
        ;
    mgl_control_log_grew(&phone->control);
}

bool mgl_log_server_start(struct mgl_phone *phone, struct mgc_error *err)
{
    mgl_log_ring_init(&phone->log);
    int fd = mgl_socket_listen(MGL_LOGD_SOCKET, SOCK_DGRAM, err);
    if (fd < 0)
        return false;
    int on = 1, size = RECEIVE_BUFFER;
    setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
    phone->log_watch.ready = log_ready;
    phone->log_watch.arg = phone;
    return mgl_watch_add(&phone->loop, &phone->log_watch, fd, EPOLLIN);
}

void mgl_log_server_stop(struct mgl_phone *phone)
{
    if (phone->log_watch.loop) {
        int fd = phone->log_watch.fd;
        mgl_watch_remove(&phone->log_watch);
        close(fd);
    }
    mgl_log_ring_destroy(&phone->log);
}

void mgl_phone_log(
    struct mgl_phone *phone, enum mgl_log_prio prio, const char *tag, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    struct mgl_logd_entry entry = {.prio = prio,
        .tid = (uint32_t)getpid(),
        .wall_ns = mgc_wall_ns(),
        .tag = tag,
        .text = text,
        .text_len = strlen(text)};
    uint8_t datagram[MGL_LOGD_DATAGRAM_MAX];
    size_t len = mgl_logd_encode(datagram, &entry);
    mgl_log_ring_add(&phone->log, (uint32_t)getpid(), 0, datagram, len);
    mgl_control_log_grew(&phone->control);
}
