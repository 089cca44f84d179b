/* Who listens on a port that we wanted: by /proc, as far as we may look (proc(5), /proc/net/tcp);
 * and who we are, for those who find what we hold.
 */
#ifndef MGC_CONTROL_HOLDER_H
#define MGC_CONTROL_HOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

/* Inode of the socket that listens on the port, in the text of /proc/net/tcp or tcp6. Pure. */
bool mgc_holder_inode(const char *text, unsigned port, uint64_t *ret_inode);

/* Replace a MGC_E_BUSY of the endpoint ("tcp://127.0.0.1:40700") by one that names the process, and
 * its run if it is a coordinator; other errors, and one whose holder cannot be seen, stay. */
void mgc_holder_explain(const char *endpoint, struct mgc_error *err);

/* "HOST, process PID" of this program. */
void mgc_holder_where(char *ret_text, size_t size);

#endif
