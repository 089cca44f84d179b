#include "worker-wsl/netbench/netbench.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "worker-wsl/netbench/way.h"

enum { BETWEEN_MS = 20 }; /* two round trips of the idle link */

static bool nothing_else(void *ctx, const struct mgc_device_msg *msg, struct mgc_error *err)
{
    (void)ctx;
    return mgc_error_set(err, MGC_E_PROTOCOL, "the sink said %s, expected the answer to a probe",
        mgc_device_type_name(msg->type));
}

/* Until the answer is here and the pause over. */
static bool probe_once(struct mgc_netbench_session *session, struct mgc_error *err)
{
    const struct mgc_netbench_request *request = session->request;
    int64_t next_ns = mgc_deadline_in_ms(BETWEEN_MS);
    int64_t limit_ns =
        mgc_deadline_min(request->deadline_ns, mgc_deadline_in_ms(request->timeout_ms));
    if (!mgc_netbench_probe(session, err))
        return false;
    while (session->probe_id || !mgc_deadline_past(next_ns)) {
        struct pollfd fds[2] = {{session->fd, POLLIN, 0}, {request->stop_fd, POLLIN, 0}};
        int ready = poll(fds, 2, mgc_deadline_poll_ms(session->probe_id ? limit_ns : next_ns));
        if (ready < 0 && errno != EINTR)
            return mgc_error_errno(err, errno, "poll");
        if (ready > 0 && fds[1].revents)
            return mgc_error_set(err, MGC_E_CANCELLED, "asked to stop");
        if (ready > 0 && !mgc_netbench_take(session, nothing_else, NULL, err))
            return false;
        if (session->probe_id && mgc_deadline_past(limit_ns))
            return mgc_error_set(err, MGC_E_TIMEOUT, "no answer to a probe within %lld ms",
                (long long)request->timeout_ms);
    }
    return true;
}

static bool probe_idle(
    struct mgc_netbench_session *session, struct mgc_netbench_rtt *ret_rtt, struct mgc_error *err)
{
    for (unsigned i = 0; i < session->request->probes; i++)
        if (!probe_once(session, err))
            return false;
    *ret_rtt = mgc_netbench_rtt_of(session->samples, session->sample_count);
    return true;
}

static bool run_all(
    struct mgc_netbench_session *session, struct mgc_netbench_result *result, struct mgc_error *err)
{
    const struct mgc_netbench_request *request = session->request;
    bool ok = probe_idle(session, &result->idle, err);
    if (ok && request->before_load)
        ok = request->before_load(request->ctx, err);
    if (ok && request->up)
        ok = mgc_netbench_way_run(session, MGC_DEVICE_SINK_UP, &result->up, err);
    if (ok && request->down)
        ok = mgc_netbench_way_run(session, MGC_DEVICE_SINK_DOWN, &result->down, err);
    return ok;
}

bool mgc_netbench_run(const struct mgc_netbench_request *request,
    struct mgc_netbench_result *ret_result, struct mgc_error *err)
{
    struct mgc_netbench_session session;
    *ret_result = (struct mgc_netbench_result){0};
    if (!mgc_netbench_open(&session, request, err))
        return mgc_netbench_failed(request, err);
    ret_result->marks = session.marks;
    bool ok = run_all(&session, ret_result, err);
    mgc_netbench_close(&session);
    return ok || mgc_netbench_failed(request, err);
}

void mgc_netbench_result_destroy(struct mgc_netbench_result *result)
{
    if (!result)
        return;
    free(result->up.bytes);
    free(result->down.bytes);
    *result = (struct mgc_netbench_result){0};
}
