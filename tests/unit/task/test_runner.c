/* The life of a task on its thread, with toy kinds; the test is the loop's side. */
#include "tests/lib/check.h"

#include "tests/lib/task_run.h"
#include "tests/unit/task/files.h"

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

static int setup(void **state)
{
    struct task_run *f = calloc(1, sizeof(*f));
    undone[0] = '\0';
    undo_fails = false;
    if (tmpdir_setup(NULL) != 0)
        return -1;
    task_run_init(f, kinds, undos, NULL);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    task_run_destroy(*state);
    free(*state);
    return tmpdir_teardown(NULL);
}

static void start(struct task_run *f, const char *kind, int64_t deadline_ms)
{
    struct mgc_fields given = {0}, secrets = {0};
    mgc_fields_set_str(&secrets, "token", token);
    mgc_fields_set_int(&given, "n", 5);
    task_run_start(f, kind, deadline_ms, &given, &secrets);
    mgc_fields_destroy(&secrets);
    mgc_fields_destroy(&given);
}

static void success_brings_facts_and_files_without_secrets(void **state)
{
    struct task_run *f = *state;
    int64_t n;
    size_t len = 0;
    start(f, "ok", 60000);
    struct mgc_post *post = task_run_next(f);
    assert_string_equal(mgc_fields_get_str(&post->msg.event.fields, "text"), "****************");
    mgc_post_free(post);
    const struct mgc_msg_result *result = task_run_result(f);
    assert_int_equal(result->code, MGC_OK);
    assert_string_equal(result->run_id, "run-1");
    assert_true(result->end_ns >= result->start_ns && result->start_ns > 0);
    assert_string_equal(mgc_fields_get_str(&result->facts, "said"), "<****************>");
    assert_true(mgc_fields_get_int(&result->facts, "n", &n) && n == 5);
    assert_string_equal(mgc_fields_get_str(&result->facts, "quarantined"), "out.bin");
    assert_int_equal(result->artifact_count, 1);
    assert_string_equal(result->artifacts[0].name, "out.txt");
    assert_int_equal(result->artifacts[0].masked_count, 1);
    char *text = get_file(task_run_file("out.txt"), &len);
    assert_string_equal(text, "****************");
    free(text);
    /* On disk before it was posted. */
    assert_true(mgc_file_exists(tmpdir_file("results/0000000000000077/result")));
}

static void failure_undoes_newest_first(void **state)
{
    struct task_run *f = *state;
    start(f, "fail", 60000);
    const struct mgc_msg_result *result = task_run_result(f);
    assert_int_equal(result->code, MGC_E_NOT_FOUND);
    assert_string_equal(result->text, "no such thing as ****************");
    assert_string_equal(undone, "bda"); /* b early, c dropped */
    assert_int_equal(result->undo_done, 3);
    assert_int_equal(result->undo_failed, 0);
    assert_int_equal(mgc_journal_count(f->journal), 0);
}

static void a_failed_undo_is_told_and_kept(void **state)
{
    struct task_run *f = *state;
    undo_fails = true;
    start(f, "hold", 60000);
    task_run_expect(f, MGC_MSG_EVENT, "ready");
    mgc_task_finish(f->task);
    const struct mgc_msg_result *result = task_run_result(f);
    assert_int_equal(result->code, MGC_OK);
    assert_int_equal(result->undo_failed, 1);
    assert_string_equal(result->undo_text, "undo toy.note (entry 1): stuck with ****************");
    assert_int_equal(mgc_journal_count(f->journal), 1);
}

static void a_failure_without_a_word_gets_one(void **state)
{
    struct task_run *f = *state;
    start(f, "silent", 60000);
    const struct mgc_msg_result *result = task_run_result(f);
    assert_int_equal(result->code, MGC_E_FAILED);
    assert_string_equal(result->text, "silent failed and did not say why");
}

static void the_journal_takes_no_secret(void **state)
{
    struct task_run *f = *state;
    start(f, "journal", 60000);
    const struct mgc_msg_result *result = task_run_result(f);
    assert_int_equal(result->code, MGC_E_DENIED);
    assert_int_equal(mgc_journal_count(f->journal), 0);
}

static void holds_until_finish(void **state)
{
    struct task_run *f = *state;
    int64_t pid;
    start(f, "hold", 60000);
    struct mgc_post *post = task_run_next(f);
    assert_string_equal(post->msg.event.name, "ready");
    assert_true(mgc_fields_get_int(&post->msg.event.fields, "pid", &pid) && pid == 42);
    mgc_post_free(post);
    assert_string_equal(undone, "");
    mgc_task_finish(f->task);
    assert_int_equal(task_run_result(f)->code, MGC_OK);
    assert_string_equal(undone, "held");
}

static void cancel_ends_a_hold_and_undoes(void **state)
{
    struct task_run *f = *state;
    start(f, "hold", 60000);
    task_run_expect(f, MGC_MSG_EVENT, "ready");
    mgc_task_stop(f->task, MGC_E_CANCELLED, "plan was cancelled");
    mgc_task_stop(f->task, MGC_E_LOST, "the first reason stays");
    const struct mgc_msg_result *result = task_run_result(f);
    assert_int_equal(result->code, MGC_E_CANCELLED);
    assert_string_equal(result->text, "plan was cancelled");
    assert_string_equal(undone, "held");
}

