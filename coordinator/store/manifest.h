/* What files an attempt has: name, size, hash, which step on which worker they came from. Written
 * as manifest.json beside them. One thread.
 */
#ifndef MGC_STORE_MANIFEST_H
#define MGC_STORE_MANIFEST_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/wire/msg.h"
#include "coordinator/plan/plan.h"

struct mgc_manifest; /* opaque */

struct mgc_manifest *mgc_manifest_new(void); /* NULL: no memory */
/* The one that stands in DIR; empty when there is none yet or it cannot be read. NULL: no memory.
 */
struct mgc_manifest *mgc_manifest_load(const char *dir);
/* Every file that is listed, in order; size -1: no size stands there. */
void mgc_manifest_visit(const struct mgc_manifest *manifest,
    void (*fn)(void *user, const char *name, int64_t size_bytes), void *user);
bool mgc_manifest_is_written(const char *dir);
/* Is DIR what its manifest says: every file that was stored is there with its size and its hash?
 * False: the manifest is not there or cannot be read (MGC_E_NOT_FOUND, MGC_E_PROTOCOL), or the
 * first file that differs (MGC_E_INTEGRITY). */
bool mgc_manifest_verify(const char *dir, struct mgc_error *err);
void mgc_manifest_free(struct mgc_manifest *manifest); /* takes NULL */

/* Add the artifacts of a result; `storage` tells whether all of them are there. What the worker
 * keeps back (facts "quarantined" and "unreadable") is listed with the reason. */
bool mgc_manifest_add(struct mgc_manifest *manifest, const struct mgc_step *step,
    const struct mgc_msg_result *result, const struct mgc_error *storage);
/* A step whose result never came, and why. */
bool mgc_manifest_add_missing(
    struct mgc_manifest *manifest, const struct mgc_step *step, const char *why);
/* Write DIR/manifest.json, replacing an earlier one of the same attempt. */
bool mgc_manifest_write(
    const struct mgc_manifest *manifest, const char *dir, struct mgc_error *err);

#endif
