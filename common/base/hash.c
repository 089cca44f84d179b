#include "common/base/hash.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "common/base/open.h"

void mgc_sha256_hex(const unsigned char digest[MGC_SHA256_SIZE], char ret_hex[MGC_SHA256_HEX_SIZE])
{
    sodium_bin2hex(ret_hex, MGC_SHA256_HEX_SIZE, digest, MGC_SHA256_SIZE);
}

bool mgc_sha256_file(
    const char *path, char ret_hex[MGC_SHA256_HEX_SIZE], uint64_t *ret_size, struct mgc_error *err)
{
    FILE *file = mgc_open_read(path, err);
    if (!file)
        return mgc_error_prefix(err, "hash");
    struct mgc_sha256 hash;
    mgc_sha256_init(&hash);
    uint64_t total = 0;
    char chunk[65536];
    size_t got;
    while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0) {
        mgc_sha256_update(&hash, chunk, got);
        total += got;
    }
    int read_error = ferror(file) ? errno : 0;
    fclose(file);
    if (read_error)
        return mgc_error_errno(err, read_error, "hash '%s'", path);
    unsigned char digest[MGC_SHA256_SIZE];
    mgc_sha256_final(&hash, digest);
    mgc_sha256_hex(digest, ret_hex);
    if (ret_size)
        *ret_size = total;
    return true;
}

bool mgc_random_init(struct mgc_error *err)
{
    if (sodium_init() < 0)
        return mgc_error_set(err, MGC_E_FAILED, "libsodium does not start on this machine");
    return true;
}

void mgc_random_bytes(void *data, size_t len)
{
    randombytes_buf(data, len);
}

uint64_t mgc_random_id(void)
{
    uint64_t id;
    do {
        randombytes_buf(&id, sizeof(id));
    } while (id == 0);
    return id;
}

void mgc_random_text(char *ret_text, size_t len)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (size_t i = 0; i < len; i++)
        ret_text[i] = alphabet[randombytes_uniform(sizeof(alphabet) - 1)];
    ret_text[len] = '\0';
}

void mgc_wipe(void *data, size_t len)
{
    if (len)
        sodium_memzero(data, len);
}
