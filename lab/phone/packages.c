#include "lab/phone/packages.h"

#include <stddef.h>
#include <string.h>

/* Components the lab's app can really run. The replay activity is not among them yet: starting it
 * fails as an activity that the manifest lacks. */
static const struct mgl_component trace_components[] = {
    {MGL_SERVICE, "top.mobilegl.plugin.MobileGLServerService", ":mglsrv", "MobileGLServer"},
    {0},
};

const struct mgl_package mgl_packages[] = {
    {"android", false, false, NULL},
    {"com.android.settings", false, false, NULL},
    {"com.android.shell", false, false, NULL},
    {MGL_TRACE_PACKAGE, true, true, trace_components},
    {0},
};

const struct mgl_package *mgl_package_find(const char *name)
{
    for (const struct mgl_package *package = mgl_packages; package->name; package++)
        if (strcmp(package->name, name) == 0)
            return package;
    return NULL;
}

static bool same_class(const struct mgl_package *package, const char *full, const char *name)
{
    if (name[0] != '.')
        return strcmp(full, name) == 0;
    size_t len = strlen(package->name);
    return strncmp(full, package->name, len) == 0 && strcmp(full + len, name) == 0;
}

const struct mgl_component *mgl_component_find(
    const struct mgl_package *package, enum mgl_component_kind kind, const char *class_name)
{
    const struct mgl_component *component = package->components;
    for (; component && component->class_name; component++)
        if (component->kind == kind && same_class(package, component->class_name, class_name))
            return component;
    return NULL;
}
