/* Running apps: what an Intent does, and how all of a package is ended. Loop thread only. */
#ifndef MGC_LAB_PHONE_APPS_H
#define MGC_LAB_PHONE_APPS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "lab/phone/app_process.h"

enum mgl_start {
    MGL_START_COLD,     /* in a new process */
    MGL_START_WARM,     /* in a process that lives */
    MGL_START_IN_FRONT, /* the activity is on the screen already: nothing was started */
    MGL_START_FAILED,   /* err */
};

/* Start a component with extras ("s:listen=...", see app/request.h).
 *
 * A service whose process lives already: a no-op that logs a warning and succeeds, as the real one
 * does. An activity that is on the screen: its task is only brought to the front. One that has
 * finished in a process that lives: it starts in that process. */
enum mgl_start mgl_apps_start(struct mgl_phone *phone, const struct mgl_package *package,
    const struct mgl_component *component, const char **extras, size_t extra_count,
    struct mgc_error *err);

/* Kill every process of the package, double forks included, and wait until they are gone. */
void mgl_apps_force_stop(struct mgl_phone *phone, const struct mgl_package *package);
/* The same, as when the system takes its memory back: nobody asked for it. */
void mgl_apps_kill(struct mgl_phone *phone, const struct mgl_package *package);

/* Is an activity of any app on the screen, or does a render server run? That is when this phone is
 * busy. */
bool mgl_apps_busy(const struct mgl_phone *phone);

#endif
