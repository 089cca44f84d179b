/* meta.txt and verify.txt of a directory that an old script left. */
#include <stddef.h>
#include <stdint.h>

#include "coordinator/legacy/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mgc_fields fields;
    if (mgc_old_meta_parse((const char *)data, size, &fields, NULL))
        mgc_fields_destroy(&fields);
    if (mgc_old_verify_parse((const char *)data, size, &fields, NULL))
        mgc_fields_destroy(&fields);
    return 0;
}
