/* Settings of the running phone: properties and the tables behind `settings`, Doze and power.
 *
 * A namespace is "prop", "global", "system", "secure", "doze" (whitelisted packages) or "power".
 * Lives as long as the phone runs. */
#ifndef MGC_LAB_PHONE_STORE_H
#define MGC_LAB_PHONE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/fields.h"

enum mgl_space {
    MGL_SPACE_PROP,
    MGL_SPACE_GLOBAL,
    MGL_SPACE_SYSTEM,
    MGL_SPACE_SECURE,
    MGL_SPACE_DOZE,
    MGL_SPACE_POWER,
    MGL_SPACE_COUNT
};

/* Tenths of a degree C. */
#define MGL_BATTERY_DC "300"

struct mgl_store {
    struct mgc_fields spaces[MGL_SPACE_COUNT];
};

/* With a phone's first values; `uids_real` becomes ro.mglab.uids. */
bool mgl_store_init(struct mgl_store *store, bool uids_real);
void mgl_store_destroy(struct mgl_store *store);

bool mgl_space_parse(const char *name, enum mgl_space *ret_space);
/* Property rules: "ro." once only, values under 92 bytes otherwise; names of 1 to 255 bytes. */
bool mgl_store_may_put(
    const struct mgl_store *store, enum mgl_space space, const char *key, const char *value);
/* The properties ctl.start, ctl.restart and ctl.stop: a service of init changes its state, at once.
 * False when there is no such service (or property of that kind). */
bool mgl_store_control(struct mgl_store *store, const char *key, const char *service);
/* NULL value removes. */
bool mgl_store_put(
    struct mgl_store *store, enum mgl_space space, const char *key, const char *value);
const char *mgl_store_get(const struct mgl_store *store, enum mgl_space space, const char *key);

#endif
