/* What dispatch.h says of the time between two sessions, and before the first. */
#include <inttypes.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/task/dispatch_internal.h"
#include "common/task/thread.h"

enum {
    UNDO_PAUSE_MS = 500,
    UNDO_AGAIN_MS = 5000,
    UNDO_AGAIN_MAX_MS = 60 * 1000,
    EARLY_MS = 60 * 1000
};

void mgc_dispatch_log_undo(
    void *user, uint64_t task_id, const char *undo, bool other_boot, const struct mgc_error *err)
{
    const char *when = other_boot ? " (of an earlier boot)" : "";
    if (err)
        mgc_err("%s of task %" PRIx64 "%s could not be undone and stays in the journal: %s", undo,
            task_id, when, err->text);
    else
        mgc_warn("%s of task %" PRIx64 "%s was left over and is undone", undo, task_id, when);
}

/* No session, no task: journal and leases are this thread's alone. */
static void undo_pending(
    const struct mgc_dispatch_config *config, int undo_tries, mgc_journal_each *each, void *user)
{
    struct mgc_error why = {0};
    size_t pending = mgc_journal_count(config->journal);
    /* Also with nothing to undo: a crash may have come between a lease and its first change. */
    bool recovered = mgc_leases_recover(config->leases, &why);
    /* What could not be undone before may be possible now; there is no session to disturb. */
    if (pending && recovered)
        mgc_journal_replay(config->journal, undo_tries, UNDO_PAUSE_MS, each, user);
    else if (pending)
        mgc_warn("%zu changes are not undone yet: %s", pending, why.text);
    if (mgc_journal_count(config->journal) == 0)
        mgc_leases_end(config->leases);
}

static void renew_facts(const struct mgc_dispatch_config *config)
{
    struct mgc_fields *facts = &config->hello->facts;
    mgc_fields_set_int(facts, "undo_pending", (int64_t)mgc_journal_count(config->journal));
    if (config->results) /* at start they are read after this */
        mgc_fields_set_int(facts, "results_waiting", (int64_t)mgc_results_count(config->results));
    mgc_leases_facts(config->leases, false, facts);
}

bool mgc_dispatch_new_session(const struct mgc_dispatch_config *config, int undo_tries,
    mgc_journal_each *each, void *user, struct mgc_error *err)
{
    undo_pending(config, undo_tries, each, user);
    renew_facts(config);
    return mgc_leases_next_epoch(config->leases, &config->hello->lease_epoch, err);
}

/* ---- the thread ---- */

static void *thread_main(void *user)
{
    struct mgc_dispatch *dispatch = user;
    undo_pending(&dispatch->config, 1, mgc_dispatch_log_undo, NULL);
    mgc_stop_raise(&dispatch->renewal.bell);
    return NULL;
}

static void begin(struct mgc_dispatch *dispatch)
{
    struct mgc_renewal *renewal = &dispatch->renewal;
    int errnum = mgc_task_thread_start(&renewal->thread, thread_main, dispatch);
    renewal->running = errnum == 0;
    if (renewal->running)
        return;
    mgc_err("cannot start a thread for undoing (error %d); the worker ends", errnum);
    mgc_dispatch_give_up(dispatch);
}

static void arm_again(struct mgc_dispatch *dispatch);

/* A link that was down may be up again: the user gets back what was changed without having to wait
 * for the next run. Nothing tells of every such change, so it is tried now and then; not while a
 * hello is out, because its answer may be a session. */
static void on_again(void *user)
{
    struct mgc_dispatch *dispatch = user;
    dispatch->renewal.again_timer = 0;
    if (dispatch->state != MGC_IDLE)
        return; /* the end of the session tries it */
    if (mgc_bus_client_pause(dispatch->client))
        begin(dispatch);
    else
        arm_again(dispatch);
}

/* Each try costs time without a session: less and less often while nothing becomes less. */
static int64_t next_pause_ms(struct mgc_dispatch *dispatch)
{
    struct mgc_renewal *renewal = &dispatch->renewal;
    size_t pending = mgc_journal_count(dispatch->config.journal);
    bool in_vain = renewal->pause_ms && pending == renewal->pending;
    int64_t longer_ms =
        renewal->pause_ms * 2 < UNDO_AGAIN_MAX_MS ? renewal->pause_ms * 2 : UNDO_AGAIN_MAX_MS;
    renewal->pause_ms = in_vain ? longer_ms : UNDO_AGAIN_MS;
    renewal->pending = pending;
    return renewal->pause_ms;
}

