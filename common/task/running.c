/* The tasks that run: started, told to stop, given up, dumped. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/task/dispatch_internal.h"

struct mgc_running *mgc_running_find(struct mgc_dispatch *dispatch, uint64_t task_id)
{
    struct mgc_running *running = dispatch->tasks;
    while (running && mgc_task_id(running->task) != task_id)
        running = running->next;
    return running;
}

static void on_grace_over(void *user)
{
    struct mgc_running *running = user;
    struct mgc_dispatch *dispatch = running->dispatch;
    struct mgc_task_state state = mgc_task_state(running->task);
    struct mgc_error why;
    running->grace_timer = 0;
    mgc_error_set(&why, MGC_E_TIMEOUT,
        "%s did not react to a stop within %" PRId64 " ms (it is %s); the worker ends and its next "
        "start undoes the changes",
        mgc_task_kind_name(running->task), dispatch->config.stop_grace_ms,
        mgc_task_phase_name(state.phase));
    mgc_err("task %" PRIx64 ": %s", mgc_task_id(running->task), why.text);
    struct mgc_msg_task task = {.task_id = mgc_task_id(running->task)};
    mgc_dispatch_fail_task(dispatch, &task, running->dir, &why);
    mgc_dispatch_give_up(dispatch);
}

void mgc_running_stop(struct mgc_running *running, enum mgc_code code, const char *text)
{
    struct mgc_dispatch *dispatch = running->dispatch;
    mgc_task_stop(running->task, code, text);
    if (!running->grace_timer)
        running->grace_timer = mgc_loop_add_timer(dispatch->loop,
            mgc_deadline_in_ms(dispatch->config.stop_grace_ms), on_grace_over, running);
}

static void on_deadline(void *user)
{
    struct mgc_running *running = user;
    running->deadline_timer = 0;
    mgc_running_stop(running, MGC_E_TIMEOUT, "its deadline is over");
}

void mgc_running_stop_all(struct mgc_dispatch *dispatch, enum mgc_code code, const char *text)
{
    for (struct mgc_running *running = dispatch->tasks; running; running = running->next)
        mgc_running_stop(running, code, text);
}

bool mgc_running_start(struct mgc_dispatch *dispatch, const struct mgc_msg_task *msg,
    const struct mgc_task_kind *kind, char *dir, size_t dir_size, struct mgc_error *err)
{
    struct mgc_running *running = calloc(1, sizeof(*running));
    if (!running)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "%s: out of memory", kind->name);
    running->dispatch = dispatch;
    struct mgc_task_spec spec = {.msg = msg,
        .kind = kind,
        .run_id = dispatch->run_id,
        .dir = dir,
        .journal = dispatch->config.journal,
        .mailbox = dispatch->mailbox,
        .worker = dispatch->config.spec->worker};
    if (!mgc_results_begin(dispatch->config.results, msg, dispatch->run_id, dir, dir_size, err) ||
        !(running->task = mgc_task_start(&spec, err))) {
        free(running);
        return mgc_error_prefix(err, "start");
    }
    running->dir = strdup(dir);
    if (msg->deadline_ms > 0)
        running->deadline_timer = mgc_loop_add_timer(
            dispatch->loop, mgc_deadline_in_ms(msg->deadline_ms), on_deadline, running);
    running->next = dispatch->tasks;
    dispatch->tasks = running;
    return true;
}

static void running_free(struct mgc_running *running)
{
    mgc_loop_remove_timer(running->dispatch->loop, running->deadline_timer);
    mgc_loop_remove_timer(running->dispatch->loop, running->grace_timer);
    mgc_task_join(running->task);
    free(running->dir);
    free(running);
}

void mgc_running_end(struct mgc_dispatch *dispatch, struct mgc_task *task)
{
    struct mgc_running **link = &dispatch->tasks;
    while ((*link)->task != task)
        link = &(*link)->next;
    struct mgc_running *running = *link;
    *link = running->next;
    mgc_leases_leave(dispatch->config.leases, mgc_task_id(running->task));
    running_free(running);
}

static double seconds_since(int64_t mono_ns)
{
    return (double)(mgc_mono_ns() - mono_ns) / 1e9;
}

void mgc_dispatch_dump(struct mgc_dispatch *dispatch)
{
    static const char *const names[] = {
        [MGC_IDLE] = "no session",
        [MGC_JOINED] = "joined",
        [MGC_FENCED] = "fenced",
        [MGC_LEAVING] = "leaving",
    };
    mgc_info("state: %s, run '%s', %zu results wait, %zu journal entries", names[dispatch->state],
        dispatch->run_id, mgc_results_count(dispatch->config.results),
        mgc_journal_count(dispatch->config.journal));
    for (struct mgc_running *running = dispatch->tasks; running; running = running->next) {
        struct mgc_task_state state = mgc_task_state(running->task);
        char stop[64] = "";
        if (state.stopping)
            snprintf(
                stop, sizeof(stop), ", told to stop %.1f s ago", seconds_since(state.stopping_ns));
        mgc_info("task %" PRIx64 " %s (%s): %s%s%s for %.1f s%s", mgc_task_id(running->task),
            mgc_task_kind_name(running->task), mgc_task_label(running->task),
            mgc_task_phase_name(state.phase), *state.detail ? " " : "", state.detail,
            seconds_since(state.since_ns), stop);
    }
}
