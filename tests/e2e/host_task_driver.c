/* Run one task of the host worker without worker and coordinator, for tests: host_task_driver
 * STATE KIND DEADLINE_MS [secret:]NAME=VALUE...
 * or, to undo what an earlier one was killed in: host_task_driver STATE undo
 *
 * Standard input steers: "finish", "stop", "lose"; its end means nothing. Standard output tells,
 * one line each, fields separated by tabs: event, arrive, fact, artifact, result, undo, journal. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/base/parse.h"
#include "common/base/path.h"
#include "common/plat/net.h"
#include "common/task/params.h"
#include "common/task/results.h"
#include "common/task/runner.h"
#include "worker-host/tasks/tasks.h"

struct driver {
    char dir[MGC_PATH_MAX];
    struct mgc_results *results;
    struct mgc_journal *journal;
    struct mgc_mailbox *mailbox;
    struct mgc_host_worker worker;
    struct mgc_task *task;
    bool stdin_over;
};

static int fail(const struct mgc_error *err)
{
    printf("result\t%s\t%s\n", mgc_code_name(err->code), err->text);
    return 1;
}

/* `lead`, name, `between`, value and `tail` of each. */
static void print_fields(
    const struct mgc_fields *fields, const char *lead, const char *between, const char *tail)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct mgc_value *value = &fields->items[i].value;
        printf("%s%s%s", lead, fields->items[i].name, between);
        if (value->type == MGC_VALUE_STRING)
            printf("%s", value->string);
        else if (value->type == MGC_VALUE_INT)
            printf("%" PRId64, value->integer);
        else
            printf("%s", value->boolean ? "true" : "false");
        printf("%s", tail);
    }
}

/* A value of the type that the kind's table asks for. */
static bool set_param(
    struct mgc_fields *fields, const struct mgc_task_kind *kind, const char *name, const char *text)
{
    const struct mgc_param *param = kind->params;
    int64_t number;
    while (param->name && strcmp(param->name, name) != 0)
        param++;
    if (param->type == MGC_PARAM_INT && mgc_parse_int(text, INT64_MIN, INT64_MAX, &number))
        return mgc_fields_set_int(fields, name, number);
    if (param->type == MGC_PARAM_BOOL)
        return mgc_fields_set_bool(fields, name, strcmp(text, "true") == 0);
    return mgc_fields_set_str(fields, name, text);
}

static bool take_params(const struct mgc_task_kind *kind, char **words, struct mgc_fields *params,
    struct mgc_fields *secrets, struct mgc_error *err)
{
    for (; *words; words++) {
        bool secret = strncmp(*words, "secret:", 7) == 0;
        char *name = *words + (secret ? 7 : 0), *equals = strchr(name, '=');
        if (!equals)
            return mgc_error_set(err, MGC_E_USAGE, "\"%s\": expected NAME=VALUE", name);
        *equals = '\0';
        set_param(secret ? secrets : params, kind, name, equals + 1);
    }
    return mgc_params_check(kind, params, secrets, err);
}

static bool start(struct driver *driver, const char *kind_name, const char *deadline, char **words,
    struct mgc_error *err)
{
    struct mgc_msg_task msg = {.task_id = 1, .kind = (char *)kind_name, .label = (char *)"driver"};
    struct mgc_task_spec spec = {.msg = &msg,
        .kind = mgc_task_kind_find(mgc_host_kinds, kind_name),
        .run_id = "run",
        .dir = driver->dir,
        .journal = driver->journal,
        .mailbox = driver->mailbox,
        .worker = &driver->worker};
    if (!spec.kind || !mgc_parse_int(deadline, 1, INT64_MAX, &msg.deadline_ms))
        return mgc_error_set(err, MGC_E_USAGE, "no kind \"%s\" or bad deadline", kind_name);
    bool ok =
        take_params(spec.kind, words, &msg.params, &msg.secrets, err) &&
        mgc_results_begin(driver->results, &msg, "run", driver->dir, sizeof(driver->dir), err);
    if (ok)
        driver->task = mgc_task_start(&spec, err);
    mgc_fields_destroy(&msg.params);
    mgc_fields_destroy(&msg.secrets);
    return driver->task;
}

/* HELD_KNOBS: what another task of this worker would hold on the phone HELD_SERIAL. */
static bool put_held(struct driver *driver, struct mgc_error *err)
{
    const char *serial = getenv("HELD_SERIAL"), *knobs = getenv("HELD_KNOBS");
    return !serial || !knobs || mgc_host_held_put(driver->worker.held, driver, serial, knobs, err);
}

