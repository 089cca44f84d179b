/* The sources of settings beside the two files: built-in values, environment, command line. */
#ifndef MGC_PLAN_SOURCES_H
#define MGC_PLAN_SOURCES_H

#include "coordinator/plan/bench.h"
#include "coordinator/plan/problems.h"
#include "coordinator/plan/settings.h"

/* A value from the command line. */
struct mgc_override {
    const char *key;    /* "phone.port", "lanes.crosshost.reps" */
    const char *value;  /* as in a file; a list's items with commas between */
    const char *origin; /* for people: "--reps" */
};

/* Reads one environment variable; NULL when it is not set. */
typedef const char *mgc_getenv(const char *name, void *user);

/* Fallbacks of both schemas, and the bench's own values per workload. */
void mgc_source_built_in(
    const struct mgc_bench *bench, struct mgc_settings *settings, struct mgc_problems *problems);
/* A variable that is set to nothing counts as not set, as in the scripts whose names these are. */
void mgc_source_environment(const struct mgc_bench *bench, mgc_getenv *get, void *user,
    struct mgc_settings *settings, struct mgc_problems *problems);
void mgc_source_overrides(const struct mgc_override *overrides, size_t count,
    struct mgc_settings *settings, struct mgc_problems *problems);

#endif
