#include "lab/replay/scene.h"

enum { LOAD_SIDE = 256, BUFFER_SLOT = 1, MOVING_SLOT = 40, LOAD_SLOTS = 32 };

const struct mgr_scene mgr_scenes[MGR_SCENE_COUNT] = {
    {
        .head = {640, 480, 128, 1, 128, 31249, {1, 1, 638, 478}, "openra"},
        .trace_file = "openra.trace",
        .golden_file = "openra.0000031249.png",
        .load_textures = 8,
        .load_queries = 1,
        .buffer_bytes = 120000,
        .texture_side = 128,
        .draws = 24,
        .rects = 6,
        .triangles = 8,
        .colour = 0xff406030u,
    },
    {
        .head = {854, 480, 251, 1, 251, 4660351, {0}, "rd12"},
        .trace_file = "rd12.trace",
        .golden_file = "minecraft-1.21.4-rd12-odinlite-in-world.0004660351.png",
        .load_textures = 96,
        .load_queries = 24,
        .buffer_bytes = 1400000,
        .texture_side = 160,
        .draws = 300,
        .rects = 2,
        .triangles = 4,
        .colour = 0xffd0a070u,
    },
};

/* A stream of small numbers that depends on scene, frame and purpose only. */
struct dice {
    uint64_t seed, rolled;
};

static uint32_t roll(struct dice *dice, uint32_t sides)
{
    uint64_t word;
    mgr_seed_fill(dice->seed + dice->rolled++ * UINT64_C(0x632be59bd9b4e019), &word, 8);
    return (uint32_t)(word % sides);
}

static uint64_t frame_seed(const struct mgr_scene *scene, uint32_t frame, uint32_t purpose)
{
    return scene->head.target_call << 32 ^ (uint64_t)frame << 8 ^ purpose;
}

static void put(struct mgc_buf *buf, struct mgr_record record)
{
    mgr_record_encode(buf, &record);
}

static void write_load(const struct mgr_scene *scene, uint32_t divisor, struct mgc_buf *buf)
{
    uint32_t textures = scene->load_textures / divisor;
    if (textures < 8)
        textures = 8;
    for (uint32_t i = 0; i < textures; i++) {
        put(buf, (struct mgr_record){.kind = MGR_TEXTURE_SEED,
                     .slot = (uint16_t)(i % LOAD_SLOTS),
                     .width = LOAD_SIDE,
                     .height = LOAD_SIDE,
                     .seed = frame_seed(scene, i, 1)});
    }
    for (uint32_t i = 0; i < scene->load_queries; i++)
        put(buf, (struct mgr_record){.kind = MGR_QUERY, .frame = i});
}

/* Things that move a little every frame, on the lower two thirds; the sky stays clear colour. */
static void write_rects(const struct mgr_scene *scene, uint32_t frame, uint32_t draw,
    struct mgc_buf *buf, struct mgc_buf *rects)
{
    struct dice dice = {.seed = frame_seed(scene, draw, 2)};
    mgc_buf_clear(rects);
    for (uint32_t i = 0; i < scene->rects; i++) {
        uint32_t size = 16 + roll(&dice, 28);
        uint32_t x = roll(&dice, scene->head.width) + frame * (1 + roll(&dice, 3));
        uint32_t y = scene->head.height / 3 + roll(&dice, scene->head.height * 2 / 3);
        struct mgr_rect rect = {
            .x = (int16_t)(x % scene->head.width),
            .y = (int16_t)y,
            .w = (uint16_t)size,
            .h = (uint16_t)size,
            .u = (uint16_t)(frame % LOAD_SIDE),
            .v = (uint16_t)roll(&dice, LOAD_SIDE),
            .tint = 0xff000000u | roll(&dice, 1u << 24),
        };
        mgr_rect_encode(rects, &rect);
    }
    uint16_t slot = draw % 4 == 0 ? MOVING_SLOT : (uint16_t)(draw % 8);
    put(buf, (struct mgr_record){.kind = MGR_RECTS,
                 .slot = slot,
                 .count = scene->rects,
                 .data = (const uint8_t *)mgc_buf_text(rects)});
}

static void write_frame(const struct mgr_scene *scene, uint32_t frame, uint64_t call,
    struct mgc_buf *buf, struct mgc_buf *rects)
{
    put(buf, (struct mgr_record){.kind = MGR_CLEAR, .colour = scene->colour + frame % 32});
    put(buf, (struct mgr_record){.kind = MGR_TEXTURE_SEED,
                 .slot = MOVING_SLOT,
                 .width = (uint16_t)scene->texture_side,
                 .height = (uint16_t)scene->texture_side,
                 .seed = frame_seed(scene, frame, 3)});
    put(buf, (struct mgr_record){.kind = MGR_BUFFER_SEED,
                 .slot = BUFFER_SLOT,
                 .bytes = scene->buffer_bytes,
                 .seed = frame_seed(scene, frame, 4)});
    for (uint32_t draw = 0; draw < scene->draws; draw++) {
        write_rects(scene, frame, draw, buf, rects);
        put(buf, (struct mgr_record){.kind = MGR_TRIS,
                     .slot = BUFFER_SLOT,
                     .reach = 10,
                     .first = draw * scene->triangles,
                     .count = scene->triangles});
    }
    put(buf, (struct mgr_record){.kind = MGR_PRESENT, .frame = frame, .call = call});
}

void mgr_scene_write(const struct mgr_scene *scene, uint32_t divisor, struct mgc_buf *buf,
    struct mgr_trace_head *ret_head)
{
    struct mgr_trace_head head = scene->head;
    head.divisor = divisor;
    head.frames = head.full_frames / divisor;
    if (head.frames < 2)
        head.frames = 2;
    mgr_trace_head_encode(buf, &head);
    write_load(scene, divisor, buf);
    struct mgc_buf rects = {0};
    for (uint32_t frame = 0; frame < head.frames; frame++)
        write_frame(scene, frame, head.target_call * (frame + 1) / head.frames, buf, &rects);
    mgc_buf_destroy(&rects);
    *ret_head = head;
}
