/* What is installed on the phone. One row per package, one per component. */
#ifndef MGC_LAB_PHONE_PACKAGES_H
#define MGC_LAB_PHONE_PACKAGES_H

#include <stdbool.h>
#include <sys/types.h>

#include "lab/phone/ids.h"

#define MGL_TRACE_PACKAGE "top.mobilegl.plugin.trace"

enum mgl_component_kind { MGL_ACTIVITY, MGL_SERVICE };

struct mgl_component {
    enum mgl_component_kind kind;
    const char *class_name;     /* full; ends the table when NULL */
    const char *process_suffix; /* ":mglsrv"; "" for the main process */
    const char *log_tag;        /* of what the component itself has to say */
    bool exported;              /* the shell may start it */
};

struct mgl_package {
    const char *name; /* ends the table when NULL */
    /* MGL_APP + n: has a data directory, a library directory and a uid of its own; MGL_ROOT: a part
     * of the system */
    enum mgl_identity identity;
    bool debuggable;                        /* run-as works */
    int version_code;                       /* as `dumpsys package` tells it */
    const struct mgl_component *components; /* NULL: none that can be started */
};

extern const struct mgl_package mgl_packages[];

bool mgl_package_is_app(const struct mgl_package *package);
/* Its number on Android, whether or not this lab's uids are real. */
uid_t mgl_package_uid(const struct mgl_package *package);

const struct mgl_package *mgl_package_find(const char *name); /* NULL: not installed */
/* Class name as in a component ("pkg/.Name" is short for "pkg/pkg.Name"); NULL when there is none.
 */
const struct mgl_component *mgl_component_find(
    const struct mgl_package *package, enum mgl_component_kind kind, const char *class_name);

#endif
