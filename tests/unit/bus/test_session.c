/* Sessions over real sockets on loopback: joining, refusing, losing, coming back. */
#include "tests/unit/bus/world.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zmq.h>

#include "common/base/clock.h"

/* --- joined --- */

static void test_join_and_talk(void **state)
{
    struct world *world = *state;
    world_join(world);
    assert_string_equal(world->seen.name, "one");
    assert_string_equal(world->worker.seen.name, "one");
    assert_true(world->seen.epoch == world->worker.seen.epoch && world->seen.epoch != 0);
    assert_true(mgc_bus_client_joined(world->worker.client));
    for (uint64_t i = 0; i < 20; i++) { /* both ways at once, below what may be pending */
        world_send_events(&world->worker, i * 100 + 1, i * 100 + 100);
        world_send_cancels(world, i * 100 + 1, i * 100 + 100);
        world_wait_messages(world, &world->seen.messages, i * 100 + 100);
        world_wait_messages(world, &world->worker.seen.messages, i * 100 + 100);
    }
    assert_int_equal(world->seen.lost, 0);
}

static void test_burst(void **state)
{
    struct world *world = *state;
    world_join(world);
    world_send_events(&world->worker, 1, 4000);
    world_send_cancels(world, 1, 4000);
    world_wait_messages(world, &world->seen.messages, 4000);
    world_wait_messages(world, &world->worker.seen.messages, 4000);
}

static void test_chunks(void **state)
{
    struct world *world = *state;
    struct mgc_error err = {0};
    world_join(world);
    char *body = calloc(1, MGC_WIRE_BODY_MAX);
    for (int i = 0; i < 10; i++) {
        struct mgc_msg msg = {.kind = MGC_MSG_CHUNK, .body = body, .body_len = MGC_WIRE_BODY_MAX};
        msg.chunk = (struct mgc_msg_chunk){.task_id = 1, .name = (char *)"a.bin"};
        if (!mgc_bus_client_send(world->worker.client, &msg, &err))
            fail_msg("%s", err.text);
    }
    free(body);
    world_wait(world, &world->seen.chunks, 10, "chunks arrive");
    assert_int_equal(world->seen.chunk_bytes, 10 * MGC_WIRE_BODY_MAX);
}

static void test_offset_is_known_soon(void **state)
{
    struct world *world = *state;
    world_join(world);
    int64_t due_ns = mgc_deadline_in_ms(WORLD_DEADLINE_MS);
    struct mgc_clock_offset offset;
    while (!(offset = mgc_bus_server_offset(world->server, "one")).known) {
        assert_false(mgc_deadline_past(due_ns));
        world_run_for(world, 10);
    }
    assert_true(llabs(offset.offset_ns) <= offset.uncertainty_ns); /* it is the same clock */
    assert_false(mgc_bus_server_offset(world->server, "nobody").known);
}

static void test_two_workers(void **state)
{
    struct world *world = *state;
    world_join(world);
    world_start_worker(world, &world->other);
    world_wait(world, &world->seen.joined, 2, "the second joins");
    assert_string_equal(world->seen.name, "two");
    assert_int_equal(world->seen.lost, 0);
}

static void test_idle_session_lives(void **state)
{
    struct world *world = *state;
    world_join(world);
    world_run_for(world, 2 * WORLD_SILENCE_MS); /* nothing but heartbeats */
    assert_int_equal(world->seen.lost, 0);
    assert_int_equal(world->worker.seen.lost, 0);
}

static void test_bye_of_the_worker(void **state)
{
    struct world *world = *state;
    struct mgc_error err = {0};
    world_join(world);
    world_stop_worker(&world->worker);
    world_wait(world, &world->seen.lost, 1, "server hears goodbye");
    assert_non_null(strstr(world->seen.why.text, "the worker is stopping"));
    struct mgc_msg msg = {.kind = MGC_MSG_CANCEL};
    assert_false(mgc_bus_server_send(world->server, "one", &msg, &err));
    assert_int_equal(err.code, MGC_E_LOST);
}

