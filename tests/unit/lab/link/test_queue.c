/* The link's scheduling with a clock that the test turns. */
#include "lab/link/queue.h"

#include "common/base/clock.h"
#include "tests/lib/check.h"

#define MS MGC_NS_PER_MS

/* 12 Mbit/s: a packet of 1500 bytes takes 1 ms. */
enum { PACKET = 1500, BITS = 6, SLOTS = 1 << BITS };
#define RATE 12000000

struct one {
    struct mgc_lab_link_profile profile;
    int64_t active_ns;
    struct mgc_lab_link_queue queue;
    char packets[SLOTS * 4]; /* only their addresses count */
};

static int setup(void **state)
{
    static struct one one;
    one = (struct one){.profile = {.rate_bps = RATE, .delay_ns = 10 * MS, .queue_bytes = 1 << 20}};
    const struct mgc_lab_link_queue_setup with = {&one.profile, &one.active_ns, 1, true};
    *state = &one;
    return mgc_lab_link_queue_init(&one.queue, &with, BITS, NULL) ? 0 : -1;
}

static int teardown(void **state)
{
    mgc_lab_link_queue_destroy(&((struct one *)*state)->queue);
    return 0;
}

static bool offer(struct one *one, int index, int64_t now_ns)
{
    return mgc_lab_link_queue_offer(&one->queue, &one->packets[index], PACKET, now_ns);
}

/* Which packet comes out now; -1: none. */
static int take(struct one *one, int64_t now_ns)
{
    char *packet = mgc_lab_link_queue_take(&one->queue, now_ns);
    return packet != NULL ? (int)(packet - one->packets) : -1;
}

/* Turn the clock to the next event until a packet comes out; when that was. */
static int64_t next_out(struct one *one, int64_t now_ns, int *ret_index)
{
    while ((*ret_index = take(one, now_ns)) < 0) {
        int64_t next = mgc_lab_link_queue_next(&one->queue, now_ns);
        assert_true(next > now_ns && next != MGC_NEVER);
        now_ns = next;
    }
    return now_ns;
}

static void a_packet_takes_its_sending_time_and_the_delay(void **state)
{
    struct one *one = *state;
    assert_int_equal(mgc_lab_link_queue_next(&one->queue, 0), MGC_NEVER);
    assert_true(offer(one, 0, 5 * MS));
    assert_int_equal(take(one, 5 * MS), -1);
    assert_int_equal(mgc_lab_link_queue_next(&one->queue, 5 * MS), 16 * MS);
    assert_int_equal(take(one, 16 * MS - 1), -1);
    assert_int_equal(take(one, 16 * MS), 0);
    assert_int_equal(mgc_lab_link_queue_next(&one->queue, 16 * MS), MGC_NEVER);
}

static void packets_follow_each_other_at_the_rate(void **state)
{
    struct one *one = *state;
    int index;
    for (int i = 0; i < 20; i++)
        assert_true(offer(one, i, 0));
    for (int i = 0; i < 20; i++) {
        assert_int_equal(next_out(one, 0, &index), (11 + i) * MS);
        assert_int_equal(index, i);
    }
}

/* A late look changes nothing: due times come from the schedule, not from when it was asked. */
static void who_looks_late_gets_all_that_was_due(void **state)
{
    struct one *one = *state;
    for (int i = 0; i < 20; i++)
        assert_true(offer(one, i, 0));
    for (int i = 0; i < 10; i++)
        assert_int_equal(take(one, 20 * MS), i);
    assert_int_equal(take(one, 20 * MS), -1);
    assert_int_equal(mgc_lab_link_queue_next(&one->queue, 20 * MS), 21 * MS);
}

static void jitter_delays_but_never_lets_overtake(void **state)
{
    struct one *one = *state;
    int64_t last = 0, least = INT64_MAX, most = 0;
    int index;
    one->profile.jitter_ns = 20 * MS;
    for (int i = 0; i < 200; i++) {
        int64_t now = i * 2 * MS;
        assert_true(offer(one, i, now));
        int64_t out = next_out(one, now > last ? now : last, &index);
        assert_int_equal(index, i);
        assert_true(out >= last && out - now >= 11 * MS && out - now <= 31 * MS);
        least = out - now < least ? out - now : least;
        most = out - now > most ? out - now : most;
        last = out;
    }
    assert_true(least < 20 * MS && most > 22 * MS);
}

static void what_finds_the_queue_full_is_dropped_and_the_rest_passes(void **state)
{
    struct one *one = *state;
    one->profile.queue_bytes = 4 * PACKET;
    /* The first is sent at once, so it does not wait. */
    for (int i = 0; i < 7; i++)
        assert_int_equal(offer(one, i, 0), i < 5);
    assert_int_equal(one->queue.refused_full, 2);
    assert_true(offer(one, 7, MS)); /* one has been sent since */
    assert_false(offer(one, 8, MS));
    int index, expected[] = {0, 1, 2, 3, 4, 7};
    for (size_t i = 0; i < 6; i++) {
        next_out(one, 0, &index);
        assert_int_equal(index, expected[i]);
    }
}

static void a_full_ring_drops_too(void **state)
{
    struct one *one = *state;
    for (int i = 0; i < SLOTS; i++)
        assert_true(offer(one, i, 0));
    assert_false(offer(one, SLOTS, 0));
    assert_int_equal(take(one, 11 * MS), 0);
    assert_true(offer(one, SLOTS, 11 * MS));
}

