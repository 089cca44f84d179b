/* The life of a task on its thread, with toy kinds; the test is the loop's side. */
#include "tests/lib/check.h"

#include "common/base/clock.h"
#include "common/task/runner.h"
#include "common/task/wait.h"
#include "tests/unit/task/results_fixture.h"

static const char token[] = "token-0123456789";

/* Toy undos write their names here; one task runs at a time, and its end is a hand-over. */
static char undone[64];
static bool undo_fails;

static bool undo_note(const struct mgc_fields *before, void *worker, struct mgc_error *err)
{
    if (undo_fails)
        return mgc_error_set(err, MGC_E_BUSY, "stuck with %s", token);
    strcat(undone, mgc_fields_get_str(before, "name"));
    return true;
}

static const struct mgc_undo_kind undos[] = {{"toy.note", undo_note}, {0}};

static bool change(struct mgc_task *task, const char *name, uint64_t *ret, struct mgc_error *err)
{
    struct mgc_fields before = {0};
    mgc_fields_set_str(&before, "name", name);
    bool ok = mgc_task_journal(task, "toy.note", &before, ret, err);
    mgc_fields_destroy(&before);
    return ok;
}

static bool run_ok(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_fields fields = {0};
    char path[MGC_PATH_MAX];
    mgc_path_join(path, sizeof(path), mgc_task_dir(task), "out.txt");
    const char *secret = mgc_task_str(task, "token");
    put_file(path, secret, strlen(secret));
    mgc_path_join(path, sizeof(path), mgc_task_dir(task), "out.bin");
    put_file(path, "\0token-0123456789", 17);
    mgc_fields_set_str(&fields, "text", secret);
    mgc_fields_setf(mgc_task_facts(task), "said", "<%s>", secret);
    mgc_fields_set_int(mgc_task_facts(task), "n", mgc_task_int_or(task, "n", -1));
    bool ok = mgc_task_event(task, "note", &fields, err) &&
              mgc_task_artifact(task, "out.txt", err) && mgc_task_artifact(task, "out.bin", err) &&
              mgc_task_artifact(task, "absent.txt", err) &&
              !mgc_task_artifact(task, "../evil", NULL);
    mgc_fields_destroy(&fields);
    return ok;
}

static bool run_fail(struct mgc_task *task, struct mgc_error *err)
{
    uint64_t b, c;
    return change(task, "a", NULL, err) && change(task, "b", &b, err) &&
           change(task, "c", &c, err) && change(task, "d", NULL, err) &&
           mgc_task_undo(task, b, err) && mgc_task_journal_drop(task, c, err) &&
           mgc_error_set(err, MGC_E_NOT_FOUND, "no such thing as %s", mgc_task_str(task, "token"));
}

static bool run_silent_fail(struct mgc_task *task, struct mgc_error *err)
{
    return false;
}

static bool run_secret_in_journal(struct mgc_task *task, struct mgc_error *err)
{
    return change(task, mgc_task_str(task, "token"), NULL, err);
}

static bool run_hold(struct mgc_task *task, struct mgc_error *err)
{
    struct mgc_fields ready = {0};
    mgc_fields_set_int(&ready, "pid", 42);
    bool ok = change(task, "held", NULL, err) && mgc_task_hold(task, &ready, err);
    mgc_fields_destroy(&ready);
    return ok;
}

static bool run_stubborn(struct mgc_task *task, struct mgc_error *err)
{
    int fd = mgc_task_stop_fd(task);
    mgc_task_event(task, "ready", NULL, err);
    return mgc_wait_readable(&fd, 1, mgc_task_deadline(task, 60000)) == 0 && mgc_task_stopped(task);
}

static bool run_barrier(struct mgc_task *task, struct mgc_error *err)
{
    int64_t instant = 0;
    if (!mgc_task_barrier(task, "start", &instant, err))
        return false;
    mgc_fields_set_int(mgc_task_facts(task), "early_ns", instant - mgc_mono_ns());
    return true;
}

static const struct mgc_param params[] = {
    {"token", MGC_PARAM_SECRET, true}, {"n", MGC_PARAM_INT}, {0}};
static const struct mgc_task_kind kinds[] = {{"ok", params, "", run_ok},
    {"fail", params, "", run_fail}, {"silent", params, "", run_silent_fail},
    {"journal", params, "", run_secret_in_journal}, {"hold", params, "", run_hold},
    {"stubborn", params, "", run_stubborn}, {"barrier", params, "", run_barrier}, {0}};

