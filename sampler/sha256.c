#include "sampler/sha256.h"

#include <string.h>

static const uint32_t constants[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,
    0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74,
    0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3,
    0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354,
    0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
    0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa,
    0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t value, unsigned bits)
{
    return value >> bits | value << (32 - bits);
}

static void expand(const unsigned char *block, uint32_t words[64])
{
    for (size_t i = 0; i < 16; i++, block += 4)
        words[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 |
                   block[3];
    for (size_t i = 16; i < 64; i++) {
        uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + words[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
                   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

/* Section 6.2.2; s[0..7] are its a..h. */
static void compress(uint32_t state[8], const unsigned char *block)
{
    uint32_t words[64], s[8];
    expand(block, words);
    memcpy(s, state, sizeof(s));
    for (size_t i = 0; i < 64; i++) {
        uint32_t big1 = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        uint32_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t t1 = s[7] + big1 + choose + constants[i] + words[i];
        uint32_t big0 = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        memmove(s + 1, s, 7 * sizeof(s[0]));
        s[4] += t1;
        s[0] = t1 + big0 + majority;
    }
    for (size_t i = 0; i < 8; i++)
        state[i] += s[i];
}

void mgd_sha256_init(struct mgd_sha256 *hash)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
        0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, first, sizeof(first));
    hash->bytes = 0;
}

void mgd_sha256_update(struct mgd_sha256 *hash, const void *data, size_t len)
{
    const unsigned char *next = data;
    while (len > 0) {
        size_t used = hash->bytes % sizeof(hash->block);
        size_t step = sizeof(hash->block) - used < len ? sizeof(hash->block) - used : len;
        if (step == sizeof(hash->block)) {
            compress(hash->state, next);
        } else {
            memcpy(hash->block + used, next, step);
            if (used + step == sizeof(hash->block))
                compress(hash->state, hash->block);
        }
        hash->bytes += step;
        next += step;
        len -= step;
    }
}

void mgd_sha256_final(struct mgd_sha256 *hash, unsigned char ret_digest[32])
{
    static const unsigned char zeroes[64] = {0};
    unsigned char length[8];
    uint64_t bits = hash->bytes * 8;
    for (size_t i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    mgd_sha256_update(hash, "\x80", 1);
    mgd_sha256_update(hash, zeroes, (120 - hash->bytes % 64) % 64);
    mgd_sha256_update(hash, length, sizeof(length));
    for (size_t i = 0; i < 32; i++)
        ret_digest[i] = (unsigned char)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
