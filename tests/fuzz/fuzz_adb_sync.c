/* What a device may send in a sync transfer, in pieces of any size; the first byte is that size. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "worker-host/adb/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void transfer(const char *data, size_t len, size_t step)
{
    struct mgc_adb_sync_parser parser = {0};
    size_t used;
    for (size_t at = 0; at < len; at += used) {
        size_t chunk = step < len - at ? step : len - at, piece_len;
        enum mgc_adb_sync_event event;
        const char *piece;
        if (!mgc_adb_wire_sync_next(
                &parser, data + at, chunk, &used, &event, &piece, &piece_len, NULL))
            return;
        if (used == 0 || used > chunk || piece_len > used)
            abort();
        if (event == MGC_ADB_SYNC_FAIL)
            return; /* the caller stops here */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mgc_adb_stat stat;
    if (size < 2)
        return 0;
    if (size >= MGC_ADB_SYNC_STAT)
        mgc_adb_wire_sync_stat(data, &stat, NULL);
    transfer((const char *)data + 1, size - 1, data[0] ? data[0] : size);
    return 0;
}
