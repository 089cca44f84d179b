/* Linux errno values as they come from a device: the host may be another system. Pure. */
#ifndef MGC_DEVICE_ERRNUM_H
#define MGC_DEVICE_ERRNUM_H

#include "common/base/error.h"

/* "ENOENT"; "errno 77" for one without a name here, valid until the next call in this thread. */
const char *mgc_device_errnum_name(int errnum);
enum mgc_code mgc_device_errnum_code(int errnum);

#endif
