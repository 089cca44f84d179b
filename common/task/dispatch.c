#include "common/task/dispatch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/path.h"
#include "common/task/dispatch_internal.h"
#include "common/task/outcome.h"
#include "common/task/params.h"
#include "common/task/kinds.h"

static void send_result(struct mgc_dispatch *dispatch, struct mgc_msg *result)
{
    struct mgc_error err = {0};
    if (dispatch->state != MGC_JOINED && dispatch->state != MGC_LEAVING)
        return; /* it waits for the next session */
    if (!mgc_bus_client_send(dispatch->client, result, &err))
        mgc_debug("result of task %" PRIx64 " waits: %s", result->result.task_id, err.text);
}

/* Takes over the message. */
static void keep_result(struct mgc_dispatch *dispatch, struct mgc_msg *result)
{
    struct mgc_error err = {0};
    if (!mgc_results_add(dispatch->config.results, result, &err))
        mgc_err("a result is lost: %s", err.text);
    else
        send_result(dispatch, mgc_results_at(dispatch->config.results,
                                  mgc_results_count(dispatch->config.results) - 1));
}

void mgc_dispatch_give_up(struct mgc_dispatch *dispatch)
{
    dispatch->exit_code = 3;
    mgc_loop_quit(dispatch->loop);
}

void mgc_dispatch_fail_task(struct mgc_dispatch *dispatch, const struct mgc_msg_task *task,
    const char *dir, const struct mgc_error *why)
{
    struct mgc_msg result;
    struct mgc_error err = {0};
    if (!mgc_outcome_refusal(task, dispatch->run_id, why, &result)) {
        mgc_err("task %" PRIx64 ": no memory for its result", task->task_id);
        return;
    }
    if (dir && !mgc_result_write(dir, &result, &err))
        mgc_warn("task %" PRIx64 ": %s", task->task_id, err.text);
    keep_result(dispatch, &result);
}

/* `done` of a task: its result is on disk already. */
static void on_done(struct mgc_dispatch *dispatch, struct mgc_post *post)
{
    mgc_running_end(dispatch, post->task);
    keep_result(dispatch, &post->msg);
    post->msg = (struct mgc_msg){0};
    mgc_renewal_look(dispatch);
}

static void on_mail(void *user)
{
    struct mgc_dispatch *dispatch = user;
    struct mgc_post *post;
    while ((post = mgc_mailbox_take(dispatch->mailbox))) {
        struct mgc_error err = {0};
        if (post->done)
            on_done(dispatch, post);
        else if (!mgc_bus_client_send(dispatch->client, &post->msg, &err))
            mgc_debug("%s is not sent: %s", mgc_msg_kind_name(post->msg.kind), err.text);
        mgc_post_free(post);
    }
}

/* ---- messages ---- */

static void on_task(struct mgc_dispatch *dispatch, const struct mgc_msg_task *msg)
{
    struct mgc_error err = {0};
    char dir[MGC_PATH_MAX] = "";
    if (mgc_running_find(dispatch, msg->task_id) ||
        mgc_results_knows(dispatch->config.results, msg->task_id)) {
        mgc_debug("task %" PRIx64 " came again and is ignored", msg->task_id);
        return;
    }
    const struct mgc_task_kind *kind = mgc_task_kind_find(dispatch->config.spec->kinds, msg->kind);
    dispatch->renewal.had_task = true;
    if (!kind)
        kind = mgc_task_kind_find(mgc_worker_kinds, msg->kind);
    if (msg->task_id == 0)
        mgc_error_set(&err, MGC_E_PROTOCOL, "a task has the id 0, which stands for none");
    else if (dispatch->state == MGC_LEAVING)
        mgc_error_set(&err, MGC_E_CANCELLED, "the worker is told to stop");
    else if (!kind)
        mgc_error_set(&err, MGC_E_UNSUPPORTED, "this worker (%s) has no task kind \"%.100s\"",
            dispatch->config.spec->program, msg->kind);
    else if (mgc_params_check(kind, &msg->params, &msg->secrets, &err) &&
             mgc_leases_grant(dispatch->config.leases, kind, msg, dispatch->run_id, &err)) {
        if (mgc_running_start(dispatch, msg, kind, dir, sizeof(dir), &err))
            return;
        mgc_leases_leave(dispatch->config.leases, msg->task_id);
    }
    mgc_warn("task %" PRIx64 " (%s) is refused: %s", msg->task_id, msg->kind, err.text);
    mgc_dispatch_fail_task(dispatch, msg, *dir ? dir : NULL, &err);
}

