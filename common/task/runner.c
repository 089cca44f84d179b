#include "common/task/runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/task/internal.h"
#include "common/task/outcome.h"
#include "common/task/thread.h"

enum { UNDO_BEGIN_MS = 12000 };

const char *mgc_task_phase_name(enum mgc_task_phase phase)
{
    static const char *const names[] = {
        [MGC_TASK_STARTING] = "starting",
        [MGC_TASK_RUNNING] = "running",
        [MGC_TASK_HOLDING] = "holding",
        [MGC_TASK_AT_BARRIER] = "waiting at barrier",
        [MGC_TASK_UNDOING] = "undoing",
        [MGC_TASK_SEALING] = "preparing its files",
        [MGC_TASK_DONE] = "done",
    };
    return names[phase];
}

const char *mgc_task_kind_name(const struct mgc_task *task)
{
    return task->kind->name;
}

void mgc_task_set_phase(struct mgc_task *task, enum mgc_task_phase phase, const char *detail)
{
    pthread_mutex_lock(&task->lock);
    task->state.phase = phase;
    task->state.since_ns = mgc_mono_ns();
    snprintf(task->state.detail, sizeof(task->state.detail), "%s", detail);
    pthread_mutex_unlock(&task->lock);
}

struct mgc_task_state mgc_task_state(struct mgc_task *task)
{
    pthread_mutex_lock(&task->lock);
    struct mgc_task_state state = task->state;
    pthread_mutex_unlock(&task->lock);
    return state;
}

void mgc_task_stop(struct mgc_task *task, enum mgc_code code, const char *text)
{
    pthread_mutex_lock(&task->lock);
    if (!task->state.stopping) {
        task->state.stopping = true;
        task->state.stopping_ns = mgc_mono_ns();
        mgc_error_set(&task->stop_why, code, "%s", text);
    }
    pthread_mutex_unlock(&task->lock);
    mgc_stop_raise(&task->stop);
}

void mgc_task_finish(struct mgc_task *task)
{
    mgc_stop_raise(&task->finish);
}

static void release_free(struct mgc_release *release)
{
    free(release->name);
    free(release);
}

void mgc_task_release(struct mgc_task *task, const struct mgc_msg_barrier *msg)
{
    struct mgc_release *release = calloc(1, sizeof(*release));
    if (!release || !(release->name = strdup(msg->name))) {
        free(release);
        mgc_task_stop(task, MGC_E_NO_MEMORY, "barrier release: out of memory");
        return;
    }
    release->code = msg->code;
    release->instant_ns = msg->instant_ns;
    snprintf(release->text, sizeof(release->text), "%s", msg->text ? msg->text : "");
    pthread_mutex_lock(&task->lock);
    release->next = task->releases;
    task->releases = release;
    pthread_mutex_unlock(&task->lock);
    mgc_stop_raise(&task->released);
}

static void task_free(struct mgc_task *task)
{
    if (!task)
        return;
    while (task->releases) {
        struct mgc_release *next = task->releases->next;
        release_free(task->releases);
        task->releases = next;
    }
    for (size_t i = 0; i < task->artifact_count; i++)
        free(task->artifacts[i]);
    mgc_fields_destroy(&task->params);
    mgc_fields_destroy(&task->facts);
    for (size_t i = 0; i < task->secret_params.count; i++) {
        struct mgc_value *value = &task->secret_params.items[i].value;
        mgc_wipe(value->string, value->string ? strlen(value->string) : 0);
    }
    mgc_fields_destroy(&task->secret_params);
    mgc_secrets_destroy(&task->secrets);
    mgc_stop_destroy(&task->stop);
    mgc_stop_destroy(&task->finish);
    mgc_stop_destroy(&task->released);
    pthread_mutex_destroy(&task->lock);
    free(task->label);
    free(task->run_id);
    free(task);
}

/* What an earlier run changed at a place that this task needs, and could not take back while the
 * place was away, must not be measured, nor be taken for what was there before. */
static bool undo_left(struct mgc_task *task, struct mgc_error *err)
{
    for (const struct mgc_need *need = task->kind->needs; need && need->prefix; need++) {
        const char *value = mgc_task_str(task, need->param);
        if (value && !mgc_journal_undo_left(task->journal, need->param, value, err))
            return mgc_error_prefix(err, "%s %s", need->prefix, value);
    }
    return true;
}