struct fixture {
    struct mgc_results *results;
    struct mgc_journal *journal;
    struct mgc_mailbox *mailbox;
    struct mgc_task *task;
    struct mgc_post *last; /* the done post, once taken */
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    undone[0] = '\0';
    undo_fails = false;
    if (tmpdir_setup(NULL) != 0)
        return -1;
    struct mgc_journal_config config = {
        .dir = tmpdir_file("journal"), .boot_id = "boot", .undos = undos};
    f->results = results_open(0);
    f->journal = mgc_journal_open(&config, NULL);
    f->mailbox = mgc_mailbox_new(NULL);
    *state = f;
    return f->journal && f->mailbox ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    mgc_task_join(f->task);
    mgc_post_free(f->last);
    mgc_mailbox_free(f->mailbox);
    mgc_journal_free(f->journal);
    mgc_results_free(f->results);
    free(f);
    return tmpdir_teardown(NULL);
}

static void start(struct fixture *f, const char *kind, int64_t deadline_ms)
{
    char dir[MGC_PATH_MAX];
    struct mgc_error err = {0};
    struct mgc_msg_task msg = {.task_id = 0x77,
        .kind = (char *)kind,
        .label = (char *)"a label",
        .deadline_ms = deadline_ms};
    mgc_fields_set_str(&msg.secrets, "token", token);
    mgc_fields_set_int(&msg.params, "n", 5);
    assert_true(mgc_results_begin(f->results, &msg, "run-1", dir, sizeof(dir), NULL));
    const struct mgc_task_kind *row = kinds;
    while (strcmp(row->name, kind) != 0)
        row++;
    struct mgc_task_spec spec = {.msg = &msg,
        .kind = row,
        .run_id = "run-1",
        .dir = dir,
        .journal = f->journal,
        .mailbox = f->mailbox};
    f->task = mgc_task_start(&spec, &err);
    if (!f->task)
        fail_msg("%s", err.text);
    mgc_fields_destroy(&msg.secrets);
    mgc_fields_destroy(&msg.params);
}

/* Next post of the task; the caller frees it. */
static struct mgc_post *next_post(struct fixture *f)
{
    int fd = mgc_mailbox_fd(f->mailbox);
    if (mgc_wait_readable(&fd, 1, mgc_deadline_in_ms(60000)) != 0)
        fail_msg("the task says nothing");
    struct mgc_post *post = mgc_mailbox_take(f->mailbox);
    assert_non_null(post);
    assert_ptr_equal(post->task, f->task);
    return post;
}

static void expect_event(struct fixture *f, const char *name)
{
    struct mgc_post *post = next_post(f);
    assert_int_equal(post->msg.kind, MGC_MSG_EVENT);
    assert_string_equal(post->msg.event.name, name);
    mgc_post_free(post);
}

static const struct mgc_msg_result *finish(struct fixture *f)
{
    f->last = next_post(f);
    assert_true(f->last->done);
    assert_int_equal(f->last->msg.kind, MGC_MSG_RESULT);
    assert_int_equal(mgc_task_state(f->task).phase, MGC_TASK_DONE);
    return &f->last->msg.result;
}

static void success_brings_facts_and_files_without_secrets(void **state)
{
    struct fixture *f = *state;
    int64_t n;
    size_t len = 0;
    start(f, "ok", 60000);
    struct mgc_post *post = next_post(f);
    assert_string_equal(mgc_fields_get_str(&post->msg.event.fields, "text"), "****************");
    mgc_post_free(post);
    const struct mgc_msg_result *result = finish(f);
    assert_int_equal(result->code, MGC_OK);
    assert_string_equal(result->run_id, "run-1");
    assert_true(result->end_ns >= result->start_ns && result->start_ns > 0);
    assert_string_equal(mgc_fields_get_str(&result->facts, "said"), "<****************>");
    assert_true(mgc_fields_get_int(&result->facts, "n", &n) && n == 5);
    assert_string_equal(mgc_fields_get_str(&result->facts, "quarantined"), "out.bin");
    assert_int_equal(result->artifact_count, 1);
    assert_string_equal(result->artifacts[0].name, "out.txt");
    assert_int_equal(result->artifacts[0].masked_count, 1);
    char *text = get_file(tmpdir_file("results/0000000000000077/files/out.txt"), &len);
    assert_string_equal(text, "****************");
    free(text);
    /* On disk before it was posted. */
    assert_true(mgc_file_exists(tmpdir_file("results/0000000000000077/result")));
}

