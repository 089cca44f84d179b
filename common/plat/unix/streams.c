#include "common/plat/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void mgc_streams_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
            continue;
        /* The lowest free number is the missing one. Not close-on-exec: it is for children, too. */
        if (open("/dev/null", O_RDWR) != fd)
            abort();
    }
}
