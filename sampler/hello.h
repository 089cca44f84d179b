/* The first message: which protocol, and what we are. */
#ifndef MGD_HELLO_H
#define MGD_HELLO_H

#include "sampler/session.h"

/* Answer a HELLO: true, and the version is agreed. Anything else is answered with FAILED. */
bool mgd_hello(struct mgd_session *session, const struct mgc_device_msg *msg);

#endif
