#include "lab/phone/packages.h"

#include <stddef.h>
#include <string.h>

#define REPLAY_ACTIVITY "top.mobilegl.plugin.trace.TraceReplayActivity"
#define SERVER_SERVICE  "top.mobilegl.plugin.MobileGLServerService"
#define BENCH_SERVICE   "top.mobilegl.plugin.BenchService"

/* Components the lab's apps can really run, and one that nobody outside may start. Class names are
 * those of the source, so they do not follow a side build's package name. */
static const struct mgl_component trace_components[] = {
    {MGL_ACTIVITY, REPLAY_ACTIVITY, "", "MobileGLTraceRunner", true},
    {MGL_SERVICE, SERVER_SERVICE, ":mglsrv", "MobileGLServer", true},
    {MGL_SERVICE, BENCH_SERVICE, ":bench", "MobileGLBench", false},
    {0},
};

/* Only the trace flavour exports the activity. */
static const struct mgl_component plugin_components[] = {
    {MGL_ACTIVITY, REPLAY_ACTIVITY, "", "MobileGLTraceRunner", false},
    {0},
};

const struct mgl_package mgl_packages[] = {
    {"android", MGL_ROOT, false, 36, NULL},
    {"com.android.settings", MGL_ROOT, false, 36, NULL},
    {"com.android.shell", MGL_ROOT, false, 36, NULL},
    {MGL_TRACE_PACKAGE, MGL_APP, true, 100, trace_components},
    {"top.mobilegl.plugin.p14.trace", MGL_APP + 1, true, 114, trace_components},
    {"top.mobilegl.plugin.p14dev.trace", MGL_APP + 2, true, 113, trace_components},
    {"top.mobilegl.plugin.release.trace", MGL_APP + 3, false, 100, trace_components},
    {"top.mobilegl.plugin", MGL_APP + 4, false, 100, plugin_components},
    {0},
};

bool mgl_package_is_app(const struct mgl_package *package)
{
    return package->identity >= MGL_APP;
}

uid_t mgl_package_uid(const struct mgl_package *package)
{
    if (!mgl_package_is_app(package))
        return MGL_UID_SYSTEM;
    return MGL_UID_APP + (uid_t)(package->identity - MGL_APP);
}

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
