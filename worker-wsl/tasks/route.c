/* wsl.route: send one address through a gateway for as long as the task holds. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/task/wait.h"
#include "worker-wsl/route/route.h"
#include "worker-wsl/route/watch.h"
#include "worker-wsl/tasks/tasks.h"

const struct mgc_param mgc_wsl_route_params[] = {
    {"address", MGC_PARAM_STRING, true, 7, 15, mgc_wsl_check_address, "the phone's IPv4 address"},
    {"gateway", MGC_PARAM_STRING, true, 7, 15, mgc_wsl_check_address, "the way to it"},
    {"interface", MGC_PARAM_STRING, false, 1, MGC_ROUTE_IFNAME_SIZE - 1, NULL,
        "where the gateway is; found out when absent"},
    {0},
};

static bool is_ours(const struct mgc_route_entry *entry)
{
    return entry->present && entry->protocol == MGC_ROUTE_PROTOCOL;
}

/* The route that the user had. One of ours whose journal entry is gone is nobody's. */
static bool read_before(struct mgc_task *task, const char *address,
    struct mgc_route_state *ret_before, struct mgc_error *err)
{
    char text[256];
    if (!mgc_route_get(address, ret_before, err))
        return false;
    if (is_ours(&ret_before->exact)) {
        mgc_warn("%s was left by an earlier run without a journal entry; it will be removed",
            mgc_route_text(ret_before, text, sizeof(text)));
        ret_before->exact = (struct mgc_route_entry){0};
    }
    return mgc_fields_set_str(mgc_task_facts(task), "before",
               ret_before->exact.present ? mgc_route_text(ret_before, text, sizeof(text))
                                         : "none") ||
           mgc_error_set(err, MGC_E_NO_MEMORY, "route: out of memory");
}

static bool journal_before(
    struct mgc_task *task, const struct mgc_route_state *before, struct mgc_error *err)
{
    const struct mgc_wsl_worker *worker = mgc_task_worker(task);
    struct mgc_fields fields = {0};
    bool ok = mgc_route_to_fields(before, &fields) &&
              mgc_fields_set_str(&fields, "boot_id", worker->boot_id);
    ok = ok ? mgc_task_journal(task, "route.restore", &fields, NULL, err)
            : mgc_error_set(err, MGC_E_NO_MEMORY, "route: out of memory");
    mgc_fields_destroy(&fields);
    return ok;
}

/* A look right after a message about a link can be too early: its routes go a moment later. */
enum { SETTLE_MS = 200 };

/* Until finish. What is measured over a route that is gone would be measured over another one. */
static bool hold_while_it_is(
    struct mgc_task *task, int watch_fd, const struct mgc_route_state *set, struct mgc_error *err)
{
    int fds[] = {mgc_task_stop_fd(task), mgc_task_finish_fd(task), watch_fd};
    int64_t end_ns = mgc_task_deadline(task, -1), look_ns = end_ns;
    for (;;) {
        int which = mgc_wait_readable(fds, 3, look_ns);
        if (which == 0 || (which == MGC_WAIT_TIMEOUT && mgc_deadline_past(end_ns)))
            return mgc_task_stop_error(task, err);
        if (which == 2)
            mgc_route_watch_drain(watch_fd);
        if (!mgc_route_still(set, err))
            return false;
        if (which == 1)
            return true;
        look_ns = which == 2 ? mgc_task_deadline(task, SETTLE_MS) : end_ns;
    }
}

static bool watch_and_hold(
    struct mgc_task *task, const struct mgc_route_state *set, struct mgc_error *err)
{
    int watch_fd = mgc_route_watch_open(err);
    if (watch_fd < 0)
        return false;
    /* What changed between setting and watching is seen by this first look. */
    bool ok = mgc_route_still(set, err) &&
              mgc_task_event(task, "ready", mgc_task_facts(task), err) &&
              hold_while_it_is(task, watch_fd, set, err);
    close(watch_fd);
    return ok;
}

static bool set_and_hold(struct mgc_task *task, const char *address, struct mgc_error *err)
{
    struct mgc_route_state now;
    struct mgc_fields *facts = mgc_task_facts(task);
    char text[256];
    if (!mgc_route_replace(
            address, mgc_task_str(task, "gateway"), mgc_task_str(task, "interface"), &now, err))
        return false;
    mgc_info("route is %s", mgc_route_text(&now, text, sizeof(text)));
    if (!mgc_fields_set_str(facts, "route", text) ||
        !mgc_fields_set_str(facts, "source", now.effective.source) ||
        !mgc_fields_set_str(facts, "interface", now.effective.ifname))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "route: out of memory");
    return watch_and_hold(task, &now, err);
}

bool mgc_wsl_route_run(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_route_state before;
    const char *address = mgc_task_str(task, "address");
    return read_before(task, address, &before, err) && journal_before(task, &before, err) &&
           set_and_hold(task, address, err);
}

static bool restarted_since(const struct mgc_fields *before, const struct mgc_wsl_worker *worker)
{
    const char *boot_id = mgc_fields_get_str(before, "boot_id");
    return boot_id && strcmp(boot_id, worker->boot_id) != 0;
}

bool mgc_wsl_route_undo(const struct mgc_fields *before, void *worker, struct mgc_error *err)
{
    struct mgc_route_state old, now;
    char text[256];
    if (!mgc_route_from_fields(before, &old, err) || !mgc_route_get(old.address, &now, err))
        return false;
    if (mgc_route_same_entry(&old.exact, &now.exact))
        return true; /* never changed, or restored before a crash */
    if (now.exact.present && !is_ours(&now.exact)) {
        mgc_warn("%s was set by somebody else meanwhile and stays",
            mgc_route_text(&now, text, sizeof(text)));
        return true;
    }
    /* A restart took away all routes that were set by hand, the user's too. */
    if (!now.exact.present && restarted_since(before, worker))
        return true;
    return mgc_route_restore(&old, err);
}
