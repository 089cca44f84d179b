#include "common/task/dispatch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/path.h"
#include "common/task/mailbox.h"
#include "common/task/outcome.h"
#include "common/task/params.h"
#include "common/task/runner.h"
#include "common/task/report.h"
#include "common/task/salvage.h"
#include "common/task/sender.h"

enum state { IDLE, JOINED, FENCED, LEAVING };
enum { UNDO_AGAIN_MS = 5000, EARLY_MS = 60 * 1000 };

struct running {
    struct running *next;
    struct mgc_dispatch *dispatch;        /* borrowed */
    struct mgc_task *task;                /* owned; joined at its end */
    char *dir;                            /* owned */
    uint64_t deadline_timer, grace_timer; /* 0: none */
};

struct mgc_dispatch {
    struct mgc_dispatch_config config;
    struct mgc_loop *loop;         /* borrowed */
    struct mgc_bus_client *client; /* owned, like the two below */
    struct mgc_mailbox *mailbox;
    struct mgc_sender *sender;
    struct running *tasks; /* owned */
    enum state state;
    char *run_id;                      /* owned; of the live session, or empty */
    uint64_t resume_timer, undo_timer; /* 0: none */
    struct mgc_report report;
    int64_t joined_ns;   /* when the session began */
    bool had_task;       /* in this session */
    int64_t broken_rows; /* sessions in a row that broke early and without a task */
    int exit_code;
};

static struct running *running_find(struct mgc_dispatch *dispatch, uint64_t task_id)
{
    struct running *running = dispatch->tasks;
    while (running && mgc_task_id(running->task) != task_id)
        running = running->next;
    return running;
}

