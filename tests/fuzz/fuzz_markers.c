/* Any bytes as a client, server or phone log, in two chunks. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/contract/markers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct mgc_markers markers, other;
    memset(&markers, 0, sizeof(markers));
    memset(&other, 0, sizeof(other));
    size_t half = len ? data[0] % len : 0;
    mgc_markers_feed(&markers, data, half);
    mgc_markers_feed(&other, data + half, len - half);
    mgc_markers_finish(&markers);
    mgc_markers_finish(&other);
    mgc_markers_merge(&markers, &other);
    return 0;
}
