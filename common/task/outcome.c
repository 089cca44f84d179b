#include "common/task/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/task/results.h"
#include "common/task/seal.h"

/* Append to a comma list among the facts. */
static void add_to_list(struct mgc_fields *facts, const char *fact, const char *item)
{
    const char *before = mgc_fields_get_str(facts, fact);
    mgc_fields_setf(facts, fact, "%s%s%s", before ? before : "", before ? "," : "", item);
}

static void seal_all(struct mgc_task *task, struct mgc_msg_result *result)
{
    result->artifacts = calloc(task->artifact_count + 1, sizeof(*result->artifacts));
    for (size_t i = 0; result->artifacts && i < task->artifact_count; i++) {
        struct mgc_error err = {0};
        const char *name = task->artifacts[i];
        struct mgc_artifact *artifact = &result->artifacts[result->artifact_count];
        switch (mgc_seal_file(task->files, name, &task->secrets, artifact, &err)) {
        case MGC_SEAL_READY:
            result->artifact_count++;
            break;
        case MGC_SEAL_ABSENT:
            break;
        case MGC_SEAL_QUARANTINED:
            mgc_warn("'%s' is binary and holds a secret: it is not sent", name);
            add_to_list(&task->facts, "quarantined", name);
            break;
        case MGC_SEAL_FAILED:
            mgc_warn("%s: it is not sent", err.text);
            add_to_list(&task->facts, "unreadable", name);
            break;
        }
    }
}

static void note_stop(struct mgc_task *task, bool ok)
{
    struct mgc_error why;
    if (!ok || !mgc_task_stopped(task))
        return;
    mgc_task_stop_error(task, &why);
    mgc_fields_setf(&task->facts, "stop_requested", "%s: %s", mgc_code_name(why.code), why.text);
}

static struct mgc_post *post_new(struct mgc_task *task)
{
    struct mgc_post *post = calloc(1, sizeof(*post));
    if (!post)
        abort(); /* header: there is no way left to say anything */
    post->task = task;
    post->done = true;
    post->msg.kind = MGC_MSG_RESULT;
    return post;
}

static char *copy_or_abort(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        abort();
    return copy;
}

struct mgc_post *mgc_outcome_make(
    struct mgc_task *task, bool ok, const struct mgc_error *err, const struct mgc_undo_report *undo)
{
    struct mgc_error why = {0};
    struct mgc_post *post = post_new(task);
    struct mgc_msg_result *result = &post->msg.result;
    note_stop(task, ok);
    seal_all(task, result);
    result->task_id = task->id;
    result->run_id = copy_or_abort(task->run_id);
    result->code = ok ? MGC_OK : err->code;
    result->text = copy_or_abort(ok ? "" : err->text);
    result->start_ns = task->start_ns;
    result->end_ns = task->end_ns;
    result->undo_done = undo->done;
    result->undo_failed = undo->failed;
    result->undo_text = copy_or_abort(undo->text);
    result->facts = task->facts;
    task->facts = (struct mgc_fields){0};
    mgc_secrets_mask_fields(&task->secrets, &result->facts);
    if (!mgc_result_write(task->dir, &post->msg, &why))
        mgc_err("the result could not be written and would not survive a crash: %s", why.text);
    return post;
}

bool mgc_outcome_refusal(const struct mgc_msg_task *task, const char *run_id,
    const struct mgc_error *why, struct mgc_msg *ret_result)
{
    *ret_result = (struct mgc_msg){.kind = MGC_MSG_RESULT};
    struct mgc_msg_result *result = &ret_result->result;
    result->task_id = task->task_id;
    result->code = why->code;
    result->start_ns = result->end_ns = mgc_mono_ns();
    result->run_id = strdup(run_id ? run_id : "");
    result->text = strdup(why->text);
    result->undo_text = strdup("");
    if (result->run_id && result->text && result->undo_text)
        return true;
    mgc_msg_destroy(ret_result);
    return false;
}
