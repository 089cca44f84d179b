#include "tests/lib/check.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/wire/reliable.h"

enum { RESEND_MS = 100 };

static const int64_t MS = 1000000;

static void push_number(struct mgc_outbox *box, uint64_t number, int64_t now)
{
    assert_int_equal(mgc_outbox_next_mid(box), number);
    struct mgc_error err = {0};
    if (!mgc_outbox_push(box, &number, sizeof(number), now, &err))
        fail_msg("%s", err.text);
}

/* A list of numbers that were sent. */
struct sent {
    uint64_t numbers[8192];
    size_t count;
};

static void record(void *user, const void *frame, size_t len)
{
    struct sent *sent = user;
    assert_int_equal(len, sizeof(uint64_t));
    assert_true(sent->count < 8192);
    memcpy(&sent->numbers[sent->count++], frame, len);
}

static void test_repeats_with_backoff_until_acked(void **state)
{
    struct mgc_outbox *box = mgc_outbox_new(RESEND_MS);
    struct sent *sent = calloc(1, sizeof(*sent));
    assert_true(mgc_outbox_due(box) == MGC_NEVER);
    push_number(box, 1, 0);
    push_number(box, 2, 50 * MS);
    assert_int_equal(mgc_outbox_due(box), 100 * MS); /* counted from the oldest */

    mgc_outbox_repeat(box, 99 * MS, record, sent);
    assert_int_equal(sent->count, 0);
    static const int64_t dues_ms[] = {100, 300, 700, 1500, 2300, 3100}; /* doubled, up to 8 times */
    for (size_t i = 0; i < sizeof(dues_ms) / sizeof(dues_ms[0]); i++) {
        assert_int_equal(mgc_outbox_due(box), dues_ms[i] * MS);
        mgc_outbox_repeat(box, dues_ms[i] * MS, record, sent);
        assert_int_equal(sent->count, 2 * (i + 1));
        assert_int_equal(sent->numbers[2 * i], 1);
        assert_int_equal(sent->numbers[2 * i + 1], 2);
    }
    mgc_outbox_acked(box, 1, 4000 * MS); /* progress: patience starts anew */
    assert_int_equal(mgc_outbox_pending(box), 1);
    assert_int_equal(mgc_outbox_due(box), 4100 * MS);
    mgc_outbox_acked(box, 1, 4050 * MS); /* an old ack is no progress */
    assert_int_equal(mgc_outbox_due(box), 4100 * MS);
    mgc_outbox_acked(box, 99, 4060 * MS); /* an ack of what was never sent frees what there is */
    assert_int_equal(mgc_outbox_pending(box), 0);
    assert_true(mgc_outbox_due(box) == MGC_NEVER);
    assert_int_equal(mgc_outbox_next_mid(box), 3);
    mgc_outbox_free(box);
    free(sent);
}

static void test_bounds(void **state)
{
    struct mgc_outbox *box = mgc_outbox_new(RESEND_MS);
    struct mgc_error err = {0};
    for (uint64_t i = 1; i <= 4096; i++)
        push_number(box, i, 0);
    assert_false(mgc_outbox_push(box, "x", 1, 0, &err));
    assert_int_equal(err.code, MGC_E_NO_MEMORY);
    mgc_outbox_acked(box, 1, 0);
    push_number(box, 4097, 0);
    mgc_outbox_free(box);

    box = mgc_outbox_new(RESEND_MS);
    char *big = calloc(1, 8 << 20);
    assert_true(mgc_outbox_push(box, big, 8 << 20, 0, &err));
    assert_true(mgc_outbox_push(box, big, 8 << 20, 0, &err));
    assert_false(mgc_outbox_push(box, big, 1, 0, &err));
    assert_int_equal(mgc_outbox_pending(box), 2);
    free(big);
    mgc_outbox_free(box);
    mgc_outbox_free(NULL);
}

