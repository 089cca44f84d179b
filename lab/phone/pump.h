/* A service that is one descriptor: bytes of the stream go in, bytes that come out go to the host.
 *
 * Raw shell and exec (socket pair or terminal of a process), sync (socket pair of the file service)
 * and forwarded sockets. The stream ends when the descriptor does. When the host closes first, what
 * it has sent still goes in, then the end; whoever takes nothing and does not end for 10 s is left,
 * and a process behind it gets SIGHUP. */
#ifndef MGC_LAB_PHONE_PUMP_H
#define MGC_LAB_PHONE_PUMP_H

#include <stdbool.h>
#include <sys/types.h>

#include "lab/phone/loop.h"
#include "lab/phone/stream.h"

/* Accept the stream and take over fd (non-blocking). `group` is the process group behind it, 0 for
 * none. False (fd closed, stream refused) when memory runs out. */
bool mgl_pump_start(struct mgl_loop *loop, struct mgl_stream *stream, int fd, pid_t group);

/* Leave all that linger after their stream. */
void mgl_pumps_end(void);

#endif
