/* Whole files to and from the device: sync version 1, with progress, byte counts and SHA-256.
 *
 * Version 1 because every adbd speaks it; what it cannot say (errno, sizes past 4 GiB) is said by
 * the counts taken here. Paths must have passed mgc_adb_check_path. The hash is of the bytes that
 * crossed the wire; whether the device's file has the same is a question for appfile.h.
 */
#ifndef MGC_ADB_SYNC_H
#define MGC_ADB_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/hash.h"
#include "worker-host/adb/conn.h"
#include "worker-host/adb/wire.h"

/* total_bytes 0: not known. False breaks the transfer off. */
typedef bool mgc_adb_progress(
    void *ctx, uint64_t done_bytes, uint64_t total_bytes, struct mgc_error *err);

struct mgc_adb_sync_options {
    mgc_adb_progress *progress; /* may be NULL */
    void *ctx;
    unsigned mode; /* push: permissions, 0: 0644 */
};

struct mgc_adb_transfer {
    uint64_t bytes;
    char sha256[MGC_SHA256_HEX_SIZE];
};

/* Follows no symbolic link; an absent path is success with exists == false. */
bool mgc_adb_stat(struct mgc_adb *adb, const char *serial, const char *path,
    struct mgc_adb_stat *ret_stat, const struct mgc_adb_wait *wait, struct mgc_error *err);

/* Copy a local file to the device; replaces what is there. */
bool mgc_adb_push(struct mgc_adb *adb, const char *serial, const char *local, const char *remote,
    const struct mgc_adb_sync_options *options, const struct mgc_adb_wait *wait,
    struct mgc_adb_transfer *ret_transfer, struct mgc_error *err);

/* Copy a file of the device here: into "LOCAL.part", renamed to LOCAL once complete. MGC_E_FAILED
 * with the device's words when it does not exist or may not be read. */
bool mgc_adb_pull(struct mgc_adb *adb, const char *serial, const char *remote, const char *local,
    const struct mgc_adb_sync_options *options, const struct mgc_adb_wait *wait,
    struct mgc_adb_transfer *ret_transfer, struct mgc_error *err);

#endif
