/* The device protocol, either direction: first byte the size of the pieces, the rest a stream. What
 * is accepted must come out of the encoder as it went in. */
#include <stdlib.h>
#include <string.h>

#include "common/device/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct mgc_device_stream *stream, const struct mgc_device_msg *msg)
{
    struct mgc_buf again = {0};
    if (!mgc_device_put_message(&again, msg) || again.len > stream->used ||
        memcmp(again.data, stream->buf.data + stream->used - again.len, again.len) != 0)
        abort();
    mgc_buf_destroy(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mgc_device_stream stream = {0};
    struct mgc_device_msg msg;
    struct mgc_error err;
    enum mgc_device_next next = MGC_DEVICE_MORE;
    struct mgc_buf begin = {0};
    if (size == 0)
        return 0;
    size_t step = 1 + data[0];
    /* Without the preamble the fuzzer would mostly find that it is missing. */
    if (step > 4 && mgc_device_put_preamble(&begin))
        mgc_device_stream_feed(&stream, begin.data, begin.len, NULL);
    mgc_buf_destroy(&begin);
    for (size_t at = 1; at < size && next != MGC_DEVICE_BROKEN; at += step) {
        size_t len = size - at < step ? size - at : step;
        if (!mgc_device_stream_feed(&stream, data + at, len, NULL))
            break;
        while ((next = mgc_device_stream_next(&stream, &msg, &err)) == MGC_DEVICE_MESSAGE)
            check(&stream, &msg);
    }
    mgc_device_stream_destroy(&stream);
    return 0;
}
