/* adb packets and the shell frames inside them. */
#include <stdint.h>

#include "lab/phone/frame.h"
#include "lab/phone/packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mgl_packet packet;
    long taken;
    while ((taken = mgl_packet_decode(data, size, size & 1, &packet, NULL)) > 0) {
        data += taken;
        size -= (size_t)taken;
    }
    struct mgl_frame_parser parser = {0};
    struct mgl_frame_piece piece;
    unsigned rows, cols;
    while (mgl_frame_next(&parser, &data, &size, &piece))
        mgl_frame_parse_window((const char *)piece.data, piece.len, &rows, &cols);
    return 0;
}
