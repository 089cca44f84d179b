#include <stdio.h>
#include <string.h>

#include "common/base/path.h"
#include "common/contract/pipe_stats.h"
#include "common/plat/file.h"
#include "coordinator/verify/metrics.h"

enum { CLIENT = 0 };
static const char *const dumps[] = {
    [CLIENT] = "pipestats.client.json", "pipestats.server.json", "tcp-server-pipestats.json"};

static bool read_dump(
    const char *dir, const char *name, struct mgc_pipe_stats *ret_stats, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    bool ok = mgc_path_join(path, sizeof(path), dir, name) &&
              mgc_file_read(path, MGC_PIPE_STATS_MAX_BYTES, &text, err) &&
              mgc_pipe_stats_parse(text.data, text.len, ret_stats, err);
    mgc_buf_destroy(&text);
    return ok;
}

static bool is_there(const char *dir, const char *name)
{
    char path[MGC_PATH_MAX];
    return mgc_path_join(path, sizeof(path), dir, name) && mgc_file_exists(path);
}

static void put_counter(struct mgc_fields *metrics, const struct mgc_pipe_stats *stats,
    enum mgc_pipe_counter counter, bool half)
{
    char name[64];
    if (!stats->has[counter] || (half && stats->values[counter] == 0))
        return;
    snprintf(name, sizeof(name), "pipe_%s", mgc_pipe_counter_row(counter)->name);
    for (char *c = name; *c; c++) {
        if (*c == '-')
            *c = '_';
    }
    mgc_fields_set_int(metrics, name, stats->values[counter]);
}

void mgc_pipe_metrics(struct mgc_fields *metrics, const char *dir, bool two_processes)
{
    struct mgc_pipe_stats all = {0};
    int64_t count = 0;
    bool client = false, server = false;
    for (size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
        struct mgc_pipe_stats stats;
        struct mgc_error err = {0};
        if (!is_there(dir, dumps[i]))
            continue;
        if (read_dump(dir, dumps[i], &stats, &err)) {
            mgc_pipe_stats_merge(&all, &stats);
            count++;
            client |= i == CLIENT;
            server |= i != CLIENT;
        } else {
            mgc_fields_setf(metrics, "pipe_damaged", "%s: %s", dumps[i], err.text);
        }
    }
    if (count == 0)
        return;
    bool half = two_processes && client != server;
    mgc_fields_set_int(metrics, "pipe_dumps", count);
    mgc_fields_set_str(metrics, "pipe_roles",
        client && server ? "client and server"
        : client         ? "client"
                         : "server");
    if (all.has_frames && (!half || all.frames))
        mgc_fields_set_int(metrics, "pipe_frames", all.frames);
    for (int i = 0; i < MGC_PIPE_COUNTER_COUNT; i++)
        put_counter(metrics, &all, (enum mgc_pipe_counter)i, half);
}
