/* A ring between two threads, and what a consumer makes of a broken one. */
#include "tests/lib/check.h"

#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "lab/replay/record.h"
#include "lab/replay/ring.h"
#include "lab/replay/thread.h"

enum { LONG_MS = 60000 };

struct pair {
    int fds[2];
    struct mgr_ring client, server;
    struct mgr_bell client_bell, server_bell;
};

static void pair_init(struct pair *pair, int64_t stage_mb)
{
    memset(pair, 0, sizeof(*pair));
    for (int i = 0; i < 2; i++)
        assert_true((pair->fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) >= 0);
    assert_true(mgr_ring_create(&pair->client, 1, stage_mb, NULL));
    pair->server = pair->client;
    pair->client_bell =
        (struct mgr_bell){.ring_fd = pair->fds[1], .wait_fd = pair->fds[0], .peer_fd = -1};
    pair->server_bell =
        (struct mgr_bell){.ring_fd = pair->fds[0], .wait_fd = pair->fds[1], .peer_fd = -1};
    mgr_ring_bell_client(&pair->client, &pair->client_bell);
    mgr_ring_bell_server(&pair->server, &pair->server_bell);
}

static void pair_destroy(struct pair *pair)
{
    mgr_ring_close(&pair->client);
    for (int i = 0; i < 2; i++)
        close(pair->fds[i]);
}

/* The consumer adds up what it gets until BYE. */
struct consumer {
    struct pair *pair;
    uint64_t records, bytes, wrong;
    bool ok;
};

static void consume(void *arg)
{
    struct consumer *consumer = arg;
    struct pair *pair = consumer->pair;
    enum mgr_entry kind;
    const uint8_t *data;
    size_t len;
    while (mgr_ring_take(
        &pair->server, &pair->server_bell, &kind, &data, &len, mgc_deadline_in_ms(LONG_MS), NULL)) {
        consumer->ok = kind == MGR_ENTRY_BYE;
        if (!consumer->ok) {
            uint32_t stated;
            memcpy(&stated, data, sizeof(stated));
            uint8_t tone = (uint8_t)consumer->records;
            consumer->records++;
            consumer->bytes += stated;
            consumer->wrong += stated > len || (stated > 4 && data[stated - 1] != tone);
        }
        mgr_ring_done(&pair->server, &pair->server_bell);
        if (consumer->ok)
            return;
    }
}

/* A record of `size` bytes that says so and ends with its number. */
static bool put(struct pair *pair, uint8_t *buf, uint32_t size, uint8_t tone)
{
    memcpy(buf, &size, sizeof(size));
    buf[size - 1] = tone;
    return mgr_ring_put_record(
        &pair->client, &pair->client_bell, buf, size, mgc_deadline_in_ms(LONG_MS), NULL);
}

/* Sizes on either side of the stage's limit, many times around ring and stage. */
static void test_much_goes_round_and_arrives_whole(void **state)
{
    static uint8_t buf[1 << 20];
    struct pair pair;
    pair_init(&pair, 2);
    struct consumer consumer = {.pair = &pair};
    struct mgr_thread thread = {.name = "consumer", .main = consume, .arg = &consumer};
    assert_true(mgr_thread_start(&thread, NULL));
    uint64_t bytes = 0;
    for (int i = 0; i < 3000; i++) {
        uint32_t size = i % 50 == 49 ? 700001 : 8 + (uint32_t)(i * 7919) % 20000;
        assert_true(put(&pair, buf, size, (uint8_t)i));
        bytes += size;
    }
    assert_true(mgr_ring_drain(&pair.client, &pair.client_bell, mgc_deadline_in_ms(LONG_MS), NULL));
    assert_true(mgr_ring_put_mark(
        &pair.client, &pair.client_bell, MGR_ENTRY_BYE, mgc_deadline_in_ms(LONG_MS), NULL));
    mgr_thread_join(&thread);
    assert_true(consumer.ok);
    assert_int_equal(consumer.records, 3000);
    assert_int_equal(consumer.bytes, bytes);
    assert_int_equal(consumer.wrong, 0);
    assert_true(pair.client.wraps > 5 && pair.client.pads > 0);
    assert_true(pair.client.stage_bytes >= 60 * 700001);
    pair_destroy(&pair);
}

