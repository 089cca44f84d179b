/* A coordinator's end of the bus without a scheduler, for tests of several workers at once:
 * crew_driver KEYS ENDPOINT
 *
 * Standard input steers, one line each, fields separated by tabs:
 *   task WORKER ID KIND DEADLINE_MS [secret:]NAME[:i|:b]=VALUE...
 *   finish|cancel WORKER ID
 *   release WORKER ID NAME       a barrier, now
 * Its end ends the program. Standard output tells, separated in the same way:
 *   joined WORKER UNDO_PENDING, lost WORKER, event WORKER ID NAME [NAME=VALUE...],
 *   arrive WORKER ID NAME, result WORKER ID CODE TEXT UNDO_DONE UNDO_FAILED [NAME=VALUE...]
 * Results are acknowledged, files not fetched. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/base/parse.h"
#include "common/bus/keys.h"
#include "common/bus/server.h"

enum { LINE_SIZE = 16384, WORDS_MAX = 64, WORKERS_MAX = 32, RELEASE_MS = 50 };

struct worker {
    char name[64];
    int64_t lease_epoch; /* of its newest hello; goes into its tasks */
};

struct driver {
    struct mgc_keyring keys;
    struct mgc_loop *loop;
    struct mgc_bus_server *server;
    struct worker workers[WORKERS_MAX];
    char line[LINE_SIZE];
    size_t len;
};

static struct worker *worker_of(struct driver *driver, const char *name)
{
    struct worker *worker = driver->workers;
    while (worker->name[0] && strcmp(worker->name, name) != 0)
        worker++;
    snprintf(worker->name, sizeof(worker->name), "%s", name);
    return worker;
}

/* Tabs and line ends are ours. */
static void print_text(const char *text)
{
    putchar('\t');
    for (const char *c = text ? text : ""; *c; c++)
        putchar((unsigned char)*c < ' ' ? ' ' : *c);
}

static void print_fields(const struct mgc_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct mgc_value *value = &fields->items[i].value;
        print_text(fields->items[i].name);
        putchar('=');
        if (value->type == MGC_VALUE_STRING)
            for (const char *c = value->string; *c; c++)
                putchar((unsigned char)*c < ' ' ? ' ' : *c);
        else if (value->type == MGC_VALUE_INT)
            printf("%" PRId64, value->integer);
        else if (value->type == MGC_VALUE_BOOL)
            printf("%s", value->boolean ? "true" : "false");
        else
            printf("%.9g", value->real);
    }
    putchar('\n');
}

/* ---- from the workers ---- */

static void on_joined(
    void *user, const char *worker, uint64_t epoch, const struct mgc_msg_hello *hello)
{
    int64_t pending = -1;
    mgc_fields_get_int(&hello->facts, "undo_pending", &pending);
    worker_of(user, worker)->lease_epoch = hello->lease_epoch;
    printf("joined\t%s\t%" PRId64 "\n", worker, pending);
}

static void on_lost(void *user, const char *worker, uint64_t epoch, const struct mgc_error *why)
{
    printf("lost\t%s\n", worker);
}

static void send_ref(
    struct driver *driver, const char *worker, enum mgc_msg_kind kind, uint64_t task_id)
{
    struct mgc_error err = {0};
    struct mgc_msg msg = {.kind = kind};
    msg.task_ref.task_id = task_id;
    msg.task_ref.text = (char *)"";
    if (!mgc_bus_server_send(driver->server, worker, &msg, &err))
        fprintf(stderr, "crew_driver: %s\n", err.text);
}

static void on_message(void *user, const char *worker, const struct mgc_msg *msg)
{
    if (msg->kind == MGC_MSG_EVENT) {
        printf("event\t%s\t%" PRIu64, worker, msg->event.task_id);
        print_text(msg->event.name);
        print_fields(&msg->event.fields);
    } else if (msg->kind == MGC_MSG_ARRIVE) {
        printf("arrive\t%s\t%" PRIu64 "\t%s\n", worker, msg->barrier.task_id, msg->barrier.name);
    } else if (msg->kind == MGC_MSG_RESULT) {
        printf("result\t%s\t%" PRIu64 "\t%s", worker, msg->result.task_id,
            mgc_code_name(msg->result.code));
        print_text(msg->result.text);
        printf("\t%" PRId64 "\t%" PRId64, msg->result.undo_done, msg->result.undo_failed);
        print_fields(&msg->result.facts);
        send_ref(user, worker, MGC_MSG_RESULT_ACK, msg->result.task_id);
    }
}

static void on_refused(void *user, const char *who, const struct mgc_error *why)
{
    fprintf(stderr, "crew_driver: %s was turned away: %s\n", who, why->text);
}

/* ---- from standard input ---- */

