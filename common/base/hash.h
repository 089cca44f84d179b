/* SHA-256 (nettle, or libsodium without it) and random bytes (libsodium).
 *
 * Hashes identify artifacts, traces, goldens and libraries. Random numbers name ids and tokens.
 * Any thread, once mgc_random_init has returned true.
 */
#ifndef MGC_BASE_HASH_H
#define MGC_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

enum { MGC_SHA256_SIZE = 32, MGC_SHA256_HEX_SIZE = 65 };

struct mgc_sha256 {
    _Alignas(16) unsigned char state[112]; /* the library's state, checked at build time */
};

void mgc_sha256_init(struct mgc_sha256 *hash);
void mgc_sha256_update(struct mgc_sha256 *hash, const void *data, size_t len);
void mgc_sha256_final(struct mgc_sha256 *hash, unsigned char ret_digest[MGC_SHA256_SIZE]);
void mgc_sha256_hex(const unsigned char digest[MGC_SHA256_SIZE], char ret_hex[MGC_SHA256_HEX_SIZE]);
/* Hash of a whole file as lower-case hex; ret_size (bytes) may be NULL. */
bool mgc_sha256_file(
    const char *path, char ret_hex[MGC_SHA256_HEX_SIZE], uint64_t *ret_size, struct mgc_error *err);

/* Call once at program start. */
bool mgc_random_init(struct mgc_error *err);
void mgc_random_bytes(void *data, size_t len);
/* Never 0, so that 0 can mean "none". */
uint64_t mgc_random_id(void);
/* `len` characters of [a-z0-9] plus a terminator; size of buffer is len + 1. */
void mgc_random_text(char *ret_text, size_t len);

/* Zero memory that held a secret, in a way that is not optimised out. Takes NULL when len is 0. */
void mgc_wipe(void *data, size_t len);

#endif
