/* SHA-256 (FIPS 180-4) without a library: for aarch64 there is none to link, and both builds
 * of the program shall run the same code. tests/unit/sampler holds it against the host's. */
#ifndef MGD_SHA256_H
#define MGD_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct mgd_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
};

void mgd_sha256_init(struct mgd_sha256 *hash);
void mgd_sha256_update(struct mgd_sha256 *hash, const void *data, size_t len);
void mgd_sha256_final(struct mgd_sha256 *hash, unsigned char ret_digest[32]);

#endif
