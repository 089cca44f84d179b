/* Any bytes as session messages: what decodes must encode to the same bytes again. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lab/replay/proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct mgr_msg msg;
    struct mgc_buf again = {0};
    size_t used;
    while (mgr_msg_decode(data, len, &msg, &used, NULL) == MGR_DECODE_OK) {
        mgc_buf_clear(&again);
        mgr_msg_encode(&again, &msg);
        if (again.len != used)
            abort();
        data += used;
        len -= used;
    }
    mgc_buf_destroy(&again);
    return 0;
}