static void test_bye_of_the_coordinator(void **state)
{
    struct world *world = *state;
    struct mgc_error err = {0};
    world_join(world);
    unsigned port = world_port(world);
    world_stop_server(world);
    world_wait(world, &world->worker.seen.lost, 1, "worker hears goodbye");
    assert_int_equal(world->worker.seen.why.code, MGC_E_LOST);
    struct mgc_msg msg = {.kind = MGC_MSG_EVENT, .event = {.name = (char *)"n"}};
    assert_false(mgc_bus_client_send(world->worker.client, &msg, &err));
    assert_int_equal(err.code, MGC_E_LOST);
    uint64_t before = world->worker.seen.epoch;
    world_start_server(world, port);
    world_wait(world, &world->worker.seen.joined, 2, "worker joins the next one");
    assert_true(world->worker.seen.epoch != before);
}

static void test_fence(void **state)
{
    struct world *world = *state;
    world_join(world);
    world->worker.seen.resume = false;
    unsigned port = world_port(world);
    world_stop_server(world);
    world_wait(world, &world->worker.seen.lost, 1, "worker hears goodbye");
    world_start_server(world, port);
    world_run_for(world, 1000);
    assert_int_equal(world->worker.seen.joined, 1); /* still undoing */
    mgc_bus_client_resume(world->worker.client);
    mgc_bus_client_resume(world->worker.client); /* twice is once */
    world_wait(world, &world->worker.seen.joined, 2, "worker joins after resume");
}

/* --- not joined --- */

static void check_not_joined(struct world *world, enum mgc_code code, const char *says)
{
    world_wait(world, &world->worker.seen.not_joined, 1, "a reason");
    const struct mgc_error *why = &world->worker.seen.why;
    if (why->code != code || !strstr(why->text, says))
        fail_msg("reason is %s \"%s\", expected %s with \"%s\"", mgc_code_name(why->code),
            why->text, mgc_code_name(code), says);
    assert_int_equal(world->worker.seen.joined, 0);
}

static void test_nobody_listens(void **state)
{
    struct world *world = *state;
    world_set_address(&world->worker, 0, world_free_port());
    world_start_worker(world, &world->worker);
    check_not_joined(world, MGC_E_REFUSED, "127.0.0.1");
    world_run_for(world, 1000);
    assert_int_equal(world->worker.seen.not_joined, 1); /* the same reason is told once */
}

static void test_second_address_answers(void **state)
{
    struct world *world = *state;
    world_start_server(world, 0);
    unsigned port = world_port(world);
    world_set_address(&world->worker, 0, world_free_port());
    world_set_address(&world->worker, 1, port);
    world_start_worker(world, &world->worker);
    world_wait(world, &world->worker.seen.joined, 1, "worker joins by its second address");
    assert_int_equal(world->worker.seen.not_joined, 1);
}

static void test_listener_that_is_no_coordinator(void **state)
{
    struct world *world = *state;
    struct mgc_error err = {0};
    unsigned port = 0;
    mgc_socket silent = mgc_net_listen("127.0.0.1", 0, &err); /* the kernel accepts, nobody talks */
    assert_true(mgc_net_local_port(silent, &port, &err));
    world_set_address(&world->worker, 0, port);
    world_start_worker(world, &world->worker);
    world_wait(world, &world->worker.seen.not_joined, 1, "a reason");
    assert_true(world->worker.seen.why.code == MGC_E_TIMEOUT ||
                world->worker.seen.why.code == MGC_E_DENIED);
    mgc_net_close(silent);
}

static void test_unknown_key(void **state)
{
    struct world *world = *state;
    world->ring.count = 0;
    world_start_server(world, 0);
    world_start_worker(world, &world->worker);
    check_not_joined(world, MGC_E_DENIED, "refused this worker's key");
    world_wait(world, &world->seen.refused, 1, "server reports it");
    assert_non_null(strstr(world->seen.why.text, world->worker.enrolment.own.public_key));
    assert_non_null(strstr(world->seen.why.text, "unknown"));
    assert_int_equal(world->seen.joined, 0);
}

static void test_revoked_key(void **state)
{
    struct world *world = *state;
    world->keys[0].revoked = true;
    world_start_server(world, 0);
    world_start_worker(world, &world->worker);
    check_not_joined(world, MGC_E_DENIED, "refused this worker's key");
    world_wait(world, &world->seen.refused, 1, "server reports it");
    assert_non_null(strstr(world->seen.why.text, "worker 'one' from 127.0.0.1: key is revoked"));
}