static bool run_kind(struct mgc_task *task, struct mgc_error *err)
{
    mgc_task_set_phase(task, MGC_TASK_RUNNING, "");
    task->start_ns = mgc_mono_ns();
    bool ok = undo_left(task, err) && task->kind->run(task, err);
    task->end_ns = mgc_mono_ns();
    if (!ok && err->code == MGC_OK)
        mgc_error_set(err, MGC_E_FAILED, "%s failed and did not say why", task->kind->name);
    mgc_secrets_mask_text(&task->secrets, err->text);
    return ok;
}

/* A task that must stop has the worker's grace time for all of its undoing, also for what it undid
 * itself; one entry takes up to about half of that. */
static int64_t undo_until(struct mgc_task *task)
{
    struct mgc_task_state state = mgc_task_state(task);
    return state.stopping ? state.stopping_ns + UNDO_BEGIN_MS * MGC_NS_PER_MS : MGC_NEVER;
}

static void *thread_main(void *user)
{
    struct mgc_task *task = user;
    struct mgc_error err = {0};
    struct mgc_undo_report undo;
    mgc_log_task(task->id);
    mgc_info("%s begins: %s", task->kind->name, task->label);
    bool ok = run_kind(task, &err);
    mgc_task_set_phase(task, MGC_TASK_UNDOING, "");
    mgc_journal_undo_task(task->journal, task->id, undo_until(task), &undo);
    undo.done += task->undone_early;
    mgc_secrets_mask_text(&task->secrets, undo.text);
    mgc_task_set_phase(task, MGC_TASK_SEALING, "");
    struct mgc_post *post = mgc_outcome_make(task, ok, &err, &undo);
    mgc_task_set_phase(task, MGC_TASK_DONE, "");
    if (ok)
        mgc_info("%s ends well after %.1f s", task->kind->name,
            (double)(task->end_ns - task->start_ns) / 1e9);
    else
        mgc_warn("%s fails (%s): %s", task->kind->name, mgc_code_name(err.code), err.text);
    if (undo.failed)
        mgc_err("%s: %" PRId64 " changes could not be undone and stay in the journal; first: %s",
            task->kind->name, undo.failed, undo.text);
    mgc_mailbox_put(task->mailbox, post);
    return NULL;
}

static bool fill(struct mgc_task *task, const struct mgc_task_spec *spec, struct mgc_error *err)
{
    const struct mgc_msg_task *msg = spec->msg;
    task->id = msg->task_id;
    task->kind = spec->kind;
    task->journal = spec->journal;
    task->mailbox = spec->mailbox;
    task->worker = spec->worker;
    task->deadline_ms = msg->deadline_ms;
    task->deadline_ns = msg->deadline_ms > 0 ? mgc_deadline_in_ms(msg->deadline_ms) : MGC_NEVER;
    task->label = strdup(msg->label ? msg->label : "");
    task->run_id = strdup(spec->run_id ? spec->run_id : "");
    if (!task->label || !task->run_id || !mgc_fields_copy(&task->params, &msg->params) ||
        !mgc_fields_copy(&task->secret_params, &msg->secrets))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "%s: out of memory", task->kind->name);
    if (!mgc_secrets_init(&task->secrets, &msg->secrets))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "%s: out of memory, or more than %d secrets",
            task->kind->name, MGC_SECRETS_MAX);
    if ((size_t)snprintf(task->dir, sizeof(task->dir), "%s", spec->dir) >= sizeof(task->dir) ||
        !mgc_path_join(task->files, sizeof(task->files), spec->dir, "files"))
        return mgc_error_set(err, MGC_E_CONFIG, "path '%s' is too long", spec->dir);
    return mgc_stop_init(&task->stop, err) && mgc_stop_init(&task->finish, err) &&
           mgc_stop_init(&task->released, err);
}

struct mgc_task *mgc_task_start(const struct mgc_task_spec *spec, struct mgc_error *err)
{
    struct mgc_task *task = calloc(1, sizeof(*task));
    if (!task) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "%s: out of memory", spec->kind->name);
        return NULL;
    }
    pthread_mutex_init(&task->lock, NULL);
    task->stop = task->finish = task->released = (struct mgc_stop)MGC_STOP_INIT;
    task->state.since_ns = mgc_mono_ns();
    bool ok = fill(task, spec, err);
    if (ok) {
        int errnum = mgc_task_thread_start(&task->thread, thread_main, task);
        task->has_thread = errnum == 0;
        if (errnum)
            ok = mgc_error_errno(err, errnum, "%s: start its thread", spec->kind->name);
    }
    if (ok)
        return task;
    task_free(task);
    return NULL;
}

void mgc_task_join(struct mgc_task *task)
{
    if (!task)
        return;
    if (task->has_thread)
        pthread_join(task->thread, NULL);
    task_free(task);
}
