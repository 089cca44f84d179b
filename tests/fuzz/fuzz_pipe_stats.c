/* Any bytes as a counters' dump, and as lines of a log. */
#include <stddef.h>
#include <stdint.h>

#include "common/contract/moved.h"
#include "common/contract/pipe_stats.h"
#include "common/contract/server_metrics.h"

static void take_line(void *user, const char *text, uint64_t number)
{
    struct mgc_pipe_line line;
    struct mgc_server_metrics metrics;
    struct mgc_server_frame frame;
    struct mgc_moved moved;
    int64_t present;
    (void)user;
    (void)number;
    mgc_pipe_line_parse(text, &line, NULL);
    mgc_server_metrics_parse(text, &metrics);
    mgc_server_frame_parse(text, &frame);
    mgc_client_pace_parse(text, &present);
    mgc_moved_parse(text, &moved);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mgc_lines lines;
    struct mgc_pipe_stats all = {0}, stats;
    if (mgc_pipe_stats_parse(data, size, &stats, NULL)) {
        mgc_pipe_stats_merge(&all, &stats);
        mgc_pipe_stats_merge(&all, &stats);
    }
    lines = (struct mgc_lines){0};
    mgc_lines_feed(&lines, data, size, take_line, NULL);
    mgc_lines_finish(&lines, take_line, NULL);
    return 0;
}
