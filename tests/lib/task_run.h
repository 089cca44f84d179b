/* Run tasks without a worker: the test is the loop's side of one task at a time.
 *
 * Needs a directory from tests/lib/tmpdir.h. A test that waits in vain fails after a minute.
 */
#ifndef MGC_TESTS_LIB_TASK_RUN_H
#define MGC_TESTS_LIB_TASK_RUN_H

#include "common/base/clock.h"
#include "common/task/params.h"
#include "common/task/results.h"
#include "common/task/runner.h"
#include "common/task/wait.h"
#include "tests/lib/tmpdir.h"

enum { TASK_RUN_ID = 0x77 };

struct task_run {
    const struct mgc_task_kind *kinds;
    void *worker;
    struct mgc_results *results;
    struct mgc_journal *journal;
    struct mgc_mailbox *mailbox;
    struct mgc_task *task;
    struct mgc_post *last; /* the done post, once taken */
};

static inline void task_run_init(struct task_run *run, const struct mgc_task_kind *kinds,
    const struct mgc_undo_kind *undos, void *worker)
{
    struct mgc_error err = {0};
    struct mgc_results_config results = {.dir = tmpdir_file("results")};
    struct mgc_journal_config journal = {
        .dir = tmpdir_file("journal"), .boot_id = "boot", .undos = undos, .worker = worker};
    *run = (struct task_run){.kinds = kinds, .worker = worker};
    run->results = mgc_results_open(&results, &err);
    run->journal = mgc_journal_open(&journal, &err);
    run->mailbox = mgc_mailbox_new(&err);
    if (!run->results || !run->journal || !run->mailbox)
        fail_msg("%s", err.text);
}

static inline void task_run_destroy(struct task_run *run)
{
    mgc_task_join(run->task);
    mgc_post_free(run->last);
    mgc_mailbox_free(run->mailbox);
    mgc_journal_free(run->journal);
    mgc_results_free(run->results);
}

/* Check the parameters as a worker does, and start. */
static inline void task_run_start(struct task_run *run, const char *kind, int64_t deadline_ms,
    const struct mgc_fields *params, const struct mgc_fields *secrets)
{
    char dir[MGC_PATH_MAX];
    struct mgc_error err = {0};
    struct mgc_msg_task msg = {.task_id = TASK_RUN_ID,
        .kind = (char *)kind,
        .label = (char *)"a label",
        .deadline_ms = deadline_ms,
        .params = *params,
        .secrets = *secrets};
    struct mgc_task_spec spec = {.msg = &msg,
        .kind = mgc_task_kind_find(run->kinds, kind),
        .run_id = "run-1",
        .dir = dir,
        .journal = run->journal,
        .mailbox = run->mailbox,
        .worker = run->worker};
    assert_non_null(spec.kind);
    if (!mgc_params_check(spec.kind, params, secrets, &err) ||
        !mgc_results_begin(run->results, &msg, "run-1", dir, sizeof(dir), &err) ||
        !(run->task = mgc_task_start(&spec, &err)))
        fail_msg("%s", err.text);
}

/* Next post of the task; the caller frees it. */
static inline struct mgc_post *task_run_next(struct task_run *run)
{
    int fd = mgc_mailbox_fd(run->mailbox);
    if (mgc_wait_readable(&fd, 1, mgc_deadline_in_ms(60000)) != 0)
        fail_msg("the task says nothing");
    struct mgc_post *post = mgc_mailbox_take(run->mailbox);
    assert_non_null(post);
    assert_ptr_equal(post->task, run->task);
    return post;
}

static inline void task_run_expect(struct task_run *run, enum mgc_msg_kind kind, const char *name)
{
    struct mgc_post *post = task_run_next(run);
    if (post->done)
        fail_msg("the task ended too early: %s", post->msg.result.text);
    assert_int_equal(post->msg.kind, kind);
    assert_string_equal(
        kind == MGC_MSG_EVENT ? post->msg.event.name : post->msg.barrier.name, name);
    mgc_post_free(post);
}

/* Its result, with events on the way thrown away; borrowed until destroy. */
static inline const struct mgc_msg_result *task_run_result(struct task_run *run)
{
    while (!(run->last = task_run_next(run))->done)
        mgc_post_free(run->last);
    assert_int_equal(run->last->msg.kind, MGC_MSG_RESULT);
    assert_int_equal(mgc_task_state(run->task).phase, MGC_TASK_DONE);
    return &run->last->msg.result;
}

/* Path of a file that the task left. */
static inline const char *task_run_file(const char *name)
{
    char relative[256];
    snprintf(relative, sizeof(relative), "results/%016x/files/%s", TASK_RUN_ID, name);
    return tmpdir_file(relative);
}

#endif
