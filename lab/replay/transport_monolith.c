/* The arm without a transport: the client's own thread draws. */
#include "lab/replay/transport.h"

#include <stdlib.h>
#include <string.h>

#include "lab/replay/fault.h"
#include "lab/replay/renderer.h"

static void *monolith_open(const struct mgr_terms *terms, struct mgc_error *err)
{
    struct mgr_renderer *renderer = malloc(sizeof(*renderer));
    if (!renderer) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a renderer");
        return NULL;
    }
    if (!mgr_renderer_init(renderer, (int)terms->width, (int)terms->height, err)) {
        free(renderer);
        return NULL;
    }
    if (mgr_fault("server-wrong-pixels"))
        renderer->spoil = 0x00ffffff;
    return renderer;
}

static bool monolith_run_ahead(void *state)
{
    (void)state;
    return false;
}

static bool monolith_send(void *state, const void *records, size_t len, struct mgc_error *err)
{
    size_t used;
    if (!mgr_renderer_apply_bytes(state, records, len, &used, err))
        return false;
    if (used != len)
        return mgc_error_set(err, MGC_E_PROTOCOL, "a batch ends inside a record");
    return true;
}

static bool monolith_await(void *state, uint32_t in_flight, struct mgc_error *err)
{
    (void)state;
    (void)in_flight;
    (void)err;
    return true; /* drawn when send returned */
}

static void monolith_presented(void *state)
{
    (void)state;
}

static bool monolith_sync(void *state, struct mgc_error *err)
{
    (void)state;
    (void)err;
    return true;
}

static bool monolith_read(void *state, uint32_t *pixels, size_t count, struct mgc_error *err)
{
    const struct mgr_image *picture = &((struct mgr_renderer *)state)->picture;
    if (count != (size_t)picture->width * (size_t)picture->height)
        return mgc_error_set(err, MGC_E_FAILED, "read-back of another size than the picture");
    memcpy(pixels, picture->pixels, count * sizeof(*pixels));
    return true;
}

static void monolith_stats(void *state, struct mgr_pipestats *stats, struct mgr_moved *ret_moved)
{
    (void)state;
    (void)stats;
    *ret_moved = (struct mgr_moved){0};
}

static bool monolith_close(void *state, bool complete, struct mgc_error *err)
{
    (void)complete;
    (void)err;
    mgr_renderer_destroy(state);
    free(state);
    return true;
}

const struct mgr_transport_ops mgr_transport_monolith = {
    .name = "monolith",
    .topology = "monolith",
    .one_process = true,
    .open = monolith_open,
    .run_ahead = monolith_run_ahead,
    .send = monolith_send,
    .await_presents = monolith_await,
    .presented = monolith_presented,
    .sync = monolith_sync,
    .read_pixels = monolith_read,
    .stats = monolith_stats,
    .close = monolith_close,
};
