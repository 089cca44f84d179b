/* PID 1's end of the log socket: datagrams into the ring, and the phone's own lines. */
#ifndef MGC_LAB_PHONE_LOG_SERVER_H
#define MGC_LAB_PHONE_LOG_SERVER_H

#include <stdbool.h>

#include "common/base/error.h"
#include "lab/phone/logd.h"

struct mgl_phone;

bool mgl_log_server_start(struct mgl_phone *phone, struct mgc_error *err);
void mgl_log_server_stop(struct mgl_phone *phone);

/* A line of the phone itself, as Android's system processes write them. */
void mgl_phone_log(struct mgl_phone *phone, enum mgl_log_prio prio, const char *tag,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
