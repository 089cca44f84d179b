#include <string.h>

#include "common/base/hash.h"
#include "common/device/sink.h"

void mgc_sink_token(const char *text, unsigned char ret_token[MGC_DEVICE_TOKEN_SIZE])
{
    static const char purpose[] = "mgcoord link test\n";
    unsigned char digest[MGC_SHA256_SIZE];
    struct mgc_sha256 hash;
    mgc_sha256_init(&hash);
    mgc_sha256_update(&hash, purpose, sizeof(purpose) - 1);
    mgc_sha256_update(&hash, text, strlen(text));
    mgc_sha256_final(&hash, digest);
    memcpy(ret_token, digest, MGC_DEVICE_TOKEN_SIZE);
}