static void test_other_coordinator(void **state)
{
    struct world *world = *state;
    struct mgc_keypair other;
    assert_true(mgc_keypair_make(&other, NULL));
    world_start_server(world, 0);
    memcpy(world->worker.enrolment.coordinator_key, other.public_key, MGC_KEY_SIZE);
    world_start_worker(world, &world->worker);
    check_not_joined(world, MGC_E_DENIED, "its own key changed");
    assert_int_equal(world->seen.joined, 0);
}

static void test_version_mismatch(void **state)
{
    struct world *world = *state;
    world->protocol_min = 3;
    world->protocol_max = 5;
    world_start_server(world, 0);
    world_start_worker(world, &world->worker);
    check_not_joined(world, MGC_E_VERSION, "coordinator speaks 3 to 5, worker 1 to 1");
    world_wait(world, &world->seen.refused, 1, "server reports it");
    assert_int_equal(world->seen.why.code, MGC_E_VERSION);
    assert_non_null(strstr(world->seen.why.text, "'server-test' and 'test'"));
}

static void test_wrong_role(void **state)
{
    struct world *world = *state;
    world->worker.hello.role = (char *)"host";
    world_start_server(world, 0);
    world_start_worker(world, &world->worker);
    check_not_joined(world, MGC_E_DENIED, "enrolled for role 'wsl', but its program says 'host'");
    assert_int_equal(world->seen.joined, 0);
}

