/* A worker with the right key that talks nonsense: it is told, and others do not notice. */
#include "tests/unit/bus/world.h"

#include <stdlib.h>
#include <string.h>

#include <zmq.h>

#include "common/base/clock.h"

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

/* Another version's hello is told of the versions, whatever else it has or lacks. */
static void test_hello_of_another_version(void **state)
{
    static const char lacking[] = "\x84\x00\x01\x01\x07\x10\x08\x11\x09";
    static const char changed[] = "\x86\x00\x01\x01\x07\x12\x03\x10\x08\x11\x09\xcc\xc8\xc3";
    struct world *world = *state;
    struct raw raw;
    world_start_server(world, 0);
    raw_open(&raw, world);
    raw_send(&raw, lacking, sizeof(lacking) - 1);
    raw_expect(world, &raw, MGC_MSG_REFUSE);
    world_wait(world, &world->seen.refused, 1, "the report");
    assert_non_null(strstr(world->seen.why.text, "speaks 1 to 1, worker 8 to 9"));
    raw_send(&raw, changed, sizeof(changed) - 1); /* role is a number, key 200 is unknown */
    raw_expect(world, &raw, MGC_MSG_REFUSE);
    raw_close(&raw);
}

/* The first builds of protocol 1 had no leases. */
static void test_hello_without_lease_epoch(void **state)
{
    static const char hello[] = "\x89\x00\x01\x01\x07\x10\x01\x11\x01\x12\xa3wsl\x13\xa3old"
                                "\x14\xa3p\x1b"
                                "c\x15\xa5Linux\x16\xa1i";
    struct world *world = *state;
    struct raw raw;
    world_start_server(world, 0);
    raw_open(&raw, world);
    raw_send(&raw, hello, sizeof(hello) - 1);
    raw_expect(world, &raw, MGC_MSG_WELCOME);
    world_wait(world, &world->seen.joined, 1, "the session");
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
        WITH_WORLD(test_garbage),
        WITH_WORLD(test_hello_of_another_version),
        WITH_WORLD(test_hello_without_lease_epoch),
        WITH_WORLD(test_random_and_oversized_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
