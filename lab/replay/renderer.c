#include "lab/replay/renderer.h"

#include <stdlib.h>
#include <string.h>

enum { STRIP_BLOCK = 8, OPAQUE = (int)0xff000000 };

bool mgr_renderer_init(struct mgr_renderer *renderer, int width, int height, struct mgc_error *err)
{
    memset(renderer, 0, sizeof(*renderer));
    renderer->digest = UINT64_C(0xcbf29ce484222325);
    if (!mgr_image_init(&renderer->picture, width, height))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no picture of %d x %d", width, height);
    return true;
}

void mgr_renderer_destroy(struct mgr_renderer *renderer)
{
    if (!renderer)
        return;
    mgr_image_destroy(&renderer->picture);
    for (int i = 0; i < MGR_SLOTS; i++) {
        mgr_image_destroy(&renderer->textures[i]);
        free(renderer->buffers[i].data);
    }
    memset(renderer, 0, sizeof(*renderer));
}

static uint64_t digest_bytes(uint64_t digest, const uint8_t *data, size_t len)
{
    for (size_t i = 0; i + 8 <= len; i += 8) {
        uint64_t word;
        memcpy(&word, data + i, 8);
        digest = (digest ^ word) * UINT64_C(0x100000001b3);
    }
    for (size_t i = len / 8 * 8; i < len; i++)
        digest = (digest ^ data[i]) * UINT64_C(0x100000001b3);
    return digest ^ digest >> 29;
}

static bool apply_texture(
    struct mgr_renderer *renderer, const struct mgr_record *record, struct mgc_error *err)
{
    struct mgr_image *texture = &renderer->textures[record->slot];
    if (texture->width != record->width || texture->height != record->height) {
        mgr_image_destroy(texture);
        if (!mgr_image_init(texture, record->width, record->height))
            return mgc_error_set(err, MGC_E_NO_MEMORY, "no texture %u", record->slot);
    }
    size_t bytes = (size_t)record->width * record->height * 4;
    memcpy(texture->pixels, record->data, bytes);
    renderer->digest = digest_bytes(renderer->digest, record->data, bytes);
    renderer->texture_bytes += bytes;
    return true;
}

static bool apply_buffer(
    struct mgr_renderer *renderer, const struct mgr_record *record, struct mgc_error *err)
{
    uint8_t *data = renderer->buffers[record->slot].data;
    if (!data || renderer->buffers[record->slot].bytes < record->bytes) {
        data = realloc(data, record->bytes ? record->bytes : 1);
        if (!data)
            return mgc_error_set(err, MGC_E_NO_MEMORY, "no buffer of %u bytes", record->bytes);
    }
    if (record->bytes)
        memcpy(data, record->data, record->bytes);
    renderer->buffers[record->slot].data = data;
    renderer->buffers[record->slot].bytes = record->bytes;
    renderer->digest = digest_bytes(renderer->digest, record->data, record->bytes);
    renderer->buffer_bytes += record->bytes;
    return true;
}

static bool apply_rects(
    struct mgr_renderer *renderer, const struct mgr_record *record, struct mgc_error *err)
{
    const struct mgr_image *texture = &renderer->textures[record->slot];
    if (!texture->pixels)
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "a draw from texture %u before its upload", record->slot);
    for (uint32_t i = 0; i < record->count; i++) {
        struct mgr_rect rect = mgr_record_rect(record, i);
        mgr_image_rect(&renderer->picture, rect.x, rect.y, rect.w, rect.h, texture, rect.u, rect.v,
            rect.tint ^ renderer->spoil);
    }
    return true;
}