static void arm_again(struct mgc_dispatch *dispatch)
{
    struct mgc_renewal *renewal = &dispatch->renewal;
    if (mgc_journal_count(dispatch->config.journal) > 0 && !renewal->again_timer)
        renewal->again_timer = mgc_loop_add_timer(
            dispatch->loop, mgc_deadline_in_ms(next_pause_ms(dispatch)), on_again, dispatch);
}

/* Dial again, after a fence with the next number. */
static void go_on(struct mgc_dispatch *dispatch)
{
    struct mgc_error err = {0};
    struct mgc_msg_hello *hello = dispatch->config.hello;
    renew_facts(&dispatch->config);
    if (dispatch->state == MGC_FENCED &&
        !mgc_leases_next_epoch(dispatch->config.leases, &hello->lease_epoch, &err)) {
        mgc_err("%s; the worker ends", err.text); /* without a number nothing would be fenced */
        mgc_dispatch_give_up(dispatch);
        return;
    }
    dispatch->state = MGC_IDLE;
    mgc_bus_client_resume(dispatch->client);
    arm_again(dispatch);
}

static void on_undone(void *user)
{
    struct mgc_dispatch *dispatch = user;
    mgc_stop_lower(&dispatch->renewal.bell);
    pthread_join(dispatch->renewal.thread, NULL);
    dispatch->renewal.running = false;
    if (dispatch->state == MGC_LEAVING)
        mgc_renewal_look(dispatch);
    else
        go_on(dispatch);
}

/* ---- what dispatch asks ---- */

/* Who is shown as holding something has to hold it then: other workers of this machine give their
 * leases back at any time after our own session. */
void mgc_renewal_greeting(void *user)
{
    struct mgc_dispatch *dispatch = user;
    renew_facts(&dispatch->config);
}

bool mgc_renewal_init(struct mgc_dispatch *dispatch, struct mgc_error *err)
{
    struct mgc_renewal *renewal = &dispatch->renewal;
    if (!mgc_stop_init(&renewal->bell, err) ||
        !mgc_loop_add_fd(dispatch->loop, renewal->bell.read_fd, on_undone, dispatch, err))
        return false;
    arm_again(dispatch);
    return true;
}

void mgc_renewal_destroy(struct mgc_dispatch *dispatch)
{
    struct mgc_renewal *renewal = &dispatch->renewal;
    if (renewal->running)
        pthread_join(renewal->thread, NULL);
    mgc_loop_remove_timer(dispatch->loop, renewal->again_timer);
    mgc_loop_remove_timer(dispatch->loop, renewal->grace_timer);
    if (renewal->bell.read_fd >= 0)
        mgc_loop_remove_fd(dispatch->loop, renewal->bell.read_fd);
    mgc_stop_destroy(&renewal->bell);
}

void mgc_renewal_look(struct mgc_dispatch *dispatch)
{
    if (dispatch->tasks || dispatch->renewal.running)
        return;
    if (dispatch->state == MGC_LEAVING)
        mgc_loop_quit(dispatch->loop);
    else if (dispatch->state == MGC_FENCED)
        begin(dispatch);
}

void mgc_renewal_joined(struct mgc_dispatch *dispatch)
{
    dispatch->renewal.joined_ns = mgc_mono_ns();
    dispatch->renewal.had_task = false;
}

bool mgc_renewal_is_loop(struct mgc_dispatch *dispatch, const struct mgc_error *why)
{
    struct mgc_renewal *renewal = &dispatch->renewal;
    /* Silence, or not known over there: what the coordinator does on purpose (bye, key refused,
     * key used twice) is no loop. */
    bool broken = why->code == MGC_E_TIMEOUT || why->code == MGC_E_STALE;
    bool early = mgc_mono_ns() - renewal->joined_ns < EARLY_MS * MGC_NS_PER_MS;
    renewal->broken_rows = early && broken && !renewal->had_task ? renewal->broken_rows + 1 : 0;
    return renewal->broken_rows >= dispatch->config.rejoin_max;
}

static void on_grace_over(void *user)
{
    struct mgc_dispatch *dispatch = user;
    dispatch->renewal.grace_timer = 0;
    mgc_err("undoing did not end within %" PRId64 " ms; the worker ends and its next start does it",
        dispatch->config.stop_grace_ms);
    mgc_dispatch_give_up(dispatch);
}

void mgc_renewal_leave(struct mgc_dispatch *dispatch)
{
    struct mgc_renewal *renewal = &dispatch->renewal;
    if (!renewal->running)
        return;
    mgc_journal_stop_replay(dispatch->config.journal);
    renewal->grace_timer = mgc_loop_add_timer(dispatch->loop,
        mgc_deadline_in_ms(dispatch->config.stop_grace_ms), on_grace_over, dispatch);
}
