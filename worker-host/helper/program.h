/* The device program's files: which this host has, and what they are called on a phone.
 *
 * A file's name on a phone has the first 12 digits of its hash in it, so one that is there is the
 * one that this build means, and another build's stays untouched. The shell's user has it in
 * /data/local/tmp; an app's user, who may not run it from there on every Android, has a copy in the
 * app's own directory. Any thread.
 */
#ifndef MGC_HELPER_PROGRAM_H
#define MGC_HELPER_PROGRAM_H

#include "common/base/error.h"
#include "common/base/hash.h"
#include "common/base/path.h"

#define MGC_HELPER_SHELL_DIR "/data/local/tmp"
#define MGC_HELPER_APPS_DIR  "/data/user/0" /* an app's directory is below, named as its package */

enum { MGC_HELPER_PROGRAMS_MAX = 4 };

struct mgc_helper_program {
    char abi[16];                     /* "aarch64" */
    char name[32];                    /* "mgdevice-0123456789ab" */
    char sha256[MGC_SHA256_HEX_SIZE]; /* of the file here */
    uint64_t bytes;
    char local[MGC_PATH_MAX];
};

struct mgc_helper_programs {
    struct mgc_helper_program items[MGC_HELPER_PROGRAMS_MAX];
    size_t count;
};

/* All that this host has: files "mgdevice-ABI" in the first of these directories that has any:
 * $MGC_DEVICE_DIR, that of the running program, ../libexec/mgcoord from it, and the build's. None
 * is no error. */
void mgc_helper_programs_find(struct mgc_helper_programs *ret_programs);

/* The one for a phone whose ro.product.cpu.abi says `android_abi` ("arm64-v8a"). MGC_E_NOT_FOUND
 * says what is missing. NULL then. */
const struct mgc_helper_program *mgc_helper_program_for(
    const struct mgc_helper_programs *programs, const char *android_abi, struct mgc_error *err);

/* "aarch64" for "arm64-v8a"; NULL for what is not known. Pure. */
const char *mgc_helper_abi(const char *android_abi);

#endif
