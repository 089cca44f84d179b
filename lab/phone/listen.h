/* Where adb connects. */
#ifndef MGC_LAB_PHONE_LISTEN_H
#define MGC_LAB_PHONE_LISTEN_H

#include "common/base/error.h"

/* Listen on "ADDR:PORT"; a descriptor or -1. */
int mgl_listen(const char *where, struct mgc_error *err);

#endif
