#include "common/plat/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

void mgc_streams_open(void)
{
    signal(SIGXFSZ, SIG_IGN); /* beyond the limit for a file's size a write fails with EFBIG */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
            continue;
        /* The lowest free number is the missing one. Not close-on-exec: it is for children, too. */
        if (open("/dev/null", O_RDWR) != fd)
            abort();
    }
}
