#include "common/contract/backend.h"

#include <string.h>

bool mgc_backend_is_known(const char *name)
{
    return strcmp(name, "DirectGLES") == 0 || strcmp(name, "DirectVulkan") == 0;
}

bool mgc_backend_check(const struct mgc_value *value, struct mgc_error *err)
{
    return mgc_backend_is_known(value->string) ||
           mgc_error_set(
               err, MGC_E_CONFIG, "expected " MGC_BACKENDS_TEXT ", got \"%.40s\"", value->string);
}
