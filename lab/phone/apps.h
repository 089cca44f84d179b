/* Running apps: which services of which package live, and how all of a package is ended. */
#ifndef MGC_LAB_PHONE_APPS_H
#define MGC_LAB_PHONE_APPS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "lab/phone/loop.h"
#include "lab/phone/packages.h"

struct mgl_phone;

/* One running component: the child is its Android process (mgphone-app). */
struct mgl_app_process {
    struct mgl_child child;
    struct mgl_phone *phone;               /* borrowed */
    const struct mgl_package *package;     /* borrowed, static */
    const struct mgl_component *component; /* borrowed, static */
    struct mgl_app_process *next;
};

/* Start a component with extras ("listen=...", "token=...", "env=..."). When its process
 * lives already this is a no-op that logs a warning and succeeds, as the real service does. */
bool mgl_apps_start(struct mgl_phone *phone, const struct mgl_package *package,
    const struct mgl_component *component, const char **extras, size_t extra_count,
    struct mgc_error *err);

/* Kill every process of the package, double forks included, and wait until they are gone. */
void mgl_apps_force_stop(struct mgl_phone *phone, const struct mgl_package *package);
/* The same, as when the system takes its memory back: nobody asked for it. */
void mgl_apps_kill(struct mgl_phone *phone, const struct mgl_package *package);

#endif
