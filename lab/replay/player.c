#include "lab/replay/player.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/path.h"
#include "common/plat/file.h"
#include "common/plat/host.h"
#include "lab/knob/knob.h"
#include "lab/replay/fault.h"
#include "lab/replay/metrics.h"

/* Small batches: the renderer of a split arm starts while the client still reads the frame. */
enum { BATCH_BYTES = 2 << 10, SLOW_MS = 50, PARSE_BYTES = 2 << 10 };

struct clock_pair {
    int64_t wall_ns, cpu_ns;
};

/* A bare name is looked for beside the client first, then where dlopen looks. It stays loaded: an
 * apply thread that hangs may still be in it. */
static void *open_library(const char *path)
{
    char program[MGC_PATH_MAX], beside[MGC_PATH_MAX];
    if (!strchr(path, '/') && mgc_host_program(program, sizeof(program), NULL)) {
        *strrchr(program, '/') = '\0';
        if (mgc_path_join(beside, sizeof(beside), program, path) && access(beside, R_OK) == 0)
            return dlopen(beside, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

bool mgr_player_load(struct mgr_player *player, struct mgc_error *err)
{
    const char *path = player->options->library;
    player->module = open_library(path);
    if (!player->module)
        return mgc_error_set(err, MGC_E_NOT_FOUND, "cannot load %s: %s", path, dlerror());
    player->api = dlsym(player->module, MGR_ABI_SYMBOL);
    if (!player->api)
        return mgc_error_set(
            err, MGC_E_UNSUPPORTED, "%s is not a lab libMobileGL.so (no " MGR_ABI_SYMBOL ")", path);
    if (player->api->version != MGR_ABI_VERSION || player->api->size < sizeof(struct mgr_api))
        return mgc_error_set(err, MGC_E_VERSION, "%s has ABI version %u, this client needs %d",
            path, player->api->version, MGR_ABI_VERSION);
    return true;
}

bool mgr_player_read(struct mgr_player *player, struct mgc_error *err)
{
    const struct mgr_options *options = player->options;
    if (!mgc_file_read(options->trace, MGR_TRACE_MAX_BYTES, &player->trace, err) ||
        !mgr_trace_check(player->trace.data, player->trace.len, &player->head, err))
        return mgc_error_prefix(err, "%s", options->trace);
    player->width = options->width ? (uint32_t)options->width : player->head.width;
    player->height = options->height ? (uint32_t)options->height : player->head.height;
    return true;
}

static bool fail(struct mgc_error *err, const char *text)
{
    return mgc_error_set(err, MGC_E_FAILED, "%s", text);
}

/* Faults that strike when a frame is about to end. */
static void strike(uint32_t frame)
{
    struct mgl_knob slow;
    if (mgl_knob_get("client-slow", &slow))
        mgc_sleep_ms(mgl_knob_number(&slow, SLOW_MS));
    if (mgr_fault_at("client-crash", 1, frame))
        abort();
    if (mgr_fault_at("client-hang", 1, frame)) {
        for (;;)
            pause();
    }
}

static bool flush(struct mgr_player *player, struct mgc_buf *batch, struct mgc_error *err)
{
    char text[MGR_ABI_ERROR_SIZE];
    if (!mgc_buf_ok(batch))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a batch of records");
    if (batch->len && !player->api->submit(player->context, batch->data, batch->len, text))
        return fail(err, text);
    mgc_buf_clear(batch);
    return true;
}

/* The frame's time runs from the end of the frame before it. */
static bool end_frame(struct mgr_player *player, const struct mgr_record *record,
    struct clock_pair *since, struct mgc_error *err)
{
    char text[MGR_ABI_ERROR_SIZE];
    bool finish = player->options->benchmark && player->options->benchmark_finish;
    strike(record->frame);
    if ((finish && !player->api->finish(player->context, text)) ||
        !player->api->present(player->context, record->frame, record->call, text))
        return fail(err, text);
    struct clock_pair now = {mgc_mono_ns(), mgr_thread_cpu_ns()};
    if (!mgr_bench_add(&player->bench, now.wall_ns - since->wall_ns, now.cpu_ns - since->cpu_ns))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for frame times");
    *since = now;
    return true;
}

static bool is_target(const struct mgr_options *options, const struct mgr_record *record)
{
    if (options->benchmark)
        return false;
    if (options->target_call >= 0)
        return record->call == (uint64_t)options->target_call;
    return record->frame == (uint64_t)options->target_frame;
}

static bool read_back(struct mgr_player *player, uint64_t call, struct mgc_error *err)
{
    char text[MGR_ABI_ERROR_SIZE];
    if (!mgr_image_init(&player->picture, (int)player->width, (int)player->height))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the picture");
    size_t count = (size_t)player->width * player->height;
    if (!player->api->read_pixels(player->context, player->picture.pixels, count, text))
        return fail(err, text);
    player->picture_call = call;
    player->has_picture = true;
    return true;
}

/* What apitrace spends on a call (contract section 8: most of a client's frame is trace parsing) is
 * spent here too, on a digest of the trace around the record: about 3 us. Without it a client would
 * have next to no work of its own, and no arm could gain by drawing elsewhere. */
static void parse(struct mgr_player *player, size_t at)
{
    size_t len = player->trace.len - at < PARSE_BYTES ? player->trace.len - at : PARSE_BYTES;
    uint64_t digest = player->parse_digest;
    for (size_t i = 0; i < len; i++)
        digest = (digest ^ (uint8_t)player->trace.data[at + i]) * UINT64_C(0x100000001b3);
    player->parse_digest = digest;
}

/* Frames to replay; the fault client-frames-short takes some away. */
static uint32_t frames_wanted(struct mgr_player *player)
{
    int64_t missing;
    player->cut_short = mgr_fault_number("client-frames-short", 1, &missing);
    if (!player->cut_short)
        return player->head.frames;
    return missing < player->head.frames ? player->head.frames - (uint32_t)missing : 0;
}

static bool play_record(struct mgr_player *player, const struct mgr_record *record,
    struct mgc_buf *batch, struct clock_pair *since, struct mgc_error *err)
{
    char text[MGR_ABI_ERROR_SIZE];
    if (record->kind == MGR_PRESENT)
        return flush(player, batch, err) && end_frame(player, record, since, err);
    mgr_record_expand(batch, record);
    if (record->kind == MGR_QUERY)
        return flush(player, batch, err) &&
               (player->api->query(player->context, text) || fail(err, text));
    return batch->len < BATCH_BYTES || flush(player, batch, err);
}

static bool play(struct mgr_player *player, struct clock_pair since, struct mgc_error *err)
{
    struct mgc_buf batch = {0};
    struct mgr_record record;
    uint32_t left = frames_wanted(player);
    uint64_t last_call = 0;
    bool ok = true;
    for (size_t at = MGR_TRACE_HEAD, start = at;
         ok && left && !player->has_picture &&
         mgr_trace_next(player->trace.data, player->trace.len, &at, &record);
         start = at) {
        parse(player, start);
        ok = play_record(player, &record, &batch, &since, err);
        if (!ok || record.kind != MGR_PRESENT)
            continue;
        left--;
        last_call = record.call;
        if (is_target(player->options, &record))
            ok = read_back(player, record.call, err);
    }
    mgc_buf_destroy(&batch);
    if (!ok || player->options->benchmark || player->has_picture)
        return ok;
    /* Only a planted fault ends the replay early and calls that success. */
    if (player->cut_short)
        return read_back(player, last_call, err);
    return mgc_error_set(err, MGC_E_FAILED, "the trace ends before the target call or frame");
}

bool mgr_player_run(struct mgr_player *player, int64_t start_ns, struct mgc_error *err)
{
    char text[MGR_ABI_ERROR_SIZE], log_base[MGC_ERROR_TEXT_MAX];
    struct clock_pair since = {start_ns, 0};
    snprintf(log_base, sizeof(log_base), "%s/mobilegl.log", player->options->output);
    struct mgr_open open = {
        .width = player->width,
        .height = player->height,
        .frames = player->head.frames,
        .backend = player->options->backend,
        .log_base = log_base,
        .build = "mgcoord-lab " MGC_VERSION,
        .ends_by_exception = !player->options->benchmark,
    };
    player->context = player->api->open(&open, text);
    if (!player->context)
        return fail(err, text);
    bool ok = play(player, since, err);
    if (ok && player->options->benchmark && !player->api->finish(player->context, text))
        ok = fail(err, text);
    player->bench.total_s = (double)(mgc_mono_ns() - start_ns) / 1e9;
    if (!player->api->close(player->context, ok, text) && ok)
        ok = fail(err, text);
    player->context = NULL;
    fprintf(player->log, "parsed: digest %016llx\n", (unsigned long long)player->parse_digest);
    fprintf(player->log, "Rendered %zu frames in %.6f secs, average of %.3f fps\n",
        player->bench.count, player->bench.total_s,
        player->bench.total_s > 0 ? (double)player->bench.count / player->bench.total_s : 0);
    return ok;
}

void mgr_player_destroy(struct mgr_player *player)
{
    if (!player)
        return;
    mgr_bench_destroy(&player->bench);
    mgr_image_destroy(&player->picture);
    mgc_buf_destroy(&player->trace);
    if (player->module)
        dlclose(player->module);
    player->module = NULL;
}