static bool open_state(struct driver *driver, const char *state, struct mgc_error *err)
{
    char results[MGC_PATH_MAX], journal[MGC_PATH_MAX];
    struct mgc_results_config results_config = {.dir = results};
    struct mgc_journal_config journal_config = {
        .dir = journal, .boot_id = "boot", .undos = mgc_host_undos, .worker = &driver->worker};
    return mgc_path_join(results, sizeof(results), state, "results") &&
           mgc_path_join(journal, sizeof(journal), state, "journal") &&
           (driver->worker.adb = mgc_adb_new("adb", err)) &&
           (driver->worker.held = mgc_host_held_new(err)) && put_held(driver, err) &&
           (driver->worker.samplers = mgc_host_samplers_new(err)) &&
           (driver->results = mgc_results_open(&results_config, err)) &&
           (driver->journal = mgc_journal_open(&journal_config, err)) &&
           (driver->mailbox = mgc_mailbox_new(err));
}

static void obey(struct driver *driver, const char *line)
{
    if (strncmp(line, "finish", 6) == 0)
        mgc_task_finish(driver->task);
    if (strncmp(line, "begins", 6) == 0 || strncmp(line, "ends", 4) == 0) /* as host.replay */
        mgc_host_samplers_tell(driver->worker.samplers, getenv("ANDROID_SERIAL"),
            (struct mgc_host_moments){line[0] == 'b', line[0] == 'e'});
    if (strncmp(line, "stop", 4) == 0)
        mgc_task_stop(driver->task, MGC_E_CANCELLED, "told to stop");
    if (strncmp(line, "lose", 4) == 0) /* as a worker whose session breaks */
        mgc_task_stop(driver->task, MGC_E_LOST, "session lost: silence");
}

/* Byte by byte: two lines may lie there when we come to look, and what was read of the second would
 * be waited for in vain. */
static void read_command(struct driver *driver)
{
    char line[32] = "";
    size_t len = 0;
    ssize_t got;
    while ((got = read(STDIN_FILENO, &line[len], 1)) == 1 && line[len] != '\n')
        len += len + 2 < sizeof(line);
    line[len] = '\0';
    driver->stdin_over = got <= 0;
    obey(driver, line);
}

static void print_result(struct driver *driver, const struct mgc_msg_result *result)
{
    print_fields(&result->facts, "fact\t", "\t", "\n");
    for (size_t i = 0; i < result->artifact_count; i++)
        printf("artifact\t%s\t%s/files/%s\n", result->artifacts[i].name, driver->dir,
            result->artifacts[i].name);
    printf("undo\t%" PRId64 "\t%" PRId64 "\t%s\n", result->undo_done, result->undo_failed,
        result->undo_text);
    printf("journal\t%zu\nresult\t%s\t%s\n", mgc_journal_count(driver->journal),
        mgc_code_name(result->code), result->text);
}

/* True while the task goes on. */
static bool take_post(struct driver *driver)
{
    struct mgc_post *post = mgc_mailbox_take(driver->mailbox);
    bool done = post && post->done;
    if (done) {
        print_result(driver, &post->msg.result);
    } else if (post && post->msg.kind == MGC_MSG_EVENT) {
        printf("event\t%s", post->msg.event.name);
        print_fields(&post->msg.event.fields, "\t", "=", "");
        printf("\n");
    } else if (post) {
        printf("arrive\t%s\n", post->msg.barrier.name);
    }
    fflush(stdout);
    mgc_post_free(post);
    return !done;
}

static void drive(struct driver *driver)
{
    for (bool more = true; more;) {
        mgc_socket fds[2] = {
            mgc_mailbox_fd(driver->mailbox), driver->stdin_over ? MGC_SOCKET_NONE : STDIN_FILENO};
        bool ready[2] = {false};
        if (!mgc_net_wait_readable(fds, ready, 2, MGC_NEVER, NULL))
            return;
        if (ready[1])
            read_command(driver);
        if (ready[0])
            more = take_post(driver);
    }
}

/* What a worker does at its start. */
static void undo(struct driver *driver)
{
    mgc_journal_replay(driver->journal, 1, 0, NULL, NULL);
    printf("journal\t%zu\nresult\tok\t\n", mgc_journal_count(driver->journal));
}

int main(int argc, char **argv)
{
    struct driver driver = {0};
    struct mgc_error err = {0};
    mgc_log_init("host_task_driver", MGC_LOG_WARN);
    bool open = argc >= 3 && mgc_random_init(&err) && open_state(&driver, argv[1], &err);
    bool only_undo = argc == 3 && open;
    bool started = argc >= 4 && open && start(&driver, argv[2], argv[3], argv + 4, &err);
    if (started)
        drive(&driver);
    if (only_undo)
        undo(&driver);
    mgc_task_join(driver.task);
    mgc_mailbox_free(driver.mailbox);
    mgc_journal_free(driver.journal);
    mgc_results_free(driver.results);
    mgc_host_samplers_free(driver.worker.samplers);
    mgc_host_held_free(driver.worker.held);
    mgc_adb_free(driver.worker.adb);
    return started || only_undo ? 0 : fail(&err);
}