static void on_task_ref(
    struct mgc_dispatch *dispatch, enum mgc_msg_kind kind, const struct mgc_msg_task_ref *ref)
{
    struct mgc_error err = {0};
    struct mgc_running *running = mgc_running_find(dispatch, ref->task_id);
    if (kind == MGC_MSG_RESULT_ACK) {
        mgc_sender_forget(dispatch->sender, ref->task_id);
        if (!mgc_results_forget(dispatch->config.results, ref->task_id, &err))
            mgc_warn("%s", err.text);
    } else if (!running) {
        mgc_debug("%s for task %" PRIx64 ", which does not run, is ignored",
            mgc_msg_kind_name(kind), ref->task_id);
    } else if (kind == MGC_MSG_CANCEL) {
        mgc_running_stop(
            running, MGC_E_CANCELLED, ref->text && *ref->text ? ref->text : "cancelled");
    } else {
        mgc_task_finish(running->task);
    }
}

static void on_release(struct mgc_dispatch *dispatch, const struct mgc_msg_barrier *barrier)
{
    struct mgc_running *running = mgc_running_find(dispatch, barrier->task_id);
    if (running)
        mgc_task_release(running->task, barrier);
    if (running && barrier->code == MGC_OK)
        mgc_report_after(&dispatch->report, barrier->instant_ns);
    if (!running)
        mgc_debug("release for task %" PRIx64 ", which does not run, is ignored", barrier->task_id);
}

/* Somebody wants to know now; nothing is looked at while nobody asks. */
static void on_look(struct mgc_dispatch *dispatch)
{
    struct mgc_msg answer = {.kind = MGC_MSG_HELD};
    struct mgc_error err = {0};
    if (!mgc_leases_facts(dispatch->config.leases, true, &answer.held.leases))
        mgc_error_set(&err, MGC_E_NO_MEMORY, "out of memory");
    else
        mgc_bus_client_send(dispatch->client, &answer, &err);
    if (err.code)
        mgc_debug("who holds what is not told: %s", err.text);
    mgc_fields_destroy(&answer.held.leases);
}

static void on_message(void *user, const struct mgc_msg *msg)
{
    struct mgc_dispatch *dispatch = user;
    struct mgc_error err = {0};
    switch (msg->kind) {
    case MGC_MSG_TASK:
        on_task(dispatch, &msg->task);
        break;
    case MGC_MSG_CANCEL:
    case MGC_MSG_FINISH:
    case MGC_MSG_RESULT_ACK:
        on_task_ref(dispatch, msg->kind, &msg->task_ref);
        break;
    case MGC_MSG_RELEASE:
        on_release(dispatch, &msg->barrier);
        break;
    case MGC_MSG_CREDIT:
        if (!mgc_sender_credit(dispatch->sender, dispatch->config.results, &msg->credit, &err))
            mgc_warn("artifact '%s': %s", msg->credit.name, err.text);
        break;
    case MGC_MSG_LOOK:
        on_look(dispatch);
        break;
    case MGC_MSG_ERROR:
        mgc_warn("the coordinator did not understand a message: %s", msg->text.text);
        break;
    default:
        mgc_debug("%s is not for a worker and is ignored", mgc_msg_kind_name(msg->kind));
        break;
    }
}

/* ---- sessions ---- */

static void on_joined(void *user, const struct mgc_msg_welcome *welcome, uint64_t epoch)
{
    struct mgc_dispatch *dispatch = user;
    struct mgc_results *results = dispatch->config.results;
    char *run_id = strdup(welcome->run_id);
    if (run_id) {
        free(dispatch->run_id);
        dispatch->run_id = run_id;
    }
    if (dispatch->state == MGC_IDLE)
        dispatch->state = MGC_JOINED;
    mgc_leases_for(dispatch->config.leases, welcome->coordinator ? welcome->coordinator : "");
    mgc_renewal_joined(dispatch);
    mgc_info("joined the coordinator as '%s' (run '%s', epoch %" PRIx64 "), %zu results to send",
        welcome->name, welcome->run_id, epoch, mgc_results_count(results));
    for (size_t i = 0; i < mgc_results_count(results); i++)
        send_result(dispatch, mgc_results_at(results, i));
}

