/* mglab-fixtures: writes the lab's traces and goldens, byte for byte the same on every machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"
#include "common/base/parse.h"
#include "common/base/path.h"
#include "common/cli/cli.h"
#include "common/plat/file.h"
#include "lab/replay/png.h"
#include "lab/replay/renderer.h"
#include "lab/replay/scene.h"

struct options {
    int64_t divisor;
};

static const struct mgc_cli_range divisor_range = {1, 1000};
static const struct mgc_cli_option option_table[] = {
    {"frames-divisor", 0, "N", "write 1/N of the frames and of the load (default 1)", mgc_cli_int,
        offsetof(struct options, divisor), &divisor_range},
    {0},
};
static const struct mgc_cli cli = {
    .program = "mglab-fixtures",
    .synopsis = "[options] DIR",
    .summary = "Write the lab's traces and goldens, and fixtures.json, which describes them.",
    .options = option_table,
    .min_operands = 1,
    .max_operands = 1,
};

/* The golden: the same records through the same renderer, in this process. */
static bool render_golden(const struct mgc_buf *trace, const struct mgr_trace_head *head,
    const char *path, struct mgc_error *err)
{
    struct mgr_renderer renderer;
    if (!mgr_renderer_init(&renderer, (int)head->width, (int)head->height, err))
        return false;
    struct mgc_buf wire = {0};
    struct mgr_record record;
    bool ok = true;
    for (size_t at = MGR_TRACE_HEAD; ok && mgr_trace_next(trace->data, trace->len, &at, &record);) {
        size_t used;
        mgc_buf_clear(&wire);
        mgr_record_expand(&wire, &record);
        ok = mgc_buf_ok(&wire) &&
             mgr_renderer_apply_bytes(&renderer, wire.data, wire.len, &used, err);
    }
    ok = ok && mgr_png_write(path, &renderer.picture, err);
    mgc_buf_destroy(&wire);
    mgr_renderer_destroy(&renderer);
    return ok;
}

static bool describe(const struct mgr_scene *scene, const struct mgr_trace_head *head,
    const char *trace, const char *golden, struct mgc_buf *json, struct mgc_error *err)
{
    char trace_hash[MGC_SHA256_HEX_SIZE], golden_hash[MGC_SHA256_HEX_SIZE];
    if (!mgc_sha256_file(trace, trace_hash, NULL, err) ||
        !mgc_sha256_file(golden, golden_hash, NULL, err))
        return false;
    mgc_buf_printf(json,
        "%s  \"%s\": {\"trace\": \"%s\", \"golden\": \"%s\", \"width\": %u, \"height\": %u,\n"
        "    \"frames\": %u, \"framesDivisor\": %u, \"fullFrames\": %u, \"targetCall\": %llu,\n"
        "    \"crop\": [%u, %u, %u, %u],\n    \"traceSha256\": \"%s\",\n    \"goldenSha256\": "
        "\"%s\"}",
        json->len > 2 ? ",\n" : "", head->name, scene->trace_file, scene->golden_file, head->width,
        head->height, head->frames, head->divisor, head->full_frames,
        (unsigned long long)head->target_call, head->crop[0], head->crop[1], head->crop[2],
        head->crop[3], trace_hash, golden_hash);
    return true;
}

static bool write_scene(const char *dir, const struct mgr_scene *scene, uint32_t divisor,
    struct mgc_buf *json, struct mgc_error *err)
{
    char trace_path[MGC_PATH_MAX], golden_path[MGC_PATH_MAX];
    if (!mgc_path_join(trace_path, sizeof(trace_path), dir, scene->trace_file) ||
        !mgc_path_join(golden_path, sizeof(golden_path), dir, scene->golden_file))
        return mgc_error_set(err, MGC_E_USAGE, "%s: path too long", dir);
    struct mgc_buf trace = {0};
    struct mgr_trace_head head, checked;
    mgr_scene_write(scene, divisor, &trace, &head);
    bool ok = mgc_buf_ok(&trace) || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a trace");
    ok = ok && mgr_trace_check(trace.data, trace.len, &checked, err) &&
         mgc_file_write(trace_path, trace.data, trace.len, 0644, err) &&
         render_golden(&trace, &head, golden_path, err) &&
         describe(scene, &head, trace_path, golden_path, json, err);
    mgc_buf_destroy(&trace);
    return ok;
}

static bool write_all(const char *dir, uint32_t divisor, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf json = {0};
    bool ok = mgc_dir_make(dir, 0755, err);
    mgc_buf_puts(&json, "{\n");
    for (int i = 0; ok && i < MGR_SCENE_COUNT; i++)
        ok = write_scene(dir, &mgr_scenes[i], divisor, &json, err);
    mgc_buf_puts(&json, "\n}\n");
    /* Last, so that it stands for a complete set. */
    ok = ok && mgc_path_join(path, sizeof(path), dir, "fixtures.json") &&
         mgc_file_write(path, json.data, json.len, 0644, err);
    mgc_buf_destroy(&json);
    return ok;
}

int main(int argc, char **argv)
{
    struct options options = {.divisor = 1};
    struct mgc_error err = {0};
    char **operands;
    int count;
    switch (mgc_cli_parse_args(&cli, argc, argv, &options, &operands, &count, &err)) {
    case MGC_CLI_HELP:
        mgc_cli_print_help(&cli, stdout);
        return 0;
    case MGC_CLI_BAD:
        fprintf(stderr, "mglab-fixtures: %s\n", err.text);
        return 2;
    case MGC_CLI_RUN:
        break;
    }
    if (!write_all(operands[0], (uint32_t)options.divisor, &err)) {
        fprintf(stderr, "mglab-fixtures: %s\n", err.text);
        return 1;
    }
    return 0;
}
