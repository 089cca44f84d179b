/* The artifact sender against a receiver that loses, repeats and cuts credit. */
#include "tests/lib/check.h"

#include "common/task/sender.h"
#include "tests/unit/task/results_fixture.h"

enum { SIZE = 500 * 1000 };

struct receiver {
    char *data;        /* what arrived without a gap */
    uint64_t received; /* its length */
    uint64_t limit;
    uint64_t in_flight_max;
    int chunks, fail_at; /* the send of chunk number fail_at fails; 0: none */
    int lose_at;         /* chunk number lose_at vanishes; 0: none */
};

struct fixture {
    struct receiver receiver;
    struct mgc_results *results;
    struct mgc_sender *sender;
    char *content;
};

static bool take(void *user, struct mgc_msg *msg, struct mgc_error *err)
{
    struct receiver *r = user;
    assert_int_equal(msg->kind, MGC_MSG_CHUNK);
    assert_true(msg->body_len > 0 && msg->body_len <= MGC_CHUNK_MAX);
    uint64_t end = msg->chunk.offset + msg->body_len;
    assert_true(end <= r->limit);
    if (end - r->received > r->in_flight_max)
        r->in_flight_max = end - r->received;
    r->chunks++;
    if (r->chunks == r->fail_at)
        return mgc_error_set(err, MGC_E_LOST, "no session");
    if (r->chunks == r->lose_at || msg->chunk.offset != r->received)
        return true; /* lost, or behind a gap: the receiver throws it away */
    memcpy(r->data + msg->chunk.offset, msg->body, msg->body_len);
    r->received = end;
    return true;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    if (tmpdir_setup(NULL) != 0)
        return -1;
    f->content = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        f->content[i] = (char)(i * 7 + i / 251);
    f->receiver.data = calloc(1, SIZE);
    f->results = results_open(0);
    results_put(f->results, 1, "big.bin", f->content, SIZE);
    f->sender = mgc_sender_new(take, &f->receiver);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    mgc_sender_free(f->sender);
    mgc_results_free(f->results);
    free(f->receiver.data);
    free(f->content);
    free(f);
    return tmpdir_teardown(NULL);
}

static bool credit(struct fixture *f, uint64_t received, uint64_t limit, struct mgc_error *err)
{
    struct mgc_msg_credit msg = {
        .task_id = 1, .name = (char *)"big.bin", .received = received, .limit = limit};
    f->receiver.limit = limit;
    return mgc_sender_credit(f->sender, f->results, &msg, err);
}

static void assert_complete(struct fixture *f)
{
    assert_int_equal(f->receiver.received, SIZE);
    assert_memory_equal(f->receiver.data, f->content, SIZE);
}

static void stays_within_the_credit(void **state)
{
    struct fixture *f = *state;
    while (f->receiver.received < SIZE)
        assert_true(credit(f, f->receiver.received, f->receiver.received + 100000, NULL));
    assert_complete(f);
    assert_true(f->receiver.in_flight_max <= 100000);
}

static void sends_no_byte_twice_when_credit_overlaps(void **state)
{
    struct fixture *f = *state;
    assert_true(credit(f, 0, 200000, NULL));
    assert_int_equal(f->receiver.received, 200000);
    /* The coordinator credits more while it has only heard of half. */
    assert_true(credit(f, 100000, 300000, NULL));
    assert_int_equal(f->receiver.received, 300000);
    assert_int_equal(f->receiver.chunks, 3);
    assert_true(credit(f, 300000, (uint64_t)1 << 40, NULL));
    assert_complete(f);
}

static void goes_back_on_a_repeated_credit(void **state)
{
    struct fixture *f = *state;
    f->receiver.lose_at = 2;
    assert_true(credit(f, 0, SIZE, NULL));
    assert_int_equal(f->receiver.received, MGC_CHUNK_MAX);
    uint64_t had = f->receiver.received;
    assert_true(credit(f, had, SIZE, NULL)); /* progress, nothing new allowed: nothing is sent */
    assert_int_equal(f->receiver.received, had);
    assert_true(credit(f, had, SIZE, NULL)); /* the same again: what came after it was lost */
    assert_complete(f);
}

static void resumes_where_a_new_session_says(void **state)
{
    struct fixture *f = *state;
    assert_true(credit(f, 0, 250000, NULL));
    mgc_sender_reset(f->sender);
    f->receiver.received = 123456; /* the coordinator lost its tail */
    assert_true(credit(f, 123456, SIZE, NULL));
    assert_complete(f);
}

static void goes_on_after_a_failed_send(void **state)
{
    struct fixture *f = *state;
    struct mgc_error err = {0};
    f->receiver.fail_at = 2;
    assert_false(credit(f, 0, SIZE, &err));
    assert_int_equal(err.code, MGC_E_LOST);
    assert_true(credit(f, f->receiver.received, SIZE, NULL));
    assert_complete(f);
}

static void refuses_what_it_does_not_have(void **state)
{
    struct fixture *f = *state;
    struct mgc_error err = {0};
    struct mgc_msg_credit msg = {.task_id = 1, .name = (char *)"../result", .limit = 10};
    assert_false(mgc_sender_credit(f->sender, f->results, &msg, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    assert_false(credit(f, SIZE + 1, SIZE + 2, &err));
    assert_int_equal(err.code, MGC_E_PROTOCOL);
    assert_int_equal(f->receiver.chunks, 0);
}

static void tells_of_a_file_that_shrank(void **state)
{
    struct fixture *f = *state;
    struct mgc_error err = {0};
    put_file(tmpdir_file("results/0000000000000001/files/big.bin"), "short", 5);
    assert_false(credit(f, 0, SIZE, &err));
    assert_int_equal(err.code, MGC_E_IO);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(stays_within_the_credit),
        CASE(sends_no_byte_twice_when_credit_overlaps),
        CASE(goes_back_on_a_repeated_credit),
        CASE(resumes_where_a_new_session_says),
        CASE(goes_on_after_a_failed_send),
        CASE(refuses_what_it_does_not_have),
        CASE(tells_of_a_file_that_shrank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
