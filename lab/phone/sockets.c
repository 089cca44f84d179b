#include "lab/phone/sockets.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 64 };

int mgl_socket_listen(const char *path, int type, struct mgc_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
        chmod(path, 0666) == 0 && (type != SOCK_STREAM || listen(fd, BACKLOG) == 0))
        return fd;
    mgc_error_errno(err, errno, "listen on '%s'", path);
    if (fd >= 0)
        close(fd);
    return -1;
}
