/* Any bytes as benchmark.json: parsed or refused, never worse. */
#include <stddef.h>
#include <stdint.h>

#include "common/contract/benchmark.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct mgc_benchmark_doc doc;
    struct mgc_error err;
    if (mgc_benchmark_parse(data, len, &doc, &err))
        mgc_benchmark_destroy(&doc);
    return 0;
}