/* 12 bytes of a buffer are one triangle: place, shape and colour from a word each. */
static void draw_triangle(struct mgr_renderer *renderer, const uint8_t *data, int reach)
{
    uint32_t place, shape, colour;
    memcpy(&place, data, 4);
    memcpy(&shape, data + 4, 4);
    memcpy(&colour, data + 8, 4);
    int width = renderer->picture.width, height = renderer->picture.height;
    struct mgr_point at = {(int)(place & 0xffff) % width, (int)(place >> 16) % height};
    int side = 2 * reach + 1;
    struct mgr_point corners[3] = {at};
    for (int i = 1; i < 3; i++) {
        corners[i].x = at.x + (int)(shape & 0xff) % side - reach;
        corners[i].y = at.y + (int)(shape >> 8 & 0xff) % side - reach;
        shape >>= 16;
    }
    mgr_image_triangle(&renderer->picture, corners, (colour ^ renderer->spoil) | (uint32_t)OPAQUE);
}

static bool apply_tris(
    struct mgr_renderer *renderer, const struct mgr_record *record, struct mgc_error *err)
{
    uint32_t held = renderer->buffers[record->slot].bytes / MGR_TRIANGLE_BYTES;
    if (record->count > held || record->first > held - record->count)
        return mgc_error_set(err, MGC_E_PROTOCOL, "triangles %u+%u of buffer %u, which holds %u",
            record->first, record->count, record->slot, held);
    const uint8_t *data = renderer->buffers[record->slot].data;
    for (uint32_t i = record->first; i < record->first + record->count; i++)
        draw_triangle(renderer, data + (size_t)i * MGR_TRIANGLE_BYTES, record->reach);
    return true;
}

/* One block per bit of the digest, along the top. */
static void draw_strip(struct mgr_renderer *renderer)
{
    for (int bit = 0; bit < 64; bit++) {
        uint32_t colour = renderer->digest >> bit & 1 ? 0xffe0e0e0u : 0xff202020u;
        mgr_image_rect(
            &renderer->picture, bit * STRIP_BLOCK, 2, STRIP_BLOCK, STRIP_BLOCK, NULL, 0, 0, colour);
    }
}

static bool apply_kind(
    struct mgr_renderer *renderer, const struct mgr_record *record, struct mgc_error *err)
{
    switch (record->kind) {
    case MGR_CLEAR:
        mgr_image_clear(&renderer->picture, (record->colour ^ renderer->spoil) | (uint32_t)OPAQUE);
        return true;
    case MGR_TEXTURE:
        return apply_texture(renderer, record, err);
    case MGR_BUFFER:
        return apply_buffer(renderer, record, err);
    case MGR_RECTS:
        renderer->draws++;
        return apply_rects(renderer, record, err);
    case MGR_TRIS:
        renderer->draws++;
        return apply_tris(renderer, record, err);
    case MGR_PRESENT:
        draw_strip(renderer);
        renderer->frames++;
        renderer->last_call = record->call;
        return true;
    case MGR_QUERY:
        return true;
    case MGR_TEXTURE_SEED:
    case MGR_BUFFER_SEED:
        break;
    }
    return mgc_error_set(
        err, MGC_E_PROTOCOL, "record kind %d is for traces only", (int)record->kind);
}

bool mgr_renderer_apply(
    struct mgr_renderer *renderer, const struct mgr_record *record, struct mgc_error *err)
{
    renderer->records++;
    return apply_kind(renderer, record, err);
}

bool mgr_renderer_apply_bytes(struct mgr_renderer *renderer, const void *data, size_t len,
    size_t *ret_used, struct mgc_error *err)
{
    size_t used = 0;
    for (;;) {
        struct mgr_record record;
        size_t size;
        switch (mgr_record_decode((const char *)data + used, len - used, &record, &size, err)) {
        case MGR_DECODE_MORE:
            *ret_used = used;
            return true;
        case MGR_DECODE_BAD:
            return false;
        case MGR_DECODE_OK:
            break;
        }
        if (size > renderer->max_record_bytes)
            renderer->max_record_bytes = (uint32_t)size;
        if (!mgr_renderer_apply(renderer, &record, err))
            return false;
        used += size;
    }
}
