/* Any bytes as a header frame: no crash, no runaway memory, and whatever is accepted encodes to a
 * frame that decodes to the same bytes again. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/wire/msg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void encode(const struct mgc_msg *msg, struct mgc_buf *out)
{
    struct mgc_error err = {0};
    /* Only the caps may stop it: floats of 32 bits grow to 64. */
    if (!mgc_msg_encode(msg, out, &err) && err.code != MGC_E_NO_MEMORY)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mgc_msg msg, again;
    struct mgc_error err = {0};
    if (!mgc_msg_decode(data, size, &msg, &err)) {
        if (err.code == MGC_OK || !err.text[0])
            abort();
        return 0;
    }
    struct mgc_buf first = {0}, second = {0};
    encode(&msg, &first);
    mgc_msg_destroy(&msg);
    if (first.len) {
        if (!mgc_msg_decode(first.data, first.len, &again, &err))
            abort();
        encode(&again, &second);
        mgc_msg_destroy(&again);
        if (first.len != second.len || memcmp(first.data, second.data, first.len) != 0)
            abort();
    }
    mgc_buf_destroy(&first);
    mgc_buf_destroy(&second);
    return 0;
}
