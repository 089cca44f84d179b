/* Any bytes as result.json: parsed or refused, never worse. */
#include <stddef.h>
#include <stdint.h>

#include "common/contract/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct mgc_result_doc doc;
    struct mgc_error err;
    if (mgc_result_parse(data, len, &doc, &err))
        mgc_result_destroy(&doc);
    return 0;
}