static void test_second_bind(void **state)
{
    struct world *world = *state;
    struct mgc_error err = {0};
    world_start_server(world, 0);
    struct mgc_bus_server_config config = {
        .endpoint = mgc_bus_server_endpoint(world->server), .keys = &world->ring};
    struct mgc_bus_server_ops ops = {0};
    assert_null(mgc_bus_server_new(world->loop, &config, &ops, NULL, &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    assert_non_null(strstr(err.text, config.endpoint));
    world_start_worker(world, &world->worker); /* the first one is none the worse */
    world_wait(world, &world->worker.seen.joined, 1, "worker joins");
}

/* --- lost --- */

static void test_key_revoked_while_joined(void **state)
{
    struct world *world = *state;
    world_join(world);
    struct mgc_worker_key changed[2] = {world->keys[0], world->keys[1]};
    struct mgc_keyring ring = world->ring;
    changed[0].revoked = true;
    ring.workers = changed;
    mgc_bus_server_set_keys(world->server, &ring);
    assert_int_equal(world->seen.lost, 1); /* at once, not at the next word */
    assert_int_equal(world->seen.why.code, MGC_E_DENIED);
    world_wait(world, &world->worker.seen.lost, 1, "worker is dismissed");
    assert_int_equal(world->worker.seen.why.code, MGC_E_DENIED);
    world_wait(world, &world->worker.seen.not_joined, 1, "and is refused when it dials");
    assert_int_equal(world->worker.seen.joined, 1);
    mgc_bus_server_set_keys(world->server, &world->ring); /* enrolled again */
    world_wait(world, &world->worker.seen.joined, 2, "worker joins again");
}

static void test_hello_again(void **state)
{
    struct world *world = *state;
    world_join(world);
    world->other.enrolment = world->worker.enrolment; /* the same key, as after a restart */
    world_start_worker(world, &world->other);
    world_wait(world, &world->seen.joined, 2, "the new one joins");
    assert_true(world->seen.lost >= 1);
    assert_true(world->seen.lost_before_joined);
    world_wait(world, &world->worker.seen.lost, 1, "the old one is told");
    assert_int_equal(world->worker.seen.why.code, MGC_E_BUSY);
}

/* A child process that runs one end of the world until it is killed. */
static pid_t start_child(
    void (*run)(struct world *world, unsigned port), unsigned port, const struct world *like)
{
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    void *state = NULL;
    if (world_setup(&state) != 0)
        _exit(1);
    struct world *world = state;
    world->ring.coordinator = like->ring.coordinator;
    memcpy(world->keys, like->keys, sizeof(world->keys));
    world->worker.enrolment = like->worker.enrolment;
    world->seen.world = world;
    run(world, port);
    _exit(0);
}

static void run_worker(struct world *world, unsigned port)
{
    world_set_address(&world->worker, 0, port);
    world_start_worker(world, &world->worker);
    world_run_for(world, 10 * WORLD_DEADLINE_MS);
}

static void run_server(struct world *world, unsigned port)
{
    world_start_server(world, port);
    world_run_for(world, 10 * WORLD_DEADLINE_MS);
}

static void end_child(pid_t pid, int number)
{
    kill(pid, number);
    waitpid(pid, NULL, 0);
}

static void test_worker_falls_silent(void **state)
{
    struct world *world = *state;
    unsigned port = world_free_port();
    pid_t pid = start_child(run_worker, port, world);
    assert_true(pid > 0);
    world_start_server(world, port);
    world_wait(world, &world->seen.joined, 1, "the child joins");
    uint64_t before = world->seen.epoch;
    kill(pid, SIGSTOP);
    world_wait(world, &world->seen.lost, 1, "silence is noticed");
    assert_int_equal(world->seen.why.code, MGC_E_LOST);
    assert_non_null(strstr(world->seen.why.text, "no word"));
    kill(pid, SIGCONT); /* it believes in its session, hears "rejoin" or notices the silence */
    world_wait(world, &world->seen.joined, 2, "the child joins again");
    assert_true(world->seen.epoch != before);
    end_child(pid, SIGKILL);
}

static void test_coordinator_falls_silent(void **state)
{
    struct world *world = *state;
    unsigned port = world_free_port();
    pid_t pid = start_child(run_server, port, world);
    assert_true(pid > 0);
    world_set_address(&world->worker, 0, port);
    world_start_worker(world, &world->worker);
    world_wait(world, &world->worker.seen.joined, 1, "worker joins the child");
    kill(pid, SIGSTOP);
    world_wait(world, &world->worker.seen.lost, 1, "silence is noticed");
    assert_int_equal(world->worker.seen.why.code, MGC_E_LOST);
    kill(pid, SIGCONT);
    world_wait(world, &world->worker.seen.joined, 2, "worker joins again");
    end_child(pid, SIGKILL);
}

static void test_coordinator_killed_and_back(void **state)
{
    struct world *world = *state;
    unsigned port = world_free_port();
    pid_t pid = start_child(run_server, port, world);
    assert_true(pid > 0);
    world_set_address(&world->worker, 0, port);
    world_start_worker(world, &world->worker);
    world_wait(world, &world->worker.seen.joined, 1, "worker joins the child");
    end_child(pid, SIGKILL);
    world_start_server(world, port);
    world_wait(world, &world->worker.seen.joined, 2, "worker joins the next coordinator");
    assert_int_equal(world->worker.seen.lost, 1); /* one loss, one fence */
    world_send_events(&world->worker, 1, 10);
    world_wait_messages(world, &world->seen.messages, 10);
}

/* --- a connection that breaks under the session --- */

/* A relay in the test's hand: one connection to the server for each accepted one. */
struct relay {
    struct world *world;
    mgc_socket listener, near, far;
    unsigned port, to_port;
};

static void relay_cut(struct relay *relay)
{
    if (relay->near == MGC_SOCKET_NONE)
        return;
    mgc_loop_remove_fd(relay->world->loop, (int)relay->near);
    mgc_loop_remove_fd(relay->world->loop, (int)relay->far);
    mgc_net_close(relay->near);
    mgc_net_close(relay->far);
    relay->near = relay->far = MGC_SOCKET_NONE;
}

static void relay_move(struct relay *relay, mgc_socket from, mgc_socket to)
{
    char data[65536];
    size_t len = 0;
    int64_t due_ns = mgc_deadline_in_ms(WORLD_DEADLINE_MS);
    if (!mgc_net_recv_some(from, data, sizeof(data), &len, due_ns, -1, NULL) || len == 0 ||
        !mgc_net_send_all(to, data, len, due_ns, -1, NULL))
        relay_cut(relay);
}

static void relay_out(void *user)
{
    struct relay *relay = user;
    relay_move(relay, relay->near, relay->far);
}

static void relay_back(void *user)
{
    struct relay *relay = user;
    relay_move(relay, relay->far, relay->near);
}

static void relay_accept(void *user)
{
    struct relay *relay = user;
    struct mgc_loop *loop = relay->world->loop;
    int64_t due_ns = mgc_deadline_in_ms(WORLD_DEADLINE_MS);
    relay_cut(relay);
    relay->near = mgc_net_accept(relay->listener, due_ns, -1, NULL);
    relay->far = mgc_net_connect("127.0.0.1", relay->to_port, due_ns, -1, NULL);
    assert_true(relay->near != MGC_SOCKET_NONE && relay->far != MGC_SOCKET_NONE);
    assert_true(mgc_loop_add_fd(loop, (int)relay->near, relay_out, relay, NULL));
    assert_true(mgc_loop_add_fd(loop, (int)relay->far, relay_back, relay, NULL));
}

static void relay_start(struct relay *relay, struct world *world)
{
    *relay = (struct relay){.world = world, .near = MGC_SOCKET_NONE, .far = MGC_SOCKET_NONE};
    relay->to_port = world_port(world);
    relay->listener = mgc_net_listen("127.0.0.1", 0, NULL);
    assert_true(mgc_net_local_port(relay->listener, &relay->port, NULL));
    assert_true(mgc_loop_add_fd(world->loop, (int)relay->listener, relay_accept, relay, NULL));
}

static void relay_stop(struct relay *relay)
{
    relay_cut(relay);
    mgc_loop_remove_fd(relay->world->loop, (int)relay->listener);
    mgc_net_close(relay->listener);
}

static void test_connection_breaks_session_lives(void **state)
{
    struct world *world = *state;
    struct relay relay;
    world_start_server(world, 0);
    relay_start(&relay, world);
    world_set_address(&world->worker, 0, relay.port);
    world_start_worker(world, &world->worker);
    world_wait(world, &world->worker.seen.joined, 1, "worker joins through the relay");
    for (uint64_t round = 0; round < 3; round++) {
        world_send_events(&world->worker, round * 300 + 1, round * 300 + 300);
        world_send_cancels(world, round * 300 + 1, round * 300 + 300);
        world_wait_messages(world, &world->seen.messages, round * 300 + 10);
        relay_cut(&relay); /* with messages on the way, both ways */
        world_wait_messages(world, &world->seen.messages, round * 300 + 300);
        world_wait_messages(world, &world->worker.seen.messages, round * 300 + 300);
    }
    assert_int_equal(world->seen.lost, 0);
    assert_int_equal(world->worker.seen.lost, 0);
    relay_stop(&relay);
}

/* --- a worker that talks nonsense --- */

struct raw {
    void *context, *socket;
};

static void raw_open(struct raw *raw, const struct world *world)
{
    const struct mgc_enrolment *e = &world->worker.enrolment;
    int linger = 1000;
    raw->context = zmq_ctx_new();
    raw->socket = zmq_socket(raw->context, ZMQ_DEALER);
    zmq_setsockopt(raw->socket, ZMQ_LINGER, &linger, sizeof(linger));
    zmq_setsockopt(raw->socket, ZMQ_CURVE_SERVERKEY, e->coordinator_key, MGC_KEY_SIZE - 1);
    zmq_setsockopt(raw->socket, ZMQ_CURVE_PUBLICKEY, e->own.public_key, MGC_KEY_SIZE - 1);
    zmq_setsockopt(raw->socket, ZMQ_CURVE_SECRETKEY, e->own.secret_key, MGC_KEY_SIZE - 1);
    assert_int_equal(zmq_connect(raw->socket, mgc_bus_server_endpoint(world->server)), 0);
}

static void raw_close(struct raw *raw)
{
    zmq_close(raw->socket);
    zmq_ctx_term(raw->context);
}

static void raw_send(struct raw *raw, const void *data, size_t len)
{
    assert_int_equal(zmq_send(raw->socket, data, len, 0), len);
}

/* Wait for an answer of this kind; answers of other kinds are passed over. */
static void raw_expect(struct world *world, struct raw *raw, enum mgc_msg_kind kind)
{
    int64_t due_ns = mgc_deadline_in_ms(WORLD_DEADLINE_MS);
    char frame[4096];
    for (;;) {
        struct mgc_msg msg;
        struct mgc_error err = {0};
        if (mgc_deadline_past(due_ns))
            fail_msg("no %s message came", mgc_msg_kind_name(kind));
        world_run_for(world, 5);
        int len = zmq_recv(raw->socket, frame, sizeof(frame), ZMQ_DONTWAIT);
        if (len < 0)
            continue;
        if (!mgc_msg_decode(frame, (size_t)len, &msg, &err))
            fail_msg("%s", err.text);
        bool found = msg.kind == kind;
        mgc_msg_destroy(&msg);
        if (found)
            return;
    }
}

static void test_garbage(void **state)
{
    struct world *world = *state;
    struct raw raw;
    world_join(world);
    raw_open(&raw, world);
    raw_send(&raw, "hello?", 6);
    raw_expect(world, &raw, MGC_MSG_ERROR);
    raw_send(&raw, "", 0);
    raw_expect(world, &raw, MGC_MSG_ERROR);
    raw_send(&raw, "\xdf\xff\xff\xff\xff", 5); /* a map of 4 G entries */
    raw_expect(world, &raw, MGC_MSG_ERROR);
    raw_send(&raw, "\x83\x00\x64\x01\x07\x02\x01", 7); /* kind 100 */
    raw_expect(world, &raw, MGC_MSG_ERROR);
    raw_send(&raw, "\x85\x00\x05\x01\x07\x10\x03\x11\x01\x12\x00", 11); /* ping, epoch 7 */
    raw_expect(world, &raw, MGC_MSG_REJOIN);
    zmq_send(raw.socket, "\x81\x00\x05", 3, ZMQ_SNDMORE);
    zmq_send(raw.socket, "body", 4, ZMQ_SNDMORE);
    raw_send(&raw, "more", 4);
    raw_expect(world, &raw, MGC_MSG_ERROR);
    for (int i = 0; i < 50; i++)
        zmq_send(raw.socket, "many", 4, ZMQ_SNDMORE);
    raw_send(&raw, "parts", 5);
    raw_expect(world, &raw, MGC_MSG_ERROR);
    world_wait(world, &world->seen.refused, 1, "the report");
    assert_int_equal(world->seen.lost, 0);
    world_send_events(&world->worker, 1, 50); /* the session goes on */
    world_wait_messages(world, &world->seen.messages, 50);
    raw_close(&raw);
}

static void test_random_and_oversized_frames(void **state)
{
    struct world *world = *state;
    struct raw raw;
    world_join(world);
    raw_open(&raw, world);
    unsigned seed = 4711;
    char frame[600];
    for (int i = 0; i < 500; i++) {
        for (size_t k = 0; k < sizeof(frame); k++)
            frame[k] = (char)((seed = seed * 1103515245u + 12345u) >> 16);
        if (i % 2)
            frame[0] = (char)(0x80 | (i & 0x0f)); /* looks like a map */
        raw_send(&raw, frame, (size_t)i + 1);
    }
    raw_expect(world, &raw, MGC_MSG_ERROR);
    size_t big = MGC_WIRE_BODY_MAX + 1000; /* past the cap of the socket: libzmq hangs up */
    char *data = calloc(1, big);
    raw_send(&raw, data, big);
    free(data);
    world_run_for(world, 200);
    assert_int_equal(world->seen.lost, 0);
    world_send_events(&world->worker, 1, 50);
    world_wait_messages(world, &world->seen.messages, 50);
    raw_close(&raw);
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, world_setup, world_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_WORLD(test_join_and_talk),
        WITH_WORLD(test_burst),
        WITH_WORLD(test_chunks),
        WITH_WORLD(test_offset_is_known_soon),
        WITH_WORLD(test_two_workers),
        WITH_WORLD(test_idle_session_lives),
        WITH_WORLD(test_bye_of_the_worker),
        WITH_WORLD(test_bye_of_the_coordinator),
        WITH_WORLD(test_fence),
        WITH_WORLD(test_nobody_listens),
        WITH_WORLD(test_second_address_answers),
        WITH_WORLD(test_listener_that_is_no_coordinator),
        WITH_WORLD(test_unknown_key),
        WITH_WORLD(test_revoked_key),
        WITH_WORLD(test_other_coordinator),
        WITH_WORLD(test_version_mismatch),
        WITH_WORLD(test_wrong_role),
        WITH_WORLD(test_second_bind),
        WITH_WORLD(test_key_revoked_while_joined),
        WITH_WORLD(test_hello_again),
        WITH_WORLD(test_worker_falls_silent),
        WITH_WORLD(test_coordinator_falls_silent),
        WITH_WORLD(test_coordinator_killed_and_back),
        WITH_WORLD(test_connection_breaks_session_lives),
        WITH_WORLD(test_garbage),
        WITH_WORLD(test_random_and_oversized_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
