/* Any text as an enrolment file: no crash, an error says something, and what is accepted is whole.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/bus/keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mgc_enrolment enrolment;
    struct mgc_error err = {0};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    bool ok = mgc_enrolment_parse(text, "f", &enrolment, &err);
    if (ok ? enrolment.address_count == 0 || !enrolment.name[0] : err.code == MGC_OK)
        abort();
    mgc_enrolment_destroy(&enrolment);
    free(text);
    return 0;
}