static void failure_undoes_newest_first(void **state)
{
    struct fixture *f = *state;
    start(f, "fail", 60000);
    const struct mgc_msg_result *result = finish(f);
    assert_int_equal(result->code, MGC_E_NOT_FOUND);
    assert_string_equal(result->text, "no such thing as ****************");
    assert_string_equal(undone, "bda"); /* b early, c dropped */
    assert_int_equal(result->undo_done, 3);
    assert_int_equal(result->undo_failed, 0);
    assert_int_equal(mgc_journal_count(f->journal), 0);
}

static void a_failed_undo_is_told_and_kept(void **state)
{
    struct fixture *f = *state;
    undo_fails = true;
    start(f, "hold", 60000);
    expect_event(f, "ready");
    mgc_task_finish(f->task);
    const struct mgc_msg_result *result = finish(f);
    assert_int_equal(result->code, MGC_OK);
    assert_int_equal(result->undo_failed, 1);
    assert_string_equal(result->undo_text, "undo toy.note (entry 1): stuck with ****************");
    assert_int_equal(mgc_journal_count(f->journal), 1);
}

static void a_failure_without_a_word_gets_one(void **state)
{
    struct fixture *f = *state;
    start(f, "silent", 60000);
    const struct mgc_msg_result *result = finish(f);
    assert_int_equal(result->code, MGC_E_FAILED);
    assert_string_equal(result->text, "silent failed and did not say why");
}

static void the_journal_takes_no_secret(void **state)
{
    struct fixture *f = *state;
    start(f, "journal", 60000);
    const struct mgc_msg_result *result = finish(f);
    assert_int_equal(result->code, MGC_E_DENIED);
    assert_int_equal(mgc_journal_count(f->journal), 0);
}

static void holds_until_finish(void **state)
{
    struct fixture *f = *state;
    int64_t pid;
    start(f, "hold", 60000);
    struct mgc_post *post = next_post(f);
    assert_string_equal(post->msg.event.name, "ready");
    assert_true(mgc_fields_get_int(&post->msg.event.fields, "pid", &pid) && pid == 42);
    mgc_post_free(post);
    assert_string_equal(undone, "");
    mgc_task_finish(f->task);
    assert_int_equal(finish(f)->code, MGC_OK);
    assert_string_equal(undone, "held");
}

static void cancel_ends_a_hold_and_undoes(void **state)
{
    struct fixture *f = *state;
    start(f, "hold", 60000);
    expect_event(f, "ready");
    mgc_task_stop(f->task, MGC_E_CANCELLED, "plan was cancelled");
    mgc_task_stop(f->task, MGC_E_LOST, "the first reason stays");
    const struct mgc_msg_result *result = finish(f);
    assert_int_equal(result->code, MGC_E_CANCELLED);
    assert_string_equal(result->text, "plan was cancelled");
    assert_string_equal(undone, "held");
}

static void the_deadline_ends_a_hold(void **state)
{
    struct fixture *f = *state;
    start(f, "hold", 20);
    expect_event(f, "ready");
    const struct mgc_msg_result *result = finish(f);
    assert_int_equal(result->code, MGC_E_TIMEOUT);
    assert_string_equal(result->text, "its deadline of 20 ms is over");
    assert_string_equal(undone, "held");
}

static void success_in_spite_of_a_stop_is_trusted_and_noted(void **state)
{
    struct fixture *f = *state;
    start(f, "stubborn", 60000);
    expect_event(f, "ready");
    mgc_task_stop(f->task, MGC_E_CANCELLED, "enough");
    const struct mgc_msg_result *result = finish(f);
    assert_int_equal(result->code, MGC_OK);
    assert_string_equal(mgc_fields_get_str(&result->facts, "stop_requested"), "cancelled: enough");
}

static void release(struct fixture *f, const char *name, enum mgc_code code, int64_t instant_ns)
{
    struct mgc_msg_barrier msg = {.task_id = 0x77,
        .name = (char *)name,
        .code = code,
        .text = (char *)(code == MGC_OK ? "" : "member 'host.server' failed"),
        .instant_ns = instant_ns};
    mgc_task_release(f->task, &msg);
}

