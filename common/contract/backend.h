/* The render backends that MobileGL names: what a plan may ask for and a worker takes. Any thread.
 */
#ifndef MGC_CONTRACT_BACKEND_H
#define MGC_CONTRACT_BACKEND_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/base/fields.h"

#define MGC_BACKENDS_TEXT "DirectGLES or DirectVulkan"

bool mgc_backend_is_known(const char *name);
/* The check of a task's string parameter. */
bool mgc_backend_check(const struct mgc_value *value, struct mgc_error *err);

#endif
