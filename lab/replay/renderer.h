/* Applies wire records to a picture: the heart of the render server, of the in-process mode and of
 * the program that makes goldens. Bytes that arrive damaged or not at all change the picture: each
 * present draws a strip of blocks from a digest of everything staged so far.
 */
#ifndef MGC_LAB_REPLAY_RENDERER_H
#define MGC_LAB_REPLAY_RENDERER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "lab/replay/raster.h"
#include "lab/replay/record.h"

struct mgr_renderer {
    struct mgr_image picture;             /* complete after a PRESENT */
    struct mgr_image textures[MGR_SLOTS]; /* zeroed where not uploaded */
    struct {
        uint8_t *data; /* owned */
        uint32_t bytes;
    } buffers[MGR_SLOTS];
    uint64_t digest;
    uint32_t spoil; /* XORed into every colour: fault server-wrong-pixels */

    /* Totals since init. */
    uint64_t frames, records, draws;
    uint64_t buffer_bytes, texture_bytes;
    uint32_t max_record_bytes;
    uint64_t last_call; /* of the latest PRESENT */
};

bool mgr_renderer_init(struct mgr_renderer *renderer, int width, int height, struct mgc_error *err);
void mgr_renderer_destroy(struct mgr_renderer *renderer); /* takes NULL and zeroed */

/* Apply one record. False: a kind that never travels, or a draw from what was not uploaded. */
bool mgr_renderer_apply(
    struct mgr_renderer *renderer, const struct mgr_record *record, struct mgc_error *err);

/* Apply all whole records at the start of data; *ret_used is how many bytes they took. */
bool mgr_renderer_apply_bytes(struct mgr_renderer *renderer, const void *data, size_t len,
    size_t *ret_used, struct mgc_error *err);

#endif
