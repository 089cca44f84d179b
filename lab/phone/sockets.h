/* Unix sockets of the phone's PID 1, open to every uid (the kernel tells who calls). */
#ifndef MGC_LAB_PHONE_SOCKETS_H
#define MGC_LAB_PHONE_SOCKETS_H

#include "common/base/error.h"

/* Bound to path, non-blocking, listening when `type` is SOCK_STREAM; -1 on failure. */
int mgl_socket_listen(const char *path, int type, struct mgc_error *err);

#endif
