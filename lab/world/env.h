/* The environment of a member: what a service manager would give it, not what the person who
 * started the lab happens to have set (an ANDROID_SERIAL of theirs must not reach a worker).
 */
#ifndef MGC_LAB_ENV_H
#define MGC_LAB_ENV_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

/* Zeroed is valid and empty. */
struct mgc_lab_env {
    char **items; /* owned "K=V" strings, ended by NULL */
    size_t count;
};

/* PATH and LANG as ours, HOME = home, TMPDIR = home/tmp, and what steers our own programs and
 * their sanitizers: MGC_*, MGLAB_*, ASAN_OPTIONS, UBSAN_OPTIONS, TSAN_OPTIONS, LSAN_OPTIONS.
 * adb_port: the lab's own adb server, NULL for the usual one. */
bool mgc_lab_env_service(
    struct mgc_lab_env *env, const char *home, const char *adb_port, struct mgc_error *err);
void mgc_lab_env_destroy(struct mgc_lab_env *env);

/* True for a "K=V" that a member inherits. Pure. */
bool mgc_lab_env_passes(const char *entry);

#endif
