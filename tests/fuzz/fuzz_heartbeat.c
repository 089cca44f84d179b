/* Any bytes as a heartbeat file: read and judged, or refused. */
#include <stddef.h>
#include <stdint.h>

#include "coordinator/night/heartbeat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct mgc_heartbeat heartbeat;
    struct mgc_buf text = {0};
    if (mgc_heartbeat_parse(data, len, &heartbeat, NULL))
        mgc_heartbeat_judge(&heartbeat, "p", INT64_C(1796040000000000000), 1000, &text);
    mgc_buf_destroy(&text);
    return 0;
}
