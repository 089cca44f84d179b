/* SHA-256 by nettle, which uses the processor's own instructions where it has them. */
#include <nettle/sha2.h>

#include "common/base/hash.h"

_Static_assert(sizeof(struct mgc_sha256) >= sizeof(struct sha256_ctx),
    "struct mgc_sha256 must hold nettle's state");

static struct sha256_ctx *state_of(struct mgc_sha256 *hash)
{
    return (struct sha256_ctx *)(void *)hash->state;
}

void mgc_sha256_init(struct mgc_sha256 *hash)
{
    sha256_init(state_of(hash));
}

void mgc_sha256_update(struct mgc_sha256 *hash, const void *data, size_t len)
{
    sha256_update(state_of(hash), len, data);
}

void mgc_sha256_final(struct mgc_sha256 *hash, unsigned char ret_digest[MGC_SHA256_SIZE])
{
    sha256_digest(state_of(hash), MGC_SHA256_SIZE, ret_digest);
}
