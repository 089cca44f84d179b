/* Any bytes as result.json, and as the value of one of its keys: parsed or refused, never worse.
 * The JSON library itself is not instrumented, so a fuzzer would hardly find the keys alone. */
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/contract/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void parse(const void *data, size_t len)
{
    struct mgc_result_doc doc;
    struct mgc_error err;
    if (mgc_result_parse(data, len, &doc, &err))
        mgc_result_destroy(&doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const char *const keys[] = {
        "passed", "statusCode", "ssim", "message", "alternateGoldenPaths"};
    parse(data, len);
    if (len == 0)
        return 0;
    struct mgc_buf text = {0};
    mgc_buf_printf(&text, "{\"%s\": ", keys[data[0] % (sizeof(keys) / sizeof(keys[0]))]);
    mgc_buf_append(&text, data + 1, len - 1);
    mgc_buf_putc(&text, '}');
    parse(text.data, text.len);
    mgc_buf_destroy(&text);
    return 0;
}
