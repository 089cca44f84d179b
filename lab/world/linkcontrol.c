#include "lab/world/linkcontrol.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "common/base/clock.h"
#include "lab/link/emulator.h"

enum { ANSWER_MS = 5000 };

bool mgc_lab_linkcontrol_open(struct mgc_lab_linkcontrol *control, struct mgc_error *err)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return mgc_error_errno(err, errno, "making a socket pair");
    *control = (struct mgc_lab_linkcontrol){.fd = pair[0], .remote_fd = pair[1]};
    return true;
}

/* Answers to requests that were given up on are passed over. */
static bool await_answer(struct mgc_lab_linkcontrol *control, struct mgc_error *err)
{
    int64_t deadline = mgc_deadline_in_ms(ANSWER_MS);
    struct pollfd ready = {.fd = control->fd, .events = POLLIN};
    uint32_t number;
    for (;;) {
        int rc = poll(&ready, 1, mgc_deadline_poll_ms(deadline));
        if (rc < 0 && errno != EINTR)
            return mgc_error_errno(err, errno, "waiting for mglab-link");
        if (rc == 0)
            return mgc_error_set(
                err, MGC_E_TIMEOUT, "mglab-link did not answer within %d s", ANSWER_MS / 1000);
        if (rc < 0 || recv(control->fd, &number, sizeof number, MSG_DONTWAIT) != sizeof number)
            continue;
        if ((number & ~MGC_LAB_LINK_REFUSED) == control->number)
            return number == control->number ||
                   mgc_error_set(
                       err, MGC_E_FAILED, "mglab-link refused its new settings; see link.log");
    }
}

bool mgc_lab_linkcontrol_reload(struct mgc_lab_linkcontrol *control, struct mgc_error *err)
{
    control->number = (control->number + 1) & ~MGC_LAB_LINK_REFUSED;
    if (send(control->fd, &control->number, sizeof control->number, MSG_NOSIGNAL | MSG_DONTWAIT) <
        0)
        return mgc_error_errno(err, errno, "asking mglab-link");
    return await_answer(control, err);
}
