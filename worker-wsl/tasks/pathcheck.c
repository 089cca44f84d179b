/* wsl.pathcheck: evidence and verdict of the path check as facts and as pathcheck.txt. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/parse.h"
#include "common/base/path.h"
#include "common/plat/file.h"
#include "worker-wsl/pathcheck/pathcheck.h"
#include "worker-wsl/tasks/tasks.h"

enum { PAUSE_MS = 1000 }; /* between two looks */

struct ports {
    unsigned list[MGC_PATH_PROBES_MAX];
    size_t count;
};

/* "1,9,40612" */
static bool parse_ports(const char *text, struct ports *ret_ports, struct mgc_error *err)
{
    const char *at = text;
    *ret_ports = (struct ports){0};
    for (;;) {
        char number[8];
        int64_t port;
        size_t len = strcspn(at, ",");
        snprintf(number, sizeof(number), "%.*s", (int)(len < 7 ? len : 7), at);
        if (!mgc_parse_int(number, 1, 65535, &port) || ret_ports->count == MGC_PATH_PROBES_MAX)
            return mgc_error_set(err, MGC_E_CONFIG,
                "expected 1 to %d ports from 1 to 65535, joined by commas, got \"%.40s\"",
                MGC_PATH_PROBES_MAX, text);
        ret_ports->list[ret_ports->count++] = (unsigned)port;
        if (!at[len])
            return true;
        at += len + 1;
    }
}

static bool check_ports(const struct mgc_value *value, struct mgc_error *err)
{
    struct ports ports;
    return parse_ports(value->string, &ports, err);
}

const struct mgc_param mgc_wsl_pathcheck_params[] = {
    {"address", MGC_PARAM_STRING, true, 7, 15, mgc_wsl_check_address, "the phone's IPv4 address"},
    {"ports", MGC_PARAM_STRING, false, 1, 64, check_ports, "closed ports to try, joined by commas"},
    {"timeout_ms", MGC_PARAM_INT, false, 100, 60000, NULL, "how long each port may be silent"},
    {"tries", MGC_PARAM_INT, false, 1, 10, NULL, "looks until the path can be told, default 1"},
    {0},
};

/* One look, in words. */
static void put_text(struct mgc_buf *text, const struct mgc_path_evidence *evidence,
    const struct mgc_path_judgement *judgement)
{
    char line[128];
    mgc_buf_printf(text, "%s from %s\n", evidence->address,
        *evidence->source ? evidence->source : "(no route)");
    for (size_t i = 0; i < evidence->count; i++)
        mgc_buf_printf(
            text, "  %s\n", mgc_path_probe_text(&evidence->probes[i], line, sizeof(line)));
    for (size_t i = 0; i < judgement->count; i++)
        mgc_buf_printf(text, "  %s: %s (%s)\n", judgement->findings[i].signal,
            judgement->findings[i].text, mgc_path_verdict_name(judgement->findings[i].says));
    mgc_buf_printf(
        text, "%s: %s\n", mgc_path_verdict_name(judgement->verdict), mgc_path_reason(judgement));
}

static bool write_text(struct mgc_task *task, const struct mgc_buf *text, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    return mgc_path_join(path, sizeof(path), mgc_task_dir(task), "pathcheck.txt") &&
           mgc_file_write(path, mgc_buf_text(text), text->len, 0600, err) &&
           mgc_task_artifact(task, "pathcheck.txt", err);
}

/* An outage of seconds is no middlebox, and nobody should lose a run to it: what cannot be told is
 * looked at again. The last look counts. */
static bool look(struct mgc_task *task, const struct mgc_path_request *request,
    struct mgc_path_evidence *evidence, struct mgc_path_judgement *judgement, struct mgc_buf *text,
    struct mgc_error *err)
{
    int64_t tries = mgc_task_int_or(task, "tries", 1);
    for (;;) {
        if (!mgc_pathcheck_probe(request, evidence, err))
            return mgc_task_stopped(task) ? mgc_task_stop_error(task, err) : false;
        mgc_pathcheck_judge(evidence, judgement);
        put_text(text, evidence, judgement);
        if (judgement->verdict != MGC_PATH_CANNOT_TELL || --tries <= 0)
            return true;
        struct pollfd stop = {.fd = request->stop_fd, .events = POLLIN};
        if (poll(&stop, 1, PAUSE_MS) > 0)
            return mgc_task_stop_error(task, err);
    }
}

bool mgc_wsl_pathcheck_run(struct mgc_task *task, struct mgc_error *err)
{
    struct ports ports = {0};
    struct mgc_path_evidence evidence;
    struct mgc_path_judgement judgement;
    const char *list = mgc_task_str(task, "ports");
    if (list && !parse_ports(list, &ports, err))
        return false;
    struct mgc_path_request request = {.address = mgc_task_str(task, "address"),
        .ports = list ? ports.list : NULL,
        .port_count = ports.count,
        .timeout_ms = mgc_task_int_or(task, "timeout_ms", 0),
        .stop_fd = mgc_task_stop_fd(task)};
    struct mgc_buf text = {0};
    bool ok = look(task, &request, &evidence, &judgement, &text, err);
    if (ok && !mgc_pathcheck_to_fields(&evidence, &judgement, mgc_task_facts(task)))
        ok = mgc_error_set(err, MGC_E_NO_MEMORY, "path check: out of memory");
    ok = ok && write_text(task, &text, err);
    mgc_buf_destroy(&text);
    return ok;
}
