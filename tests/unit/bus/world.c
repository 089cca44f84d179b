#include "tests/unit/bus/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/hash.h"

/* --- callbacks --- */

static void wake(struct seen *seen)
{
    mgc_loop_quit(seen->world->loop);
}

static void take_message(struct seen *seen, const struct mgc_msg *msg)
{
    if (msg->kind == MGC_MSG_CHUNK) {
        seen->chunks++;
        seen->chunk_bytes += msg->body_len;
    } else if (msg->kind == MGC_MSG_ERROR) {
        seen->errors++;
        mgc_error_set(&seen->why, msg->text.code, "%s", msg->text.text);
    } else {
        /* exactly once and in order, or not at all */
        uint64_t id = msg->kind == MGC_MSG_EVENT ? msg->event.task_id : msg->task_ref.task_id;
        assert_int_equal(id, seen->messages + 1);
        seen->messages++;
    }
    wake(seen);
}

static void note_joined(struct seen *seen, const char *name, uint64_t epoch)
{
    seen->lost_before_joined = seen->lost == seen->joined;
    seen->joined++;
    seen->epoch = epoch;
    seen->messages = 0;
    snprintf(seen->name, sizeof(seen->name), "%s", name);
    wake(seen);
}

static void server_joined(
    void *user, const char *worker, uint64_t epoch, const struct mgc_msg_hello *hello)
{
    assert_string_equal(hello->host, "p?c"); /* it said an escape byte */
    mgc_fields_get_int(&hello->facts, "greeting", &((struct seen *)user)->greetings);
    note_joined(user, worker, epoch);
}

static void server_lost(void *user, const char *worker, uint64_t epoch, const struct mgc_error *why)
{
    struct seen *seen = user;
    seen->lost++;
    seen->why = *why;
    snprintf(seen->name, sizeof(seen->name), "%s", worker);
    wake(seen);
}

static void server_message(void *user, const char *worker, const struct mgc_msg *msg)
{
    take_message(user, msg);
}

static void server_refused(void *user, const char *who, const struct mgc_error *why)
{
    struct seen *seen = user;
    seen->refused++;
    mgc_error_set(&seen->why, why->code, "%s: %s", who, why->text);
    wake(seen);
}

static void client_joined(void *user, const struct mgc_msg_welcome *welcome, uint64_t epoch)
{
    assert_string_equal(welcome->run_id, "run");
    assert_int_equal(welcome->heartbeat_ms, WORLD_HEARTBEAT_MS);
    note_joined(user, welcome->name, epoch);
}

static void client_lost(void *user, const struct mgc_error *why)
{
    struct worker *worker = (struct worker *)((char *)user - offsetof(struct worker, seen));
    worker->seen.lost++;
    worker->seen.why = *why;
    assert_false(mgc_bus_client_joined(worker->client));
    if (worker->seen.resume)
        mgc_bus_client_resume(worker->client);
    wake(user);
}

static void client_message(void *user, const struct mgc_msg *msg)
{
    take_message(user, msg);
}

/* Every hello has its number. */
static void client_greeting(void *user)
{
    struct worker *worker = (struct worker *)((char *)user - offsetof(struct worker, seen));
    assert_true(mgc_fields_set_int(&worker->hello.facts, "greeting", ++worker->seen.greetings));
}

static void client_not_joined(void *user, const char *address, const struct mgc_error *why)
{
    struct seen *seen = user;
    seen->not_joined++;
    seen->why = *why;
    wake(seen);
}

/* --- building --- */

static void make_worker(
    struct world *world, struct worker *worker, struct mgc_worker_key *key, const char *name)
{
    struct mgc_enrolment *e = &worker->enrolment;
    struct mgc_error err = {0};
    assert_true(mgc_keypair_make(&e->own, &err));
    snprintf(e->name, sizeof(e->name), "%s", name);
    snprintf(e->role, sizeof(e->role), "wsl");
    memcpy(e->coordinator_key, world->ring.coordinator.public_key, MGC_KEY_SIZE);
    snprintf(key->name, sizeof(key->name), "%s", name);
    snprintf(key->role, sizeof(key->role), "wsl");
    memcpy(key->public_key, e->own.public_key, MGC_KEY_SIZE);
    worker->hello = (struct mgc_msg_hello){.protocol_min = MGC_PROTOCOL_MIN,
        .protocol_max = MGC_PROTOCOL_MAX,
        .role = (char *)"wsl",
        .build = (char *)"test",
        .host = (char *)"p\033c",
        .os = (char *)"os",
        .boot_id = (char *)"boot"};
    worker->seen = (struct seen){.world = world, .resume = true};
}

int world_setup(void **state)
{
    struct mgc_error err = {0};
    struct world *world = calloc(1, sizeof(*world));
    if (!world || !mgc_random_init(&err) || !(world->loop = mgc_loop_new(&err)) ||
        !mgc_keypair_make(&world->ring.coordinator, &err))
        return -1;
    world->ring.workers = world->keys;
    world->ring.count = 2;
    world->seen.world = world;
    make_worker(world, &world->worker, &world->keys[0], "one");
    make_worker(world, &world->other, &world->keys[1], "two");
    *state = world;
    return 0;
}

int world_teardown(void **state)
{
    struct world *world = *state;
    world_stop_worker(&world->worker);
    world_stop_worker(&world->other);
    world_stop_server(world);
    mgc_loop_free(world->loop);
    free(world);
    return 0;
}