static void expect_arrive(struct fixture *f)
{
    struct mgc_post *post = next_post(f);
    assert_int_equal(post->msg.kind, MGC_MSG_ARRIVE);
    assert_string_equal(post->msg.barrier.name, "start");
    mgc_post_free(post);
}

static void a_barrier_goes_at_its_instant(void **state)
{
    struct fixture *f = *state;
    int64_t early_ns;
    start(f, "barrier", 60000);
    expect_arrive(f);
    release(f, "another", MGC_OK, 0);
    int64_t instant_ns = mgc_mono_ns() + 30 * MGC_NS_PER_MS;
    release(f, "start", MGC_OK, instant_ns);
    struct mgc_post *post = next_post(f);
    assert_int_equal(post->msg.kind, MGC_MSG_RELEASED);
    assert_int_equal(post->msg.barrier.code, MGC_OK);
    assert_int_equal(post->msg.barrier.instant_ns, instant_ns);
    assert_true(post->msg.barrier.actual_ns >= instant_ns);
    mgc_post_free(post);
    const struct mgc_msg_result *result = finish(f);
    assert_int_equal(result->code, MGC_OK);
    assert_true(mgc_fields_get_int(&result->facts, "early_ns", &early_ns) && early_ns <= 0);
}

static void a_failed_barrier_names_the_member(void **state)
{
    struct fixture *f = *state;
    start(f, "barrier", 60000);
    expect_arrive(f);
    release(f, "start", MGC_E_FAILED, 0);
    const struct mgc_msg_result *result = finish(f);
    assert_int_equal(result->code, MGC_E_FAILED);
    assert_string_equal(result->text, "barrier \"start\": member 'host.server' failed");
}

static void a_late_release_is_a_failed_release(void **state)
{
    struct fixture *f = *state;
    start(f, "barrier", 60000);
    expect_arrive(f);
    release(f, "start", MGC_OK, mgc_mono_ns() - 5 * MGC_NS_PER_MS);
    struct mgc_post *post = next_post(f);
    assert_int_equal(post->msg.kind, MGC_MSG_RELEASED);
    assert_int_equal(post->msg.barrier.code, MGC_E_FAILED);
    mgc_post_free(post);
    const struct mgc_msg_result *result = finish(f);
    assert_int_equal(result->code, MGC_E_FAILED);
    assert_non_null(strstr(result->text, "release failed: late by"));
}

static void a_stop_ends_the_wait_at_a_barrier(void **state)
{
    struct fixture *f = *state;
    start(f, "barrier", 60000);
    expect_arrive(f);
    assert_int_equal(mgc_task_state(f->task).stopping, false);
    mgc_task_stop(f->task, MGC_E_LOST, "session lost");
    const struct mgc_msg_result *result = finish(f);
    assert_int_equal(result->code, MGC_E_LOST);
    assert_string_equal(result->text, "waiting at barrier \"start\": session lost");
}

static void a_stop_ends_the_wait_for_the_instant(void **state)
{
    struct fixture *f = *state;
    start(f, "barrier", 60000);
    expect_arrive(f);
    release(f, "start", MGC_OK, mgc_mono_ns() + 3600 * MGC_NS_PER_S);
    mgc_task_stop(f->task, MGC_E_CANCELLED, "enough");
    assert_int_equal(finish(f)->code, MGC_E_CANCELLED);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(success_brings_facts_and_files_without_secrets),
        CASE(failure_undoes_newest_first),
        CASE(a_failed_undo_is_told_and_kept),
        CASE(a_failure_without_a_word_gets_one),
        CASE(the_journal_takes_no_secret),
        CASE(holds_until_finish),
        CASE(cancel_ends_a_hold_and_undoes),
        CASE(the_deadline_ends_a_hold),
        CASE(success_in_spite_of_a_stop_is_trusted_and_noted),
        CASE(a_barrier_goes_at_its_instant),
        CASE(a_failed_barrier_names_the_member),
        CASE(a_late_release_is_a_failed_release),
        CASE(a_stop_ends_the_wait_at_a_barrier),
        CASE(a_stop_ends_the_wait_for_the_instant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
