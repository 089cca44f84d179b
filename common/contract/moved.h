/* What an arm moved to its renderer and by what, where the client's library says so itself:
 *
 *   mglab: transport=tcp moved ring=0 shared=0 socket=25912345 bytes
 *
 * The lab's library does (docs/lab.md); no build of MobileGL that is known has such a line. Pure;
 * any log prefix is passed over.
 */
#ifndef MGC_CONTRACT_MOVED_H
#define MGC_CONTRACT_MOVED_H

#include <stdbool.h>
#include <stdint.h>

struct mgc_moved {
    int64_t ring_bytes, shared_bytes, socket_bytes; /* of the whole run, records and staged data */
};

/* False: another line, or one that breaks the form. */
bool mgc_moved_parse(const char *line, struct mgc_moved *ret_moved);

#endif