static void the_deadline_ends_a_hold(void **state)
{
    struct task_run *f = *state;
    start(f, "hold", 20);
    task_run_expect(f, MGC_MSG_EVENT, "ready");
    const struct mgc_msg_result *result = task_run_result(f);
    assert_int_equal(result->code, MGC_E_TIMEOUT);
    assert_string_equal(result->text, "its deadline of 20 ms is over");
    assert_string_equal(undone, "held");
}

static void success_in_spite_of_a_stop_is_trusted_and_noted(void **state)
{
    struct task_run *f = *state;
    start(f, "stubborn", 60000);
    task_run_expect(f, MGC_MSG_EVENT, "ready");
    mgc_task_stop(f->task, MGC_E_CANCELLED, "enough");
    const struct mgc_msg_result *result = task_run_result(f);
    assert_int_equal(result->code, MGC_OK);
    assert_string_equal(mgc_fields_get_str(&result->facts, "stop_requested"), "cancelled: enough");
}

static void release(struct task_run *f, const char *name, enum mgc_code code, int64_t instant_ns)
{
    struct mgc_msg_barrier msg = {.task_id = 0x77,
        .name = (char *)name,
        .code = code,
        .text = (char *)(code == MGC_OK ? "" : "member 'host.server' failed"),
        .instant_ns = instant_ns};
    mgc_task_release(f->task, &msg);
}

static void a_barrier_goes_at_its_instant(void **state)
{
    struct task_run *f = *state;
    int64_t early_ns;
    start(f, "barrier", 60000);
    task_run_expect(f, MGC_MSG_ARRIVE, "start");
    release(f, "another", MGC_OK, 0);
    int64_t instant_ns = mgc_mono_ns() + 500 * MGC_NS_PER_MS;
    release(f, "start", MGC_OK, instant_ns);
    struct mgc_post *post = task_run_next(f);
    assert_int_equal(post->msg.kind, MGC_MSG_RELEASED);
    assert_int_equal(post->msg.barrier.code, MGC_OK);
    assert_int_equal(post->msg.barrier.instant_ns, instant_ns);
    assert_true(post->msg.barrier.actual_ns >= instant_ns);
    mgc_post_free(post);
    const struct mgc_msg_result *result = task_run_result(f);
    assert_int_equal(result->code, MGC_OK);
    assert_true(mgc_fields_get_int(&result->facts, "early_ns", &early_ns) && early_ns <= 0);
}

static void a_failed_barrier_names_the_member(void **state)
{
    struct task_run *f = *state;
    start(f, "barrier", 60000);
    task_run_expect(f, MGC_MSG_ARRIVE, "start");
    release(f, "start", MGC_E_FAILED, 0);
    const struct mgc_msg_result *result = task_run_result(f);
    assert_int_equal(result->code, MGC_E_FAILED);
    assert_string_equal(result->text, "barrier \"start\": member 'host.server' failed");
}

static void a_late_release_is_a_failed_release(void **state)
{
    struct task_run *f = *state;
    start(f, "barrier", 60000);
    task_run_expect(f, MGC_MSG_ARRIVE, "start");
    release(f, "start", MGC_OK, mgc_mono_ns() - 5 * MGC_NS_PER_MS);
    struct mgc_post *post = task_run_next(f);
    assert_int_equal(post->msg.kind, MGC_MSG_RELEASED);
    assert_int_equal(post->msg.barrier.code, MGC_E_FAILED);
    mgc_post_free(post);
    const struct mgc_msg_result *result = task_run_result(f);
    assert_int_equal(result->code, MGC_E_FAILED);
    assert_non_null(strstr(result->text, "release failed: late by"));
    assert_string_equal(mgc_fields_get_str(&result->facts, "failure"), "release-late");
}

static void a_stop_ends_the_wait_at_a_barrier(void **state)
{
    struct task_run *f = *state;
    start(f, "barrier", 60000);
    task_run_expect(f, MGC_MSG_ARRIVE, "start");
    assert_int_equal(mgc_task_state(f->task).stopping, false);
    mgc_task_stop(f->task, MGC_E_LOST, "session lost");
    const struct mgc_msg_result *result = task_run_result(f);
    assert_int_equal(result->code, MGC_E_LOST);
    assert_string_equal(result->text, "waiting at barrier \"start\": session lost");
}

static void a_stop_ends_the_wait_for_the_instant(void **state)
{
    struct task_run *f = *state;
    start(f, "barrier", 60000);
    task_run_expect(f, MGC_MSG_ARRIVE, "start");
    release(f, "start", MGC_OK, mgc_mono_ns() + 3600 * MGC_NS_PER_S);
    mgc_task_stop(f->task, MGC_E_CANCELLED, "enough");
    assert_int_equal(task_run_result(f)->code, MGC_E_CANCELLED);
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
