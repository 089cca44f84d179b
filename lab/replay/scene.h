/* The two workloads of the lab: what their traces contain. Integer maths only, so every machine
 * writes the same bytes. Shapes follow the contract's figures (sections 1 and 8) in proportion:
 * openra is a small 2D game, rd12 stages much per frame and far more in its first one.
 */
#ifndef MGC_LAB_REPLAY_SCENE_H
#define MGC_LAB_REPLAY_SCENE_H

#include "common/base/buf.h"
#include "lab/replay/trace.h"

struct mgr_scene {
    struct mgr_trace_head head;       /* of the full set */
    const char *trace_file;           /* names below the fixture directory */
    const char *golden_file;          /* named after the target call (contract section 1) */
    uint32_t load_textures;           /* uploads of 256 x 256 texels in frame 0 */
    uint32_t load_queries;            /* waits for the server in frame 0 */
    uint32_t buffer_bytes;            /* staged per frame */
    uint32_t texture_side;            /* of the texture uploaded per frame, texels */
    uint32_t draws, rects, triangles; /* per frame; rects and triangles per draw */
    uint32_t colour;
};

enum { MGR_SCENE_COUNT = 2 };
extern const struct mgr_scene mgr_scenes[MGR_SCENE_COUNT];

/* Append the whole trace, reduced to 1/divisor of its frames and of its load (at least 2 frames).
 * *ret_head is what the trace's header says. */
void mgr_scene_write(const struct mgr_scene *scene, uint32_t divisor, struct mgc_buf *buf,
    struct mgr_trace_head *ret_head);

#endif