unsigned world_free_port(void)
{
    unsigned port = 0;
    struct mgc_error err = {0};
    mgc_socket listener = mgc_net_listen("127.0.0.1", 0, &err);
    assert_true(listener != MGC_SOCKET_NONE);
    assert_true(mgc_net_local_port(listener, &port, &err));
    mgc_net_close(listener);
    return port;
}

void world_set_address(struct worker *worker, size_t index, unsigned port)
{
    struct mgc_enrolment *e = &worker->enrolment;
    snprintf(e->addresses[index], MGC_ADDRESS_SIZE, "tcp://127.0.0.1:%u", port);
    if (e->address_count <= index)
        e->address_count = index + 1;
}

void world_start_server(struct world *world, unsigned port)
{
    static const struct mgc_bus_server_ops ops = {
        server_joined, server_lost, server_message, server_refused};
    char endpoint[64];
    struct mgc_error err = {0};
    snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%u", port);
    struct mgc_bus_server_config config = {.endpoint = endpoint,
        .keys = &world->ring,
        .run_id = "run",
        .build = "server-test",
        .heartbeat_ms = WORLD_HEARTBEAT_MS,
        .silence_ms = WORLD_SILENCE_MS,
        .protocol_min = world->protocol_min,
        .protocol_max = world->protocol_max};
    world->server = mgc_bus_server_new(world->loop, &config, &ops, &world->seen, &err);
    if (!world->server)
        fail_msg("%s", err.text);
    world_set_address(&world->worker, 0, world_port(world));
    world_set_address(&world->other, 0, world_port(world));
}

void world_stop_server(struct world *world)
{
    mgc_bus_server_free(world->server);
    world->server = NULL;
}

unsigned world_port(const struct world *world)
{
    const char *colon = strrchr(mgc_bus_server_endpoint(world->server), ':');
    assert_non_null(colon);
    return (unsigned)atoi(colon + 1);
}

void world_start_worker(struct world *world, struct worker *worker)
{
    static const struct mgc_bus_client_ops ops = {
        client_joined, client_lost, client_message, client_not_joined, client_greeting};
    struct mgc_error err = {0};
    struct mgc_bus_client_config config = {.enrolment = &worker->enrolment,
        .hello = &worker->hello,
        .retry_min_ms = 50,
        .retry_max_ms = 400,
        .dial_ms = 3000};
    worker->client = mgc_bus_client_new(world->loop, &config, &ops, &worker->seen, &err);
    if (!worker->client)
        fail_msg("%s", err.text);
}

void world_stop_worker(struct worker *worker)
{
    mgc_bus_client_free(worker->client);
    worker->client = NULL;
    mgc_fields_destroy(&worker->hello.facts);
}

/* --- waiting --- */

static void on_timer(void *user)
{
    mgc_loop_quit(user);
}

static void run_until(struct world *world, int64_t due_ns)
{
    struct mgc_error err = {0};
    uint64_t timer = mgc_loop_add_timer(world->loop, due_ns, on_timer, world->loop);
    if (!mgc_loop_run(world->loop, &err))
        fail_msg("%s", err.text);
    mgc_loop_remove_timer(world->loop, timer);
}

void world_run_for(struct world *world, int64_t ms)
{
    int64_t due_ns = mgc_deadline_in_ms(ms);
    while (!mgc_deadline_past(due_ns))
        run_until(world, due_ns);
}

void world_wait(struct world *world, const int *value, int wanted, const char *what)
{
    int64_t due_ns = mgc_deadline_in_ms(WORLD_DEADLINE_MS);
    while (*value < wanted) {
        if (mgc_deadline_past(due_ns))
            fail_msg("waited in vain for: %s (server: '%s', worker: '%s')", what,
                world->seen.why.text, world->worker.seen.why.text);
        run_until(world, due_ns);
    }
}

void world_wait_messages(struct world *world, const uint64_t *value, uint64_t wanted)
{
    int64_t due_ns = mgc_deadline_in_ms(WORLD_DEADLINE_MS);
    while (*value < wanted) {
        if (mgc_deadline_past(due_ns))
            fail_msg("only %llu of %llu messages came", (unsigned long long)*value,
                (unsigned long long)wanted);
        run_until(world, due_ns);
    }
}

/* --- traffic --- */

void world_join(struct world *world)
{
    world_start_server(world, 0);
    world_start_worker(world, &world->worker);
    world_wait(world, &world->worker.seen.joined, 1, "worker joins");
    world_wait(world, &world->seen.joined, 1, "server sees it join");
}

void world_send_events(struct worker *worker, uint64_t first, uint64_t last)
{
    struct mgc_error err = {0};
    for (uint64_t id = first; id <= last; id++) {
        struct mgc_msg msg = {.kind = MGC_MSG_EVENT};
        msg.event = (struct mgc_msg_event){.task_id = id, .name = (char *)"note"};
        if (!mgc_bus_client_send(worker->client, &msg, &err))
            fail_msg("%s", err.text);
    }
}

void world_send_cancels(struct world *world, uint64_t first, uint64_t last)
{
    struct mgc_error err = {0};
    for (uint64_t id = first; id <= last; id++) {
        struct mgc_msg msg = {.kind = MGC_MSG_CANCEL};
        msg.task_ref = (struct mgc_msg_task_ref){.task_id = id, .text = (char *)"stop"};
        if (!mgc_bus_server_send(world->server, "one", &msg, &err))
            fail_msg("%s", err.text);
    }
}