static void test_a_full_ring_times_out(void **state)
{
    static uint8_t buf[16000];
    struct pair pair;
    struct mgc_error err = {0};
    pair_init(&pair, 1);
    int count = 0;
    while (mgr_ring_put_record(&pair.client, &pair.client_bell, buf, sizeof(buf),
        mgc_deadline_in_ms(count < 60 ? LONG_MS : 1), &err))
        count++;
    assert_int_equal(count, (1 << 20) / (sizeof(buf) + MGR_ENTRY_HEAD));
    assert_int_equal(err.code, MGC_E_TIMEOUT);
    assert_int_equal(pair.client.waits, 1);
    pair_destroy(&pair);
}

static void test_too_large_for_the_stage(void **state)
{
    static uint8_t buf[(1 << 20) + 1];
    struct pair pair;
    struct mgc_error err = {0};
    pair_init(&pair, 1);
    assert_false(mgr_ring_put_record(
        &pair.client, &pair.client_bell, buf, sizeof(buf), mgc_deadline_in_ms(LONG_MS), &err));
    assert_int_equal(err.code, MGC_E_USAGE);
    pair_destroy(&pair);
}

static void test_a_consumer_that_failed_is_lost(void **state)
{
    uint8_t buf[64] = {0};
    struct pair pair;
    struct mgc_error err = {0};
    pair_init(&pair, 1);
    assert_true(put(&pair, buf, sizeof(buf), 0));
    mgr_ring_fail(&pair.server, &pair.server_bell);
    assert_false(mgr_ring_drain(&pair.client, &pair.client_bell, MGC_NEVER, &err));
    assert_int_equal(err.code, MGC_E_LOST);
    pair_destroy(&pair);
}

/* Words at the start of a ring that no producer of ours would write. */
static void test_broken_entries(void **state)
{
    static const struct {
        uint32_t words[6];
        uint64_t published;
    } cases[] = {
        {{0, 1}, 8},                                           /* no size */
        {{12, 1}, 16},                                         /* not a multiple of 8 */
        {{64, 1}, 32},                                         /* more than was published */
        {{16, 9}, 16},                                         /* unknown kind */
        {{16, MGR_ENTRY_STAGED}, 16},                          /* no place */
        {{24, MGR_ENTRY_STAGED, 0, 0, 1 << 21, 0}, 24},        /* longer than the stage */
        {{24, MGR_ENTRY_STAGED, (1 << 20) - 8, 0, 16, 0}, 24}, /* over its end */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pair pair;
        struct mgc_error err = {0};
        enum mgr_entry kind;
        const uint8_t *data;
        size_t len;
        pair_init(&pair, 1);
        memcpy((uint8_t *)pair.client.head + MGR_RING_PAGE, cases[i].words, sizeof(cases[i].words));
        atomic_store(&pair.client.head->published, cases[i].published);
        assert_false(
            mgr_ring_take(&pair.server, &pair.server_bell, &kind, &data, &len, MGC_NEVER, &err));
        assert_int_equal(err.code, MGC_E_PROTOCOL);
        pair_destroy(&pair);
    }
}

static void test_a_memfd_is_mapped_again(void **state)
{
    struct mgr_ring one, two;
    int fd;
    assert_true(mgr_ring_create_shared(&one, 1, 2, &fd, NULL));
    assert_true(mgr_ring_map(&two, fd, NULL));
    assert_int_equal(two.stage_size, 2 << 20);
    mgr_ring_reply(&one)[5] = 77;
    assert_int_equal(mgr_ring_reply(&two)[5], 77);
    mgr_ring_close(&two);
    one.head->stage_size++; /* the file is no longer what its head says */
    assert_false(mgr_ring_map(&two, fd, NULL));
    assert_null(two.head);
    one.head->ring_size = 3 << 20; /* fits, and leaves nothing for the stage */
    one.head->stage_size = 0;
    assert_false(mgr_ring_map(&two, fd, NULL));
    mgr_ring_close(&one);
    assert_int_equal(ftruncate(fd, 100), 0);
    assert_false(mgr_ring_map(&two, fd, NULL));
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_much_goes_round_and_arrives_whole),
        cmocka_unit_test(test_a_full_ring_times_out),
        cmocka_unit_test(test_too_large_for_the_stage),
        cmocka_unit_test(test_a_consumer_that_failed_is_lost),
        cmocka_unit_test(test_broken_entries),
        cmocka_unit_test(test_a_memfd_is_mapped_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
