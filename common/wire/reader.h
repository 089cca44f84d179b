/* The walk over a received frame that comes before any unpacking.
 *
 * msgpack-c reserves memory for whatever count a peer declares and recurses as deep as a peer
 * nests, so nothing else in the suite may call its unpacker, and here it is called only after
 * this walk said yes. Pure; any thread; allocates nothing.
 */
#ifndef MGC_WIRE_READER_H
#define MGC_WIRE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

/* True when data is exactly one msgpack map within the caps of msg.h (size, depth, values in all),
 * every declared count and length fits the bytes that are left, and no extension type occurs.
 * Otherwise MGC_E_PROTOCOL, naming the byte. */
bool mgc_wire_check(const void *data, size_t len, struct mgc_error *err);

#endif