static void random_loss_is_about_what_was_asked(void **state)
{
    struct one *one = *state;
    int lost = 0;
    one->profile.loss_ppm = 200000;
    for (int i = 0; i < 2000; i++) {
        int64_t now = i * 20 * MS;
        lost += !offer(one, i % SLOTS, now);
        take(one, now + 15 * MS);
    }
    assert_in_range(lost, 300, 500);
    assert_int_equal(one->queue.refused_lost, lost);
}

/* Nothing leaves in a stall; the bytes that wait are kept, and leave after it at the rate. */
static void a_stall_holds_packets_back_and_drops_none(void **state)
{
    struct one *one = *state;
    int index;
    one->profile.stall.every_ns = 100 * MS;
    one->profile.stall.min_ns = one->profile.stall.max_ns = 40 * MS;
    mgc_lab_link_queue_renew(&one->queue, 1, 0);
    int64_t begin = one->queue.mood.stall_begin_ns, end = one->queue.mood.stall_end_ns;
    assert_int_equal(end - begin, 40 * MS);
    for (int i = 0; i < 10; i++)
        assert_true(offer(one, i, begin + i * MS));
    assert_int_equal(mgc_lab_link_queue_next(&one->queue, begin + 10 * MS), end);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(next_out(one, begin + 10 * MS, &index), end + (11 + i) * MS);
        assert_int_equal(index, i);
    }
}

static void a_dozing_phone_is_reached_at_a_beacon_and_then_stays_awake(void **state)
{
    struct one *one = *state;
    int index;
    one->profile.doze.idle_ns = 200 * MS;
    one->profile.doze.beacon_ns = 100 * MS;
    assert_true(offer(one, 0, 150 * MS)); /* not yet asleep */
    assert_int_equal(next_out(one, 150 * MS, &index), 161 * MS);
    assert_true(offer(one, 1, 410 * MS));
    assert_int_equal(next_out(one, 410 * MS, &index), 511 * MS);
    assert_true(offer(one, 2, 530 * MS));
    assert_int_equal(next_out(one, 530 * MS, &index), 541 * MS);
}

/* What the phone sends itself goes at once, and wakes it. */
static void a_dozing_phone_sends_when_it_likes(void **state)
{
    struct one *one = *state;
    int index;
    one->profile.doze.idle_ns = 200 * MS;
    one->profile.doze.beacon_ns = 100 * MS;
    one->queue.to_phone = false;
    assert_true(offer(one, 0, 410 * MS));
    assert_int_equal(next_out(one, 410 * MS, &index), 421 * MS);
    one->queue.to_phone = true;
    assert_true(offer(one, 1, 430 * MS));
    assert_int_equal(next_out(one, 430 * MS, &index), 441 * MS);
}

static void a_new_profile_concerns_all_that_waits(void **state)
{
    struct one *one = *state;
    int index;
    for (int i = 0; i < 3; i++)
        assert_true(offer(one, i, 0)); /* the first is on its way */
    one->profile.delay_ns = 100 * MS;
    one->profile.rate_bps = 2 * RATE;
    mgc_lab_link_queue_renew(&one->queue, 2, 0);
    assert_int_equal(next_out(one, 0, &index), 11 * MS);
    assert_int_equal(next_out(one, 0, &index), 100 * MS + MS / 2);
    assert_int_equal(next_out(one, 0, &index), 101 * MS);
}

static void a_shorter_delay_lets_nothing_overtake(void **state)
{
    struct one *one = *state;
    int index;
    assert_true(offer(one, 0, 0));
    one->profile.delay_ns = 0;
    mgc_lab_link_queue_renew(&one->queue, 2, 0);
    assert_true(offer(one, 1, 0));
    assert_int_equal(next_out(one, 0, &index), 11 * MS);
    assert_int_equal(index, 0);
    assert_int_equal(next_out(one, 0, &index), 11 * MS);
    assert_int_equal(index, 1);
}

static void a_cut_link_gives_back_every_packet_once(void **state)
{
    struct one *one = *state;
    char *packet;
    int count = 0;
    for (int i = 0; i < 10; i++)
        assert_true(offer(one, i, 0));
    while ((packet = mgc_lab_link_queue_drop(&one->queue)) != NULL)
        assert_ptr_equal(packet, &one->packets[count++]);
    assert_int_equal(count, 10);
    assert_int_equal(one->queue.waiting_bytes, 0);
    assert_int_equal(take(one, 1000 * MS), -1);
    assert_int_equal(mgc_lab_link_queue_next(&one->queue, 1000 * MS), MGC_NEVER);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_packet_takes_its_sending_time_and_the_delay),
        TEST(packets_follow_each_other_at_the_rate),
        TEST(who_looks_late_gets_all_that_was_due),
        TEST(jitter_delays_but_never_lets_overtake),
        TEST(what_finds_the_queue_full_is_dropped_and_the_rest_passes),
        TEST(a_full_ring_drops_too),
        TEST(random_loss_is_about_what_was_asked),
        TEST(a_stall_holds_packets_back_and_drops_none),
        TEST(a_dozing_phone_is_reached_at_a_beacon_and_then_stays_awake),
        TEST(a_dozing_phone_sends_when_it_likes),
        TEST(a_new_profile_concerns_all_that_waits),
        TEST(a_shorter_delay_lets_nothing_overtake),
        TEST(a_cut_link_gives_back_every_packet_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
