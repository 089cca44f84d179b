/* Sessions over real sockets on loopback: joining, talking, ending, refusing. */
#include "tests/unit/bus/world.h"

#include <stdlib.h>
#include <string.h>

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
    /* One that is late on a busy machine is not waited for; then it is silence that ends it. */
    if (world->worker.seen.why.code != MGC_E_TIMEOUT)
        assert_int_equal(world->worker.seen.why.code, MGC_E_LOST);
    struct mgc_msg msg = {.kind = MGC_MSG_EVENT, .event = {.name = (char *)"n"}};
    assert_false(mgc_bus_client_send(world->worker.client, &msg, &err));
    assert_int_equal(err.code, MGC_E_LOST);
    uint64_t before = world->worker.seen.epoch;
    world_start_server(world, port);
    world_wait(world, &world->worker.seen.joined, 2, "worker joins the next one");
    assert_true(world->worker.seen.epoch != before);
}

static void test_hello_is_brought_up_to_date_before_it_is_said(void **state)
{
    struct world *world = *state;
    world_join(world);
    assert_int_equal(world->seen.greetings, 1);
    unsigned port = world_port(world);
    world_stop_server(world);
    world_wait(world, &world->worker.seen.lost, 1, "worker hears goodbye");
    world_start_server(world, port);
    world_wait(world, &world->seen.joined, 2, "server sees it join again");
    assert_true(world->seen.greetings > 1);
    assert_int_equal(world->seen.greetings, world->worker.seen.greetings);
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

static void test_pause(void **state)
{
    struct world *world = *state;
    world_start_server(world, 0);
    world_start_worker(world, &world->worker);
    struct mgc_bus_client *client = world->worker.client;
    assert_true(mgc_bus_client_pause(client));
    assert_false(mgc_bus_client_pause(client));
    world_run_for(world, 500);
    assert_int_equal(world->worker.seen.joined, 0);
    mgc_bus_client_resume(client);
    world_wait(world, &world->worker.seen.joined, 1, "worker joins after the pause");
    assert_false(mgc_bus_client_pause(client)); /* a session is not broken for it */
    assert_true(mgc_bus_client_joined(client));
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
        WITH_WORLD(test_hello_is_brought_up_to_date_before_it_is_said),
        WITH_WORLD(test_fence),
        WITH_WORLD(test_pause),
        WITH_WORLD(test_nobody_listens),
        WITH_WORLD(test_second_address_answers),
        WITH_WORLD(test_listener_that_is_no_coordinator),
        WITH_WORLD(test_unknown_key),
        WITH_WORLD(test_revoked_key),
        WITH_WORLD(test_other_coordinator),
        WITH_WORLD(test_version_mismatch),
        WITH_WORLD(test_wrong_role),
        WITH_WORLD(test_second_bind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