static bool set_param(struct mgc_fields *fields, char *name, const char *text)
{
    char *type = strchr(name, ':');
    int64_t number;
    if (!type)
        return mgc_fields_set_str(fields, name, text);
    *type = '\0';
    if (type[1] == 'b')
        return mgc_fields_set_bool(fields, name, strcmp(text, "true") == 0);
    return mgc_parse_int(text, INT64_MIN, INT64_MAX, &number) &&
           mgc_fields_set_int(fields, name, number);
}

static void send_task(struct driver *driver, uint64_t task_id, char **words)
{
    struct mgc_error err = {0};
    struct mgc_msg msg = {.kind = MGC_MSG_TASK};
    bool ok = words[3] && words[4] && mgc_parse_int(words[4], 1, INT64_MAX, &msg.task.deadline_ms);
    msg.task.task_id = task_id;
    msg.task.kind = words[3];
    msg.task.label = (char *)"crew";
    msg.task.lease_epoch = worker_of(driver, words[1])->lease_epoch;
    for (char **word = words + 5; ok && *word; word++) {
        bool secret = strncmp(*word, "secret:", 7) == 0;
        char *name = *word + (secret ? 7 : 0), *equals = strchr(name, '=');
        if ((ok = equals != NULL)) {
            *equals = '\0';
            ok = set_param(secret ? &msg.task.secrets : &msg.task.params, name, equals + 1);
        }
    }
    if (!ok || !mgc_bus_server_send(driver->server, words[1], &msg, &err))
        fprintf(
            stderr, "crew_driver: task %" PRIu64 ": %s\n", task_id, ok ? err.text : "no such line");
    mgc_fields_destroy(&msg.task.params);
    mgc_fields_destroy(&msg.task.secrets);
}

static void release(struct driver *driver, uint64_t task_id, char **words)
{
    struct mgc_error err = {0};
    struct mgc_msg msg = {.kind = MGC_MSG_RELEASE};
    msg.barrier.task_id = task_id;
    msg.barrier.name = words[3];
    msg.barrier.instant_ns = mgc_deadline_in_ms(RELEASE_MS); /* one machine, one clock */
    if (!words[3] || !mgc_bus_server_send(driver->server, words[1], &msg, &err))
        fprintf(stderr, "crew_driver: release: %s\n", err.text);
}

static void obey(struct driver *driver, char *line)
{
    char *words[WORDS_MAX + 1] = {NULL};
    size_t count = 0;
    int64_t task_id;
    for (char *word = strtok(line, "\t"); word && count < WORDS_MAX; word = strtok(NULL, "\t"))
        words[count++] = word;
    if (count < 3 || !mgc_parse_int(words[2], 1, INT64_MAX, &task_id))
        fprintf(stderr, "crew_driver: no such line\n");
    else if (strcmp(words[0], "task") == 0)
        send_task(driver, (uint64_t)task_id, words);
    else if (strcmp(words[0], "release") == 0)
        release(driver, (uint64_t)task_id, words);
    else
        send_ref(driver, words[1],
            strcmp(words[0], "finish") == 0 ? MGC_MSG_FINISH : MGC_MSG_CANCEL, (uint64_t)task_id);
}

static void on_input(void *user)
{
    struct driver *driver = user;
    ssize_t got =
        read(STDIN_FILENO, driver->line + driver->len, sizeof(driver->line) - 1 - driver->len);
    if (got <= 0) {
        mgc_loop_quit(driver->loop);
        return;
    }
    driver->len += (size_t)got;
    driver->line[driver->len] = '\0';
    char *end;
    while ((end = strchr(driver->line, '\n'))) {
        *end = '\0';
        obey(driver, driver->line);
        driver->len -= (size_t)(end + 1 - driver->line);
        memmove(driver->line, end + 1, driver->len + 1);
    }
}

int main(int argc, char **argv)
{
    static struct driver driver;
    static const struct mgc_bus_server_ops ops = {on_joined, on_lost, on_message, on_refused};
    struct mgc_error err = {0};
    struct mgc_bus_server_config config = {.endpoint = argc == 3 ? argv[2] : "",
        .keys = &driver.keys,
        .run_id = "crew-run",
        .build = "test",
        .heartbeat_ms = 500,
        .silence_ms = 10000};
    setvbuf(stdout, NULL, _IOLBF, 0);
    bool ok = argc == 3 && mgc_random_init(&err) && mgc_keyring_load(argv[1], &driver.keys, &err) &&
              (driver.loop = mgc_loop_new(&err)) &&
              (driver.server = mgc_bus_server_new(driver.loop, &config, &ops, &driver, &err)) &&
              mgc_loop_add_fd(driver.loop, STDIN_FILENO, on_input, &driver, &err) &&
              mgc_loop_run(driver.loop, &err);
    if (!ok)
        fprintf(stderr, "crew_driver: %s\n", argc == 3 ? err.text : "expected KEYS ENDPOINT");
    mgc_bus_server_free(driver.server);
    mgc_loop_free(driver.loop);
    mgc_keyring_destroy(&driver.keys);
    return ok ? 0 : 1;
}
