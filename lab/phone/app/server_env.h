/* The environment the server service gives its server. Pure.
 *
 * Source: MobileGL's ServerEnvironment and MobileGLServerService (contract, section 7). The extra
 * `env` is applied first: entries between ';', the first '=' splits, "K=" sets empty, a bare K
 * unsets, empty entries are ignored. Then what a client's environment must not bring along is
 * removed, and the server's role is forced. */
#ifndef MGC_LAB_PHONE_APP_SERVER_ENV_H
#define MGC_LAB_PHONE_APP_SERVER_ENV_H

#include <stdbool.h>

#include "common/base/fields.h"

struct mgl_server_env {
    const char *const *base; /* NULL-ended "K=V" list */
    const char *files_dir;   /* the log goes there unless the extra says otherwise */
    const char *token;       /* NULL or "": none */
    const char *extra;       /* NULL: none */
};

/* Variables as string fields; false only when memory runs out. */
bool mgl_server_env_build(const struct mgl_server_env *spec, struct mgc_fields *ret_env);

#endif
