/* Sessions over real sockets on loopback: losing one, by key, silence, death or a broken
 * connection, and coming back. */
#include "tests/unit/bus/world.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "common/base/clock.h"

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

#ifndef _WIN32 /* fork and SIGSTOP: Windows has neither */
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
    assert_int_equal(world->seen.why.code, MGC_E_TIMEOUT);
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
    assert_int_equal(world->worker.seen.why.code, MGC_E_TIMEOUT);
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

enum { FLOOD = 2000, FLOOD_MS = 500, STALL_MS = 5000 };

static void run_flood(struct world *world, unsigned port)
{
    world_start_server(world, port);
    world_wait(world, &world->seen.joined, 1, "the worker joins");
    world_send_cancels(world, 1, FLOOD);
    world_run_for(world, 10 * WORLD_DEADLINE_MS);
}

/* libzmq 4.3.4 ends the process when its heartbeat is due on a broken connection that it does not
 * read any more because the queue is full. That happens in its own thread, which tells nobody when,
 * so this test sleeps. */
static void test_coordinator_killed_while_the_worker_is_busy(void **state)
{
    struct world *world = *state;
    unsigned port = world_free_port();
    pid_t pid = start_child(run_flood, port, world);
    assert_true(pid > 0);
    world_set_address(&world->worker, 0, port);
    world_start_worker(world, &world->worker);
    world_wait(world, &world->worker.seen.joined, 1, "worker joins the child");
    mgc_sleep_ms(FLOOD_MS);
    end_child(pid, SIGKILL);
    mgc_sleep_ms(STALL_MS); /* two heartbeats: at the first it hears that the connection is gone */
    world_wait(world, &world->worker.seen.lost, 1, "silence is noticed");
}
#endif

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

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, world_setup, world_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_WORLD(test_key_revoked_while_joined),
        WITH_WORLD(test_hello_again),
#ifndef _WIN32
        WITH_WORLD(test_worker_falls_silent),
        WITH_WORLD(test_coordinator_falls_silent),
        WITH_WORLD(test_coordinator_killed_and_back),
        WITH_WORLD(test_coordinator_killed_while_the_worker_is_busy),
#endif
        WITH_WORLD(test_connection_breaks_session_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
