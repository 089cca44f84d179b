/* The lab's control socket: /run/mglab/control in the lab's private /run, so it cannot outlive the
 * lab. From outside it is reached through /proc/PID/root, which only root and the lab's owner may
 * follow; that path is short whatever the state directory is called.
 *
 * A connection is one request: a line of words, answered by "ok\n" and lines of data, or by
 * "error SENTENCE\n", then end of stream.
 *
 *   touch                         nothing but a sign of use
 *   end                           as SIGTERM to mglab
 *   status                        NAME HOST PID RESTARTS, one line each (pids of the lab)
 *   kill MEMBER SIGNUM
 *   fault set [PHONE.]NAME VALUE
 *   fault clear [[PHONE.]NAME]    or PHONE, for all of that phone's
 *   fault list                    [PHONE.]NAME VALUE, one line each
 */
#ifndef MGC_LAB_CONTROL_H
#define MGC_LAB_CONTROL_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"

#define MGC_LAB_CONTROL_PATH "/run/mglab/control"

enum { MGC_LAB_CONTROL_CLIENTS = 8, MGC_LAB_CONTROL_LINE = 512, MGC_LAB_CONTROL_WORDS = 5 };

/* Carries out one request; false: err is the answer. words[] ends with NULL. */
typedef bool mgc_lab_control_fn(
    char **words, size_t count, struct mgc_buf *out, void *arg, struct mgc_error *err);

struct mgc_lab_control {
    int listen_fd;
    mgc_lab_control_fn *handle;
    void *arg;
    struct mgc_lab_control_client {
        int fd; /* -1: free */
        size_t len;
        int64_t deadline_ns; /* who says nothing is dropped */
        char line[MGC_LAB_CONTROL_LINE];
    } clients[MGC_LAB_CONTROL_CLIENTS];
};

/* Split in place at single spaces; false when there are more than max words. Pure. */
bool mgc_lab_control_split(char *line, char **ret_words, size_t max, size_t *ret_count);

/* Server side, PID 1 only: never blocks. */
bool mgc_lab_control_open(struct mgc_lab_control *control, const char *path,
    mgc_lab_control_fn *handle, void *arg, struct mgc_error *err);
/* A path to the socket in a directory that is short enough for a socket's address whatever the
 * directory's is. It stays valid in this process, for which the directory stays open. */
enum { MGC_LAB_CONTROL_SHORT = 64 };
bool mgc_lab_control_short(
    const char *dir, char ret_path[MGC_LAB_CONTROL_SHORT], struct mgc_error *err);
enum { MGC_LAB_CONTROL_FDS = MGC_LAB_CONTROL_CLIENTS + 1 };
void mgc_lab_control_polls(const struct mgc_lab_control *control, struct pollfd *ret_fds);
void mgc_lab_control_work(struct mgc_lab_control *control, const struct pollfd *fds);
int64_t mgc_lab_control_next(const struct mgc_lab_control *control);

/* Client side: ask through the socket at `path`; the answer's data is appended to out. */
bool mgc_lab_control_ask(
    const char *path, const char *request, struct mgc_buf *out, struct mgc_error *err);

#endif