static void send_result(struct mgc_dispatch *dispatch, struct mgc_msg *result)
{
    struct mgc_error err = {0};
    if (dispatch->state != JOINED && dispatch->state != LEAVING)
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

/* The end of a task that never ran, or of one that does not end. */
static void fail_task(struct mgc_dispatch *dispatch, const struct mgc_msg_task *task,
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

/* ---- the end of tasks ---- */

static void on_grace_over(void *user)
{
    struct running *running = user;
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
    fail_task(dispatch, &task, running->dir, &why);
    dispatch->exit_code = 3;
    mgc_loop_quit(dispatch->loop);
}

static void stop_task(struct running *running, enum mgc_code code, const char *text)
{
    struct mgc_dispatch *dispatch = running->dispatch;
    mgc_task_stop(running->task, code, text);
    if (!running->grace_timer)
        running->grace_timer = mgc_loop_add_timer(dispatch->loop,
            mgc_deadline_in_ms(dispatch->config.stop_grace_ms), on_grace_over, running);
}

static void on_deadline(void *user)
{
    struct running *running = user;
    running->deadline_timer = 0;
    stop_task(running, MGC_E_TIMEOUT, "its deadline is over");
}

static void stop_all(struct mgc_dispatch *dispatch, enum mgc_code code, const char *text)
{
    for (struct running *running = dispatch->tasks; running; running = running->next)
        stop_task(running, code, text);
}

static void arm_undo(struct mgc_dispatch *dispatch);

/* A link that was down may be up again: the user gets back what was changed without having to wait
 * for the next run. Nothing tells of every such change, so it is tried now and then. */
static void on_undo(void *user)
{
    struct mgc_dispatch *dispatch = user;
    dispatch->undo_timer = 0;
    if (dispatch->state != IDLE)
        return; /* the end of the session tries it */
    mgc_dispatch_undo_pending(&dispatch->config, 1, mgc_dispatch_log_undo, NULL);
    arm_undo(dispatch);
}

static void arm_undo(struct mgc_dispatch *dispatch)
{
    if (mgc_journal_count(dispatch->config.journal) > 0 && !dispatch->undo_timer)
        dispatch->undo_timer = mgc_loop_add_timer(
            dispatch->loop, mgc_deadline_in_ms(UNDO_AGAIN_MS), on_undo, dispatch);
}

static void on_resume(void *user)
{
    struct mgc_dispatch *dispatch = user;
    struct mgc_error err = {0};
    dispatch->resume_timer = 0;
    if (!mgc_dispatch_new_session(&dispatch->config, 1, mgc_dispatch_log_undo, NULL, &err)) {
        mgc_err("%s; the worker ends", err.text); /* without a number nothing would be fenced */
        dispatch->exit_code = 3;
        mgc_loop_quit(dispatch->loop);
        return;
    }
    dispatch->state = IDLE;
    mgc_bus_client_resume(dispatch->client);
    arm_undo(dispatch);
}

static void after_last_task(struct mgc_dispatch *dispatch)
{
    if (dispatch->tasks)
        return;
    if (dispatch->state == LEAVING)
        mgc_loop_quit(dispatch->loop);
    else if (dispatch->state == FENCED && !dispatch->resume_timer)
        dispatch->resume_timer = mgc_loop_add_timer(dispatch->loop, 0, on_resume, dispatch);
}

static void running_free(struct running *running)
{
    mgc_loop_remove_timer(running->dispatch->loop, running->deadline_timer);
    mgc_loop_remove_timer(running->dispatch->loop, running->grace_timer);
    mgc_task_join(running->task);
    free(running->dir);
    free(running);
}

/* `done` of a task: its result is on disk already. */
static void on_done(struct mgc_dispatch *dispatch, struct mgc_post *post)
{
    struct running **link = &dispatch->tasks;
    while ((*link)->task != post->task)
        link = &(*link)->next;
    struct running *running = *link;
    *link = running->next;
    mgc_leases_leave(dispatch->config.leases, mgc_task_id(running->task));
    running_free(running);
    keep_result(dispatch, &post->msg);
    post->msg = (struct mgc_msg){0};
    after_last_task(dispatch);
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

static bool start_task(struct mgc_dispatch *dispatch, const struct mgc_msg_task *msg,
    const struct mgc_task_kind *kind, char *dir, size_t dir_size, struct mgc_error *err)
{
    struct running *running = calloc(1, sizeof(*running));
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

static void on_task(struct mgc_dispatch *dispatch, const struct mgc_msg_task *msg)
{
    struct mgc_error err = {0};
    char dir[MGC_PATH_MAX] = "";
    if (running_find(dispatch, msg->task_id) ||
        mgc_results_knows(dispatch->config.results, msg->task_id)) {
        mgc_debug("task %" PRIx64 " came again and is ignored", msg->task_id);
        return;
    }
    const struct mgc_task_kind *kind = mgc_task_kind_find(dispatch->config.spec->kinds, msg->kind);
    dispatch->had_task = true;
    if (!kind)
        kind = mgc_task_kind_find(mgc_worker_kinds, msg->kind);
    if (msg->task_id == 0)
        mgc_error_set(&err, MGC_E_PROTOCOL, "a task has the id 0, which stands for none");
    else if (dispatch->state == LEAVING)
        mgc_error_set(&err, MGC_E_CANCELLED, "the worker is told to stop");
    else if (!kind)
        mgc_error_set(&err, MGC_E_UNSUPPORTED, "this worker (%s) has no task kind \"%.100s\"",
            dispatch->config.spec->program, msg->kind);
    else if (mgc_params_check(kind, &msg->params, &msg->secrets, &err) &&
             mgc_leases_grant(dispatch->config.leases, kind, msg, dispatch->run_id, &err)) {
        if (start_task(dispatch, msg, kind, dir, sizeof(dir), &err))
            return;
        mgc_leases_leave(dispatch->config.leases, msg->task_id);
    }
    mgc_warn("task %" PRIx64 " (%s) is refused: %s", msg->task_id, msg->kind, err.text);
    fail_task(dispatch, msg, *dir ? dir : NULL, &err);
}

static void on_task_ref(
    struct mgc_dispatch *dispatch, enum mgc_msg_kind kind, const struct mgc_msg_task_ref *ref)
{
    struct mgc_error err = {0};
    struct running *running = running_find(dispatch, ref->task_id);
    if (kind == MGC_MSG_RESULT_ACK) {
        mgc_sender_forget(dispatch->sender, ref->task_id);
        if (!mgc_results_forget(dispatch->config.results, ref->task_id, &err))
            mgc_warn("%s", err.text);
    } else if (!running) {
        mgc_debug("%s for task %" PRIx64 ", which does not run, is ignored",
            mgc_msg_kind_name(kind), ref->task_id);
    } else if (kind == MGC_MSG_CANCEL) {
        stop_task(running, MGC_E_CANCELLED, ref->text && *ref->text ? ref->text : "cancelled");
    } else {
        mgc_task_finish(running->task);
    }
}

static void on_release(struct mgc_dispatch *dispatch, const struct mgc_msg_barrier *barrier)
{
    struct running *running = running_find(dispatch, barrier->task_id);
    if (running)
        mgc_task_release(running->task, barrier);
    if (running && barrier->code == MGC_OK)
        mgc_report_after(&dispatch->report, barrier->instant_ns);
    if (!running)
        mgc_debug("release for task %" PRIx64 ", which does not run, is ignored", barrier->task_id);
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
    if (dispatch->state == IDLE)
        dispatch->state = JOINED;
    dispatch->joined_ns = mgc_mono_ns();
    dispatch->had_task = false;
    mgc_info("joined the coordinator as '%s' (run '%s', epoch %" PRIx64 "), %zu results to send",
        welcome->name, welcome->run_id, epoch, mgc_results_count(results));
    for (size_t i = 0; i < mgc_results_count(results); i++)
        send_result(dispatch, mgc_results_at(results, i));
}

/* True once it is a loop that this process must leave. */
static bool is_loop(struct mgc_dispatch *dispatch, const struct mgc_error *why)
{
    /* Silence, or not known over there: what the coordinator does on purpose (bye, key refused,
     * key used twice) is no loop. */
    bool broken = why->code == MGC_E_TIMEOUT || why->code == MGC_E_STALE;
    bool early = mgc_mono_ns() - dispatch->joined_ns < EARLY_MS * MGC_NS_PER_MS;
    dispatch->broken_rows = early && broken && !dispatch->had_task ? dispatch->broken_rows + 1 : 0;
    return dispatch->broken_rows >= dispatch->config.rejoin_max;
}

static void on_lost(void *user, const struct mgc_error *why)
{
    struct mgc_dispatch *dispatch = user;
    char text[MGC_ERROR_TEXT_MAX];
    if (dispatch->state != LEAVING && is_loop(dispatch, why)) {
        mgc_err("%" PRId64 " sessions in a row broke early and without a task, the last one: %s; "
                "the worker ends, to be started afresh",
            dispatch->broken_rows, why->text);
        dispatch->exit_code = 3; /* no task runs that would have to be waited for */
        mgc_loop_quit(dispatch->loop);
        return;
    }
    mgc_warn("session lost: %s; tasks are stopped and undone before the next one", why->text);
    mgc_sender_reset(dispatch->sender);
    if (dispatch->state != LEAVING)
        dispatch->state = FENCED;
    snprintf(text, sizeof(text), "session lost: %.480s", why->text);
    stop_all(dispatch, MGC_E_LOST, text);
    after_last_task(dispatch);
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
    static const struct mgc_bus_client_ops ops = {
        .joined = on_joined, .lost = on_lost, .message = on_message, .not_joined = on_not_joined};
    struct mgc_dispatch *dispatch = calloc(1, sizeof(*dispatch));
    if (!dispatch) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "start: out of memory");
        return NULL;
    }
    dispatch->config = *config;
    dispatch->loop = loop;
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
    if (dispatch->client) {
        arm_undo(dispatch);
        return dispatch;
    }
    mgc_dispatch_free(dispatch);
    return NULL;
}

void mgc_dispatch_free(struct mgc_dispatch *dispatch)
{
    if (!dispatch)
        return;
    mgc_bus_client_free(dispatch->client);
    mgc_loop_remove_timer(dispatch->loop, dispatch->resume_timer);
    mgc_loop_remove_timer(dispatch->loop, dispatch->undo_timer);
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
    dispatch->state = LEAVING;
    stop_all(dispatch, MGC_E_CANCELLED, "the worker is told to stop");
    after_last_task(dispatch);
}

int mgc_dispatch_exit_code(const struct mgc_dispatch *dispatch)
{
    return dispatch->exit_code;
}

static double seconds_since(int64_t mono_ns)
{
    return (double)(mgc_mono_ns() - mono_ns) / 1e9;
}

void mgc_dispatch_dump(struct mgc_dispatch *dispatch)
{
    static const char *const names[] = {
        [IDLE] = "no session",
        [JOINED] = "joined",
        [FENCED] = "fenced",
        [LEAVING] = "leaving",
    };
    mgc_info("state: %s, run '%s', %zu results wait, %zu journal entries", names[dispatch->state],
        dispatch->run_id, mgc_results_count(dispatch->config.results),
        mgc_journal_count(dispatch->config.journal));
    for (struct running *running = dispatch->tasks; running; running = running->next) {
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
