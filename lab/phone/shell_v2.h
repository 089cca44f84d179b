/* A running process behind a shell v2 stream: frames in, frames out, exit code last. */
#ifndef MGC_LAB_PHONE_SHELL_V2_H
#define MGC_LAB_PHONE_SHELL_V2_H

#include <sys/types.h>

#include "lab/phone/loop.h"
#include "lab/phone/stream.h"

/* Our ends, non-blocking; err is -1 for a terminal, where out carries both. */
struct mgl_shell_v2_fds {
    int in, out, err;
};

/* Accept the stream and take over the descriptors and the child. The exit frame is sent once the
 * process has ended and nobody holds its output open any more, as adbd does it. */
void mgl_shell_v2_start(struct mgl_loop *loop, struct mgl_stream *stream,
    const struct mgl_shell_v2_fds *fds, pid_t pid);

#endif