static void on_lost(void *user, const struct mgc_error *why)
{
    struct mgc_dispatch *dispatch = user;
    char text[MGC_ERROR_TEXT_MAX];
    if (dispatch->state != MGC_LEAVING && mgc_renewal_is_loop(dispatch, why)) {
        mgc_err("%" PRId64 " sessions in a row broke early and without a task, the last one: %s; "
                "the worker ends, to be started afresh",
            dispatch->renewal.broken_rows, why->text);
        mgc_dispatch_give_up(dispatch); /* no task runs that would have to be waited for */
        return;
    }
    mgc_warn("session lost: %s; tasks are stopped and undone before the next one", why->text);
    mgc_sender_reset(dispatch->sender);
    if (dispatch->state != MGC_LEAVING)
        dispatch->state = MGC_FENCED;
    snprintf(text, sizeof(text), "session lost: %.480s", why->text);
    mgc_running_stop_all(dispatch, MGC_E_LOST, text);
    mgc_renewal_look(dispatch);
}

static void on_not_joined(void *user, const char *address, const struct mgc_error *why)
{
    mgc_info("no session at %s: %s", address, why->text);
}

static bool send_chunk(void *user, struct mgc_msg *chunk, struct mgc_error *err)
{
    struct mgc_dispatch *dispatch = user;
    return mgc_bus_client_send(dispatch->client, chunk, err);
}

struct mgc_dispatch *mgc_dispatch_new(
    struct mgc_loop *loop, const struct mgc_dispatch_config *config, struct mgc_error *err)
{
    static const struct mgc_bus_client_ops ops = {.joined = on_joined,
        .lost = on_lost,
        .message = on_message,
        .not_joined = on_not_joined,
        .greeting = mgc_renewal_greeting};
    struct mgc_dispatch *dispatch = calloc(1, sizeof(*dispatch));
    if (!dispatch) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "start: out of memory");
        return NULL;
    }
    dispatch->config = *config;
    dispatch->loop = loop;
    dispatch->renewal.bell = (struct mgc_stop)MGC_STOP_INIT;
    dispatch->run_id = strdup("");
    dispatch->sender = mgc_sender_new(send_chunk, dispatch);
    dispatch->mailbox = mgc_mailbox_new(err);
    mgc_report_init(&dispatch->report, loop, on_mail, dispatch);
    struct mgc_bus_client_config bus = {.enrolment = config->enrolment,
        .hello = config->hello,
        .retry_max_ms = config->retry_max_ms};
    if (!dispatch->run_id || !dispatch->sender)
        mgc_error_set(err, MGC_E_NO_MEMORY, "start: out of memory");
    else if (dispatch->mailbox &&
             mgc_loop_add_fd(loop, mgc_mailbox_fd(dispatch->mailbox), on_mail, dispatch, err))
        dispatch->client = mgc_bus_client_new(loop, &bus, &ops, dispatch, err);
    if (dispatch->client && mgc_renewal_init(dispatch, err))
        return dispatch;
    mgc_dispatch_free(dispatch);
    return NULL;
}

void mgc_dispatch_free(struct mgc_dispatch *dispatch)
{
    if (!dispatch)
        return;
    mgc_bus_client_free(dispatch->client);
    mgc_renewal_destroy(dispatch);
    mgc_report_destroy(&dispatch->report);
    if (dispatch->mailbox)
        mgc_loop_remove_fd(dispatch->loop, mgc_mailbox_fd(dispatch->mailbox));
    mgc_mailbox_free(dispatch->mailbox);
    mgc_sender_free(dispatch->sender);
    free(dispatch->run_id);
    free(dispatch);
}

void mgc_dispatch_leave(struct mgc_dispatch *dispatch)
{
    dispatch->state = MGC_LEAVING;
    mgc_running_stop_all(dispatch, MGC_E_CANCELLED, "the worker is told to stop");
    mgc_renewal_leave(dispatch);
    mgc_renewal_look(dispatch);
}

int mgc_dispatch_exit_code(const struct mgc_dispatch *dispatch)
{
    return dispatch->exit_code;
}
