/* SHA-256 by libsodium: portable C, for systems without nettle. */
#include <sodium.h>

#include "common/base/hash.h"

_Static_assert(sizeof(struct mgc_sha256) >= sizeof(crypto_hash_sha256_state),
    "struct mgc_sha256 must hold libsodium's state");

static crypto_hash_sha256_state *state_of(struct mgc_sha256 *hash)
{
    return (crypto_hash_sha256_state *)(void *)hash->state;
}

void mgc_sha256_init(struct mgc_sha256 *hash)
{
    crypto_hash_sha256_init(state_of(hash));
}

void mgc_sha256_update(struct mgc_sha256 *hash, const void *data, size_t len)
{
    crypto_hash_sha256_update(state_of(hash), data, len);
}

void mgc_sha256_final(struct mgc_sha256 *hash, unsigned char ret_digest[MGC_SHA256_SIZE])
{
    crypto_hash_sha256_final(state_of(hash), ret_digest);
}
