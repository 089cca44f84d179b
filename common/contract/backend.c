#include "common/contract/backend.h"

#include <string.h>

bool mgc_backend_is_known(const char *name)
{
    return strcmp(name, "DirectGLES") == 0 || strcmp(name, "DirectVulkan") == 0;
}
