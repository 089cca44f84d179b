/* Pull of a file with proof: what arrived has the length and the hash that the device measured.
 *
 * One shell stream does all of it: the file's bytes on stdout; on stderr its size, and the hash
 * taken after the bytes were read. Contract section 9 row 25 is why: "run-as cat" of a missing file
 * gives an error text that looks like data, and "run-as test -f" has said yes to a missing one. A
 * file that changes while it is read does not match and is read again, up to three times.
 */
#ifndef MGC_ADB_APPFILE_H
#define MGC_ADB_APPFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/hash.h"
#include "worker-host/adb/conn.h"

enum mgc_adb_proof {
    MGC_ADB_PROOF_SHA256,
    MGC_ADB_PROOF_CKSUM, /* the device has no sha256sum: POSIX CRC, weaker; say so */
};

struct mgc_adb_appfile {
    bool exists;
    uint64_t bytes;
    char sha256[MGC_SHA256_HEX_SIZE]; /* of what arrived, whatever the proof was */
    enum mgc_adb_proof proof;
    int attempts;
};

/* Read `path` as the app's user (run-as PACKAGE), or as the shell's user when package is NULL.
 * True with exists == false, and no local file, when the path is absent. The local file appears
 * only when it is proved. MGC_E_INTEGRITY when it never matched; MGC_E_DENIED when run-as refuses
 * or the file cannot be read. package and path must have passed their checks in quote.h. */
bool mgc_adb_appfile_pull(struct mgc_adb *adb, const char *serial, const char *package,
    const char *path, const char *local, const struct mgc_adb_wait *wait,
    struct mgc_adb_appfile *ret_file, struct mgc_error *err);

/* What the device said on stderr, pure: "mgc-size N", "mgc-sha256 HEX" or "mgc-cksum CRC". */
struct mgc_adb_measure {
    bool has_size, has_sha256, has_cksum;
    uint64_t size;
    char sha256[MGC_SHA256_HEX_SIZE];
    uint32_t cksum;
};
void mgc_adb_measure_parse(const char *text, struct mgc_adb_measure *ret_measure);

/* POSIX cksum: start with 0, update, then finish with the total length. */
uint32_t mgc_adb_cksum_update(uint32_t crc, const void *data, size_t len);
uint32_t mgc_adb_cksum_finish(uint32_t crc, uint64_t total_bytes);

#endif
