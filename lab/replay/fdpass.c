#include "lab/replay/fdpass.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"

union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(MGR_FDPASS_MAX * sizeof(int))];
};

bool mgr_fdpass_send(int socket, const int *fds, size_t count, struct mgc_error *err)
{
    union control control = {0};
    char mark = 'F';
    struct iovec part = {&mark, 1};
    struct msghdr msg = {.msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    struct cmsghdr *head = CMSG_FIRSTHDR(&msg);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(head), fds, count * sizeof(int));
    return sendmsg(socket, &msg, MSG_NOSIGNAL) == 1 ||
           mgc_error_errno(err, errno, "send descriptors");
}

/* What came, whatever it was: fds are closed when they are not what was expected. */
static bool take(const struct msghdr *msg, int *ret_fds, size_t count, struct mgc_error *err)
{
    int fds[MGR_FDPASS_MAX];
    const struct cmsghdr *head = CMSG_FIRSTHDR(msg);
    size_t got = 0;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
        got = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    if (got)
        memcpy(fds, CMSG_DATA(head), got * sizeof(int));
    if (got == count && !(msg->msg_flags & MSG_CTRUNC)) {
        memcpy(ret_fds, fds, count * sizeof(int));
        return true;
    }
    for (size_t i = 0; i < got; i++)
        close(fds[i]);
    return mgc_error_set(err, MGC_E_PROTOCOL, "%zu descriptors came, not %zu", got, count);
}

bool mgr_fdpass_receive(
    int socket, int *ret_fds, size_t count, int64_t deadline_ns, struct mgc_error *err)
{
    union control control;
    char mark;
    struct iovec part = {&mark, 1};
    struct msghdr msg = {.msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes)};
    struct pollfd fd = {.fd = socket, .events = POLLIN};
    while (poll(&fd, 1, mgc_deadline_poll_ms(deadline_ns)) < 1) {
        if (mgc_deadline_past(deadline_ns))
            return mgc_error_set(err, MGC_E_TIMEOUT, "no descriptors in time");
    }
    ssize_t len = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (len < 0)
        return mgc_error_errno(err, errno, "receive descriptors");
    if (len == 0)
        return mgc_error_set(err, MGC_E_LOST, "the peer closed before it sent descriptors");
    return take(&msg, ret_fds, count, err);
}
