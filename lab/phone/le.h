/* Little-endian integers in byte strings: every format of the phone uses them. */
#ifndef MGC_LAB_PHONE_LE_H
#define MGC_LAB_PHONE_LE_H

#include <stdint.h>

static inline void mgl_put_le32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static inline void mgl_put_le64(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static inline uint32_t mgl_get_le32(const uint8_t *at)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value |= (uint32_t)at[i] << (8 * i);
    return value;
}

static inline uint64_t mgl_get_le64(const uint8_t *at)
{
    return mgl_get_le32(at) | (uint64_t)mgl_get_le32(at + 4) << 32;
}

#endif
