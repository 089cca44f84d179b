/* Blocking reads and writes of whole byte counts, for the phone's one-purpose processes. */
#ifndef MGC_LAB_PHONE_IO_H
#define MGC_LAB_PHONE_IO_H

#include <stdbool.h>
#include <stddef.h>

/* False on an error (errno) or end of stream. */
bool mgl_io_read_all(int fd, void *data, size_t len);
bool mgl_io_write_all(int fd, const void *data, size_t len);

#endif
