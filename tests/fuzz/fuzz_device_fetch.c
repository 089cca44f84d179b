/* What a broken device program may answer to a READ: messages that decode, in any order. Whatever
 * comes, no file passes its cap, none is left open, and nothing is taken for whole without proof.
 */
#include <stdlib.h>
#include <string.h>

#include "common/device/stream.h"
#include "common/plat/file.h"
#include "tests/lib/temp.h"
#include "worker-host/helper/fetch.h"

enum { FILES = 3, MAX_BYTES = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void feed(struct mgc_fetch *fetch, const uint8_t *data, size_t size)
{
    /* Each message: type among the three, length of its payload, payload. */
    static const uint16_t types[] = {
        MGC_DEVICE_FILE_HEAD, MGC_DEVICE_FILE_DATA, MGC_DEVICE_FILE_END};
    for (size_t at = 0; at + 2 <= size;) {
        struct mgc_device_msg msg;
        size_t len = data[at + 1] < size - at - 2 ? data[at + 1] : size - at - 2;
        if (mgc_device_decode(types[data[at] % 3], 1, data + at + 2, len, &msg, NULL))
            mgc_fetch_take(fetch, &msg);
        at += 2 + len;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char local[512];
    if (!local[0])
        temp_name(local, sizeof(local), "fetch");
    struct mgc_buf into = {.max = 2 * MAX_BYTES};
    struct mgc_helper_file files[FILES] = {
        {.name = "a", .into = &into}, {.name = "b", .local = local}, {.name = "c"}};
    static const size_t wanted[FILES] = {0, 1, 2};
    if (size == 0)
        return 0;
    struct mgc_fetch fetch = {.files = files,
        .wanted = wanted,
        .count = FILES,
        .max_bytes = MAX_BYTES,
        .hash_only = data[0] & 1};
    mgc_fetch_begin(&fetch);
    feed(&fetch, data + 1, size - 1);
    bool ok = mgc_fetch_end(&fetch, data[0] & 2);
    if (fetch.part.file || fetch.bytes > MAX_BYTES || into.len > MAX_BYTES || ok != !fetch.why.code)
        abort();
    mgc_file_remove(local, NULL);
    mgc_buf_destroy(&into);
    return 0;
}