static void test_inbox(void **state)
{
    struct mgc_inbox inbox = {0};
    assert_int_equal(mgc_inbox_take(&inbox, 0), MGC_INBOX_DUPLICATE);
    assert_int_equal(mgc_inbox_take(&inbox, 2), MGC_INBOX_GAP);
    assert_int_equal(mgc_inbox_take(&inbox, 1), MGC_INBOX_DELIVER);
    assert_int_equal(mgc_inbox_take(&inbox, 1), MGC_INBOX_DUPLICATE);
    assert_int_equal(mgc_inbox_take(&inbox, 3), MGC_INBOX_GAP);
    assert_int_equal(mgc_inbox_take(&inbox, 2), MGC_INBOX_DELIVER);
    assert_int_equal(mgc_inbox_take(&inbox, UINT64_MAX), MGC_INBOX_GAP);
    assert_int_equal(inbox.last, 2);
}

/* A channel that loses, doubles and reorders, with a clock that only the test moves. */
struct packet {
    uint64_t value;
    int64_t at;
};
struct channel {
    struct packet packets[65536];
    size_t count;
    int64_t now;
    unsigned seed;
    unsigned loss_percent;
};

static unsigned roll(struct channel *channel)
{
    channel->seed = channel->seed * 1103515245u + 12345u;
    return (channel->seed >> 16) % 100;
}

static void put(struct channel *channel, uint64_t value)
{
    unsigned copies = roll(channel) < channel->loss_percent ? 0 : roll(channel) < 10 ? 2 : 1;
    while (copies--) {
        assert_true(channel->count < 65536);
        channel->packets[channel->count++] =
            (struct packet){value, channel->now + (1 + roll(channel)) * MS};
    }
}

static bool take(struct channel *channel, uint64_t *ret_value)
{
    for (size_t i = 0; i < channel->count; i++) {
        if (channel->packets[i].at > channel->now)
            continue;
        *ret_value = channel->packets[i].value;
        channel->packets[i] = channel->packets[--channel->count];
        return true;
    }
    return false;
}

static void put_frame(void *user, const void *frame, size_t len)
{
    uint64_t value;
    assert_int_equal(len, sizeof(value));
    memcpy(&value, frame, sizeof(value));
    put(user, value);
}

static void run_channel(unsigned seed, unsigned loss_percent)
{
    enum { MESSAGES = 500 };
    struct mgc_outbox *box = mgc_outbox_new(RESEND_MS);
    struct mgc_inbox inbox = {0};
    struct channel *there = calloc(1, sizeof(*there)), *back = calloc(1, sizeof(*back));
    there->seed = seed;
    back->seed = seed + 1;
    there->loss_percent = back->loss_percent = loss_percent;
    uint64_t next = 1, value, delivered = 0;
    int64_t now = 0;
    for (; delivered < MESSAGES || mgc_outbox_pending(box); now += MS) {
        assert_true(now < 3600 * 1000 * MS); /* an hour of that clock: it must get through */
        there->now = back->now = now;
        if (next <= MESSAGES && mgc_outbox_pending(box) < 20) {
            push_number(box, next, now);
            put(there, next++);
        }
        mgc_outbox_repeat(box, now, put_frame, there);
        while (take(there, &value)) {
            if (mgc_inbox_take(&inbox, value) == MGC_INBOX_DELIVER)
                assert_int_equal(value, ++delivered); /* in order, none twice, none lost */
            put(back, inbox.last);
        }
        while (take(back, &value))
            mgc_outbox_acked(box, value, now);
    }
    assert_int_equal(delivered, MESSAGES);
    mgc_outbox_free(box);
    free(there);
    free(back);
}

static void test_lossy_channel(void **state)
{
    for (unsigned seed = 1; seed <= 5; seed++) {
        run_channel(seed, 0);
        run_channel(seed, 20);
        run_channel(seed, 60);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeats_with_backoff_until_acked),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_inbox),
        cmocka_unit_test(test_lossy_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
