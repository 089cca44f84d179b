/* Bytes written out by hand, field by field: "\x81" "\x00" "\x01". Shared by the wire tests. */
#ifndef MGC_TESTS_WIRE_BYTES_H
#define MGC_TESTS_WIRE_BYTES_H

#include <stddef.h>

struct bytes {
    const char *data;
    size_t len;
};

/* The literal's own terminator is not part of it. */
#define BYTES(literal) ((struct bytes){(literal), sizeof(literal) - 1})

#endif
