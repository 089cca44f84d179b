#include "coordinator/control/socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "coordinator/store/run_note.h"

enum { BACKLOG = 8 };

static bool set_address(struct sockaddr_un *address, const char *path)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    size_t len = strlen(path);
    if (len >= sizeof(address->sun_path))
        return false;
    memcpy(address->sun_path, path, len);
    return true;
}

/* ---- listening ---- */

static int listen_at(const char *path, struct mgc_error *err)
{
    struct sockaddr_un address;
    if (!set_address(&address, path)) {
        mgc_error_set(err, MGC_E_UNSUPPORTED, "'%s' is too long for a socket's path", path);
        return -1;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    /* The mode before bind is the one that the file gets: there is no moment when others could. */
    if (fd >= 0 && fchmod(fd, 0600) == 0 &&
        bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    mgc_error_errno(err, errno, "listen on '%s'", path);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* A directory in /tmp could be somebody else's trap. */
static bool is_ours_alone(const char *dir)
{
    struct stat info;
    return lstat(dir, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           (info.st_mode & 077) == 0;
}

static bool user_dir(char ret_dir[MGC_PATH_MAX], struct mgc_error *err)
{
    if (!mgc_run_user_dir(ret_dir))
        return mgc_error_set(err, MGC_E_CONFIG, "XDG_RUNTIME_DIR is too long");
    if (mkdir(ret_dir, 0700) != 0 && errno != EEXIST)
        return mgc_error_errno(err, errno, "make '%s'", ret_dir);
    return is_ours_alone(ret_dir) ||
           mgc_error_set(err, MGC_E_DENIED,
               "'%s': expected a directory of this user that nobody else may enter", ret_dir);
}

int mgc_control_listen(
    const char *dir, const char *run_id, char ret_path[MGC_PATH_MAX], struct mgc_error *err)
{
    char own[MGC_PATH_MAX];
    if (mgc_path_join(ret_path, MGC_PATH_MAX, dir, "control.sock")) {
        int fd = listen_at(ret_path, err);
        if (fd >= 0)
            return fd;
    }
    if (!user_dir(own, err))
        return -1;
    int len = snprintf(ret_path, MGC_PATH_MAX, "%s/%s.sock", own, run_id);
    if (len < 0 || len >= MGC_PATH_MAX) {
        mgc_error_set(err, MGC_E_CONFIG, "run '%s': name is too long", run_id);
        return -1;
    }
    return listen_at(ret_path, err);
}

/* ---- connections ---- */

static bool may_enter(int fd)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
           (peer.uid == 0 || peer.uid == geteuid());
}

int mgc_control_accept(int listener)
{
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (fd < 0 || may_enter(fd))
            return fd;
        close(fd);
    }
}

int mgc_control_connect(const char *path, struct mgc_error *err)
{
    struct sockaddr_un address;
    if (!set_address(&address, path)) {
        mgc_error_set(err, MGC_E_UNSUPPORTED, "'%s' is too long for a socket's path", path);
        return -1;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
        return fd;
    mgc_error_errno(err, errno, "connect to '%s'", path);
    if (fd >= 0)
        close(fd);
    return -1;
}
