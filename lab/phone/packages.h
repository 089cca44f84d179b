/* What is installed on the phone. One row per package, one per component. */
#ifndef MGC_LAB_PHONE_PACKAGES_H
#define MGC_LAB_PHONE_PACKAGES_H

#include <stdbool.h>

#define MGL_TRACE_PACKAGE "top.mobilegl.plugin.trace"

enum mgl_component_kind { MGL_ACTIVITY, MGL_SERVICE };

struct mgl_component {
    enum mgl_component_kind kind;
    const char *class_name;     /* full; ends the table when NULL */
    const char *process_suffix; /* ":mglsrv"; "" for the main process */
    const char *log_tag;        /* of what the component itself has to say */
};

struct mgl_package {
    const char *name; /* ends the table when NULL */
    bool app;         /* has a data directory and the app uid; else a part of the system */
    bool debuggable;
    const struct mgl_component *components; /* NULL: none that can be started */
};

extern const struct mgl_package mgl_packages[];

const struct mgl_package *mgl_package_find(const char *name); /* NULL: not installed */
/* Class name as in a component ("pkg/.Name" is short for "pkg/pkg.Name"); NULL when there is none.
 */
const struct mgl_component *mgl_component_find(
    const struct mgl_package *package, enum mgl_component_kind kind, const char *class_name);

#endif
