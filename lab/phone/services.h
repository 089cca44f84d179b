/* adb services by name: the one place through which every stream opens. */
#ifndef MGC_LAB_PHONE_SERVICES_H
#define MGC_LAB_PHONE_SERVICES_H

#include "lab/phone/transport.h"

/* Accept or refuse the stream; `arg` is the struct mgl_phone. A profile or a fault that delays or
 * refuses streams belongs here: the host waits for as long as neither has happened. */
void mgl_service_open(struct mgl_stream *stream, const char *name, void *arg);

#endif
