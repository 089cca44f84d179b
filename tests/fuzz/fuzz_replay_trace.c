/* Any bytes as a trace and as a run of records. */
#include <stddef.h>
#include <stdint.h>

#include "lab/replay/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct mgr_trace_head head;
    struct mgr_record record;
    struct mgc_buf again = {0};
    size_t at = 0;
    mgr_trace_check(data, len, &head, NULL);
    while (mgr_trace_next(data, len, &at, &record)) {
        for (uint32_t i = 0; record.kind == MGR_RECTS && i < record.count; i++)
            (void)mgr_record_rect(&record, i);
        mgc_buf_clear(&again);
        mgr_record_expand(&again, &record);
    }
    mgc_buf_destroy(&again);
    return 0;
}
