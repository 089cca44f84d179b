/* What a task calls on its own thread (task.h), except for barriers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/task/internal.h"
#include "common/task/wait.h"

const char *mgc_task_str(const struct mgc_task *task, const char *name)
{
    const char *text = mgc_fields_get_str(&task->params, name);
    return text ? text : mgc_fields_get_str(&task->secret_params, name);
}

bool mgc_task_int(const struct mgc_task *task, const char *name, int64_t *ret)
{
    return mgc_fields_get_int(&task->params, name, ret);
}

int64_t mgc_task_int_or(const struct mgc_task *task, const char *name, int64_t fallback)
{
    mgc_fields_get_int(&task->params, name, &fallback);
    return fallback;
}

bool mgc_task_bool_or(const struct mgc_task *task, const char *name, bool fallback)
{
    mgc_fields_get_bool(&task->params, name, &fallback);
    return fallback;
}

double mgc_task_double_or(const struct mgc_task *task, const char *name, double fallback)
{
    mgc_fields_get_double(&task->params, name, &fallback);
    return fallback;
}

const char *mgc_task_label(const struct mgc_task *task)
{
    return task->label;
}

uint64_t mgc_task_id(const struct mgc_task *task)
{
    return task->id;
}

void *mgc_task_worker(const struct mgc_task *task)
{
    return task->worker;
}

struct mgc_fields *mgc_task_facts(struct mgc_task *task)
{
    return &task->facts;
}

const char *mgc_task_dir(const struct mgc_task *task)
{
    return task->files;
}

int mgc_task_stop_fd(const struct mgc_task *task)
{
    return task->stop.read_fd;
}

bool mgc_task_stopped(const struct mgc_task *task)
{
    return mgc_stop_raised(&task->stop);
}

bool mgc_task_stop_error(const struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_task *writable = (struct mgc_task *)task; /* for its lock only */
    pthread_mutex_lock(&writable->lock);
    bool stopping = task->state.stopping;
    struct mgc_error why = task->stop_why;
    pthread_mutex_unlock(&writable->lock);
    if (!stopping)
        return mgc_error_set(
            err, MGC_E_TIMEOUT, "its deadline of %" PRId64 " ms is over", task->deadline_ms);
    return mgc_error_set(err, why.code, "%s", why.text);
}

int64_t mgc_task_deadline(const struct mgc_task *task, int64_t ms)
{
    return ms < 0 ? task->deadline_ns : mgc_deadline_min(task->deadline_ns, mgc_deadline_in_ms(ms));
}

int mgc_task_finish_fd(const struct mgc_task *task)
{
    return task->finish.read_fd;
}

bool mgc_task_hold(struct mgc_task *task, const struct mgc_fields *ready, struct mgc_error *err)
{
    int fds[] = {task->stop.read_fd, task->finish.read_fd};
    mgc_task_set_phase(task, MGC_TASK_HOLDING, ""); /* before anybody hears of it */
    bool ok = mgc_task_event(task, "ready", ready, err) &&
              (mgc_wait_readable(fds, 2, task->deadline_ns) == 1 || mgc_task_stop_error(task, err));
    mgc_task_set_phase(task, MGC_TASK_RUNNING, "");
    return ok;
}

static void mask_message(const struct mgc_task *task, struct mgc_msg *msg)
{
    if (msg->kind == MGC_MSG_EVENT)
        mgc_secrets_mask_fields(&task->secrets, &msg->event.fields);
    else if (msg->barrier.text)
        mgc_secrets_mask_text(&task->secrets, msg->barrier.text);
}

bool mgc_task_post(struct mgc_task *task, struct mgc_msg *msg, bool ok, struct mgc_error *err)
{
    struct mgc_post *post = ok ? calloc(1, sizeof(*post)) : NULL;
    if (!post) {
        mgc_msg_destroy(msg);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "%s: out of memory", task->kind->name);
    }
    mask_message(task, msg);
    post->task = task;
    post->msg = *msg;
    if (msg->kind == MGC_MSG_RELEASED && msg->barrier.code == MGC_OK)
        mgc_mailbox_put_quietly(task->mailbox, post); /* report.h */
    else
        mgc_mailbox_put(task->mailbox, post);
    return true;
}

bool mgc_task_event(
    struct mgc_task *task, const char *name, const struct mgc_fields *fields, struct mgc_error *err)
{
    struct mgc_msg msg = {.kind = MGC_MSG_EVENT};
    msg.event.task_id = task->id;
    msg.event.mono_ns = mgc_mono_ns();
    msg.event.name = strdup(name);
    bool ok = msg.event.name && (!fields || mgc_fields_copy(&msg.event.fields, fields));
    return mgc_task_post(task, &msg, ok, err);
}

bool mgc_task_artifact(struct mgc_task *task, const char *name, struct mgc_error *err)
{
    if (!mgc_path_is_safe(name))
        return mgc_error_set(
            err, MGC_E_FAILED, "artifact '%.200s': expected a plain relative name", name);
    for (size_t i = 0; i < task->artifact_count; i++) {
        if (strcmp(task->artifacts[i], name) == 0)
            return true;
    }
    if (task->artifact_count == MGC_TASK_ARTIFACTS_MAX)
        return mgc_error_set(err, MGC_E_FAILED, "artifact '%s': more than %d in one task", name,
            MGC_TASK_ARTIFACTS_MAX);
    char *copy = strdup(name);
    if (!copy)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "artifact '%s': out of memory", name);
    task->artifacts[task->artifact_count++] = copy;
    return true;
}

bool mgc_task_journal(struct mgc_task *task, const char *undo_kind, const struct mgc_fields *before,
    uint64_t *ret_entry, struct mgc_error *err)
{
    for (size_t i = 0; before && i < before->count; i++) {
        const struct mgc_value *value = &before->items[i].value;
        if (value->type == MGC_VALUE_STRING && mgc_secrets_in_text(&task->secrets, value->string))
            return mgc_error_set(err, MGC_E_DENIED,
                "undo journal: field \"%s\" of %s would put a secret on disk",
                before->items[i].name, undo_kind);
    }
    return mgc_journal_add(task->journal, task->id, task->label, undo_kind, before, ret_entry, err);
}

bool mgc_task_undo(struct mgc_task *task, uint64_t entry, struct mgc_error *err)
{
    if (!mgc_journal_undo(task->journal, entry, err))
        return false;
    task->undone_early++;
    return true;
}

bool mgc_task_undone(
    struct mgc_task *task, uint64_t entry, const struct mgc_error *failed, struct mgc_error *err)
{
    if (failed)
        mgc_journal_note_failure(task->journal, entry, failed);
    else if (!mgc_journal_drop(task->journal, entry, err))
        return false;
    else
        task->undone_early++;
    return true;
}

bool mgc_task_journal_drop(struct mgc_task *task, uint64_t entry, struct mgc_error *err)
{
    return mgc_journal_drop(task->journal, entry, err);
}
