/* Any bytes as a client log, in two chunks. */
#include <stddef.h>
#include <stdint.h>

#include "common/contract/link_metrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct mgc_link_log log = {0};
    size_t half = len ? data[0] % len : 0;
    mgc_link_log_feed(&log, data, half);
    mgc_link_log_feed(&log, data + half, len - half);
    mgc_link_log_finish(&log);
    mgc_link_log_destroy(&log);
    return 0;
}
