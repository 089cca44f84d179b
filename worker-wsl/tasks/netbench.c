/* wsl.netbench: a link test against the sink that host.sink holds; its figures as facts, its
 * intervals as netbench.csv. */
#include <stdio.h>
#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "worker-wsl/netbench/netbench.h"
#include "worker-wsl/tasks/tasks.h"

#define NETBENCH_FILE "netbench.csv"

enum { TIMEOUT_MS = 10000, WARMUP_MS = 500, PROBES = 20 };

static bool check_direction(const struct mgc_value *value, struct mgc_error *err)
{
    const char *text = value->string;
    return strcmp(text, "up") == 0 || strcmp(text, "down") == 0 || strcmp(text, "both") == 0 ||
           mgc_error_set(err, MGC_E_CONFIG, "expected up, down or both, got \"%.20s\"", text);
}

const struct mgc_param mgc_wsl_netbench_params[] = {
    {"address", MGC_PARAM_STRING, true, 7, 15, mgc_wsl_check_address, "the phone's IPv4 address"},
    {"port", MGC_PARAM_INT, true, 1, 65535, NULL, "that the sink listens on"},
    {"token", MGC_PARAM_SECRET, true, 16, 128, NULL, "the sink's"},
    {"direction", MGC_PARAM_STRING, true, 2, 4, check_direction, "up, down or both"},
    {"duration_ms", MGC_PARAM_INT, true, 100, MGC_SINK_DURATION_MAX_MS, NULL, "of a direction"},
    {"interval_ms", MGC_PARAM_INT, false, MGC_SINK_INTERVAL_MIN_MS, 60000, NULL,
        "of the series, default 100"},
    {"warmup_ms", MGC_PARAM_INT, false, 0, 60000, NULL,
        "at the begin, not in the throughput; default 500"},
    {"streams", MGC_PARAM_INT, false, 1, MGC_SINK_STREAMS_MAX, NULL, "at the same time, default 1"},
    {"probes", MGC_PARAM_INT, false, 0, 1000, NULL, "round trips of the idle link, default 20"},
    {"congestion", MGC_PARAM_STRING, false, 1, 15, NULL, "control to use, else each system's own"},
    {"timeout_ms", MGC_PARAM_INT, false, 100, 60000, NULL, "for connecting and for an answer"},
    {"barrier", MGC_PARAM_STRING, false, 1, 64, NULL, "to arrive at before the load"},
    {0},
};

static bool arrive(void *ctx, struct mgc_error *err)
{
    struct mgc_task *task = ctx;
    int64_t instant_ns;
    return mgc_task_barrier(task, mgc_task_str(task, "barrier"), &instant_ns, err);
}

static void make_request(struct mgc_task *task, struct mgc_netbench_request *ret_request)
{
    const char *direction = mgc_task_str(task, "direction");
    const char *congestion = mgc_task_str(task, "congestion");
    *ret_request = (struct mgc_netbench_request){.address = mgc_task_str(task, "address"),
        .port = (unsigned)mgc_task_int_or(task, "port", MGC_SINK_PORT),
        .up = strcmp(direction, "down") != 0,
        .down = strcmp(direction, "up") != 0,
        .streams = (unsigned)mgc_task_int_or(task, "streams", 1),
        .duration_ms = mgc_task_int_or(task, "duration_ms", 0),
        .interval_ms = mgc_task_int_or(task, "interval_ms", 100),
        .warmup_ms = mgc_task_int_or(task, "warmup_ms", WARMUP_MS),
        .probes = (unsigned)mgc_task_int_or(task, "probes", PROBES),
        .congestion = congestion ? congestion : "",
        .timeout_ms = mgc_task_int_or(task, "timeout_ms", TIMEOUT_MS),
        .deadline_ns = mgc_task_deadline(task, -1),
        .stop_fd = mgc_task_stop_fd(task),
        .before_load = mgc_task_str(task, "barrier") ? arrive : NULL,
        .ctx = task};
    mgc_sink_token(mgc_task_str(task, "token"), ret_request->token);
}

static bool write_series(
    struct mgc_task *task, const struct mgc_netbench_result *result, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    bool ok = mgc_netbench_put_csv(result, &text) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the series");
    ok = ok &&
         (mgc_path_join(path, sizeof(path), mgc_task_dir(task), NETBENCH_FILE) ||
             mgc_error_set(err, MGC_E_FAILED, "the path of \"%s\" is too long", NETBENCH_FILE)) &&
         mgc_file_write(path, mgc_buf_text(&text), text.len, 0600, err) &&
         mgc_task_artifact(task, NETBENCH_FILE, err);
    mgc_buf_destroy(&text);
    return ok;
}

/* A direction that was measured before another one failed is told all the same. */
bool mgc_wsl_netbench_run(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_netbench_request request;
    struct mgc_netbench_result result = {0};
    struct mgc_error why = {0};
    make_request(task, &request);
    bool ok = mgc_netbench_run(&request, &result, &why);
    if (!ok && mgc_task_stopped(task))
        mgc_task_stop_error(task, &why);
    bool told = !result.marks.mss || (mgc_netbench_to_fields(&result, mgc_task_facts(task)) &&
                                         write_series(task, &result, ok ? &why : NULL));
    if (ok && !told && !why.code)
        mgc_error_set(&why, MGC_E_NO_MEMORY, "no memory for facts");
    mgc_netbench_result_destroy(&result);
    if (err)
        *err = why;
    return ok && told;
}
