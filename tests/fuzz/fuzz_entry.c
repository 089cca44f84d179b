/* Undo journal entries: any bytes parse or are refused, and what parses can be written again. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/task/entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mgc_entry entry = {0};
    struct mgc_error err = {0};
    if (!mgc_entry_parse((const char *)data, size, "fuzz", &entry, &err))
        return 0;
    struct mgc_buf out = {0};
    struct mgc_entry again = {0};
    if (mgc_entry_format(&entry, &out)) {
        if (!mgc_entry_parse(mgc_buf_text(&out), out.len, "again", &again, &err))
            abort();
        mgc_entry_destroy(&again);
    }
    mgc_buf_destroy(&out);
    mgc_entry_destroy(&entry);
    return 0;
}
