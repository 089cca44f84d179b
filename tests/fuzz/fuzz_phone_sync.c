/* The file service's messages and SEND specs, and the log's datagrams. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lab/phone/logd.h"
#include "lab/phone/sync.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mgl_logd_entry entry;
    if (mgl_logd_decode(data, size, &entry) &&
        (const uint8_t *)entry.text + entry.text_len != data + size)
        abort();
    if (size < MGL_SYNC_HEAD)
        return 0;
    struct mgl_sync_head head;
    mgl_sync_head_decode(data, &head);
    mgl_sync_check_request(&head, NULL);
    mgl_sync_check_chunk(&head, NULL);
    size_t len =
        size - MGL_SYNC_HEAD < MGL_SYNC_PATH_MAX ? size - MGL_SYNC_HEAD : MGL_SYNC_PATH_MAX;
    char spec[MGL_SYNC_PATH_MAX + 1];
    memcpy(spec, data + MGL_SYNC_HEAD, len);
    spec[len] = 0;
    const char *path;
    uint32_t mode;
    mgl_sync_parse_send(spec, &path, &mode);
    return 0;
}
