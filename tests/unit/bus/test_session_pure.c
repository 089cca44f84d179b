/* Two sessions joined by a wire that the test holds in its hand; no sockets, no real time. */
#include "tests/lib/check.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/bus/session.h"

static const int64_t MS = 1000000;

struct side {
    struct mgc_session session;
    struct side *peer;
    bool cut; /* the wire from here loses everything */
    int64_t *now_ns;
    uint64_t got[64]; /* task ids, in order */
    size_t got_count;
    int bad, ended;
    enum mgc_msg_kind last_unreliable;
};

struct frame {
    struct side *to;
    struct mgc_buf bytes;
};

struct link {
    struct side worker, coordinator;
    int64_t now_ns;
};

static struct frame wire[256];
static size_t wire_count;

static void receive(struct side *side, const void *header, size_t len)
{
    struct mgc_msg msg;
    struct mgc_error err = {0};
    assert_true(mgc_msg_decode(header, len, &msg, &err));
    switch (mgc_session_take(&side->session, &msg, *side->now_ns, &err)) {
    case MGC_SESSION_DELIVER:
        if (msg.mid)
            side->got[side->got_count++] = msg.event.task_id; /* first member of each kind used */
        else
            side->last_unreliable = msg.kind;
        break;
    case MGC_SESSION_DONE:
        break;
    case MGC_SESSION_ENDED:
        side->ended++;
        break;
    case MGC_SESSION_BAD:
        side->bad++;
        mgc_session_skip(&side->session, &msg, *side->now_ns, &err);
        break;
    }
    mgc_msg_destroy(&msg);
}

static bool carry(void *user, const void *header, size_t len, const void *body, size_t body_len)
{
    struct side *from = user;
    if (from->cut || !from->peer->session.outbox)
        return false;
    assert_true(wire_count < sizeof(wire) / sizeof(wire[0]));
    struct frame *frame = &wire[wire_count++];
    *frame = (struct frame){.to = from->peer};
    return mgc_buf_append(&frame->bytes, header, len);
}

/* Deliver what is on the wire, and what that causes. */
static void settle(void)
{
    for (size_t i = 0; i < wire_count; i++) {
        receive(wire[i].to, wire[i].bytes.data, wire[i].bytes.len);
        mgc_buf_destroy(&wire[i].bytes);
    }
    wire_count = 0;
}

static void start(struct side *side, struct side *peer, enum mgc_side role, int64_t *now_ns)
{
    side->peer = peer;
    side->now_ns = now_ns;
    struct mgc_session_config config = {.side = role,
        .epoch = 7,
        .heartbeat_ms = 1000,
        .silence_ms = 5000,
        .send = carry,
        .user = side};
    assert_true(mgc_session_start(&side->session, &config, *now_ns, NULL));
}

static int make_link(void **state)
{
    struct link *link = calloc(1, sizeof(*link));
    if (!link)
        return -1;
    link->now_ns = 1000 * MS;
    start(&link->worker, &link->coordinator, MGC_SIDE_WORKER, &link->now_ns);
    start(&link->coordinator, &link->worker, MGC_SIDE_COORDINATOR, &link->now_ns);
    settle();
    *state = link;
    return 0;
}

static int drop_link(void **state)
{
    struct link *link = *state;
    settle();
    mgc_session_destroy(&link->worker.session);
    mgc_session_destroy(&link->coordinator.session);
    free(link);
    return 0;
}

static void send_event(struct side *side, uint64_t id)
{
    struct mgc_error err = {0};
    struct mgc_msg msg = {.kind = MGC_MSG_EVENT, .event = {.task_id = id, .name = (char *)"n"}};
    if (!mgc_session_send(&side->session, &msg, *side->now_ns, &err))
        fail_msg("%s", err.text);
    settle();
}

static bool tick_both(struct link *link)
{
    bool worker = mgc_session_tick(&link->worker.session, link->now_ns, NULL);
    bool coordinator = mgc_session_tick(&link->coordinator.session, link->now_ns, NULL);
    settle();
    return worker && coordinator;
}

static void test_loss_is_repaired(void **state)
{
    struct link *link = *state;
    send_event(&link->worker, 1);
    link->worker.cut = true;
    send_event(&link->worker, 2);
    send_event(&link->worker, 3);
    link->worker.cut = false;
    send_event(&link->worker, 4); /* a gap: dropped */
    assert_int_equal(link->coordinator.got_count, 1);
    link->coordinator.cut = true; /* now the acknowledgements are lost */
    for (int i = 0; i < 3; i++) {
        link->now_ns += 500 * MS;
        tick_both(link);
    }
    link->coordinator.cut = false;
    assert_int_equal(link->coordinator.got_count, 4);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(link->coordinator.got[i], i + 1);
    for (int i = 0; i < 10; i++) {
        link->now_ns += 500 * MS;
        tick_both(link);
    }
    assert_int_equal(mgc_outbox_pending(link->worker.session.outbox), 0);
    assert_int_equal(link->coordinator.got_count, 4); /* none twice */
}

static void test_pings_keep_it_alive_and_measure(void **state)
{
    struct link *link = *state;
    for (int i = 0; i < 60; i++) {
        link->now_ns += 500 * MS;
        assert_true(tick_both(link));
    }
    struct mgc_clock_offset offset =
        mgc_offset_estimate(&link->coordinator.session.offsets, link->now_ns);
    assert_true(offset.known);
    assert_int_equal(offset.offset_ns, 0); /* both live in the test's time */
}

static void test_silence(void **state)
{
    struct link *link = *state;
    struct mgc_error err = {0};
    link->worker.cut = true;
    int64_t due = link->now_ns + 5000 * MS;
    while (link->now_ns < due - 500 * MS) {
        link->now_ns += 500 * MS;
        assert_true(mgc_session_tick(&link->coordinator.session, link->now_ns, &err));
    }
    assert_true(mgc_session_due(&link->coordinator.session) <= due);
    link->now_ns = due;
    assert_false(mgc_session_tick(&link->coordinator.session, link->now_ns, &err));
    assert_int_equal(err.code, MGC_E_TIMEOUT);
    assert_non_null(strstr(err.text, "5000 ms"));
}

static void test_wrong_direction(void **state)
{
    struct link *link = *state;
    struct mgc_error err = {0};
    struct mgc_msg cancel = {.kind = MGC_MSG_CANCEL, .task_ref = {.task_id = 9}};
    assert_false(mgc_session_send(&link->worker.session, &cancel, link->now_ns, &err));
    assert_int_equal(err.code, MGC_E_PROTOCOL);

    /* A worker that does it all the same: told, passed over, and the session goes on. */
    struct mgc_buf frame = {0};
    cancel.epoch = 7;
    cancel.mid = 1;
    assert_true(mgc_msg_encode(&cancel, &frame, &err));
    receive(&link->coordinator, frame.data, frame.len);
    mgc_buf_destroy(&frame);
    settle();
    assert_int_equal(link->coordinator.bad, 1);
    assert_int_equal(link->coordinator.got_count, 0);
    assert_int_equal(link->worker.last_unreliable, MGC_MSG_ERROR);
}

static void test_reliable_without_number(void **state)
{
    struct link *link = *state;
    struct mgc_buf frame = {0};
    struct mgc_msg msg = {.kind = MGC_MSG_EVENT, .epoch = 7, .event = {.name = (char *)"n"}};
    assert_true(mgc_msg_encode(&msg, &frame, NULL));
    receive(&link->coordinator, frame.data, frame.len);
    mgc_buf_destroy(&frame);
    settle();
    assert_int_equal(link->coordinator.bad, 1);
}

static void test_skipped_number_does_not_block(void **state)
{
    struct link *link = *state;
    struct mgc_error why = {.code = MGC_E_UNSUPPORTED, .text = "unknown kind"};
    struct mgc_msg envelope = {.kind = (enum mgc_msg_kind)99, .epoch = 7, .mid = 1};
    mgc_session_skip(&link->coordinator.session, &envelope, link->now_ns, &why);
    settle();
    assert_int_equal(link->coordinator.session.inbox.last, 1);
    assert_int_equal(link->worker.last_unreliable, MGC_MSG_ERROR);

    link->worker.last_unreliable = MGC_MSG_NONE;
    envelope.kind = MGC_MSG_ERROR; /* an answer is never answered */
    envelope.mid = 0;
    mgc_session_skip(&link->coordinator.session, &envelope, link->now_ns, &why);
    settle();
    assert_int_equal(link->worker.last_unreliable, MGC_MSG_NONE);
}

static void test_unreliable_when_cut(void **state)
{
    struct link *link = *state;
    struct mgc_error err = {0};
    struct mgc_msg chunk = {.kind = MGC_MSG_CHUNK, .chunk = {.name = (char *)"a"}};
    chunk.body = "x";
    chunk.body_len = 1;
    assert_true(mgc_session_send(&link->worker.session, &chunk, link->now_ns, &err));
    settle();
    assert_int_equal(link->coordinator.last_unreliable, MGC_MSG_CHUNK);
    link->worker.cut = true;
    assert_false(mgc_session_send(&link->worker.session, &chunk, link->now_ns, &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    chunk.body_len = MGC_WIRE_BODY_MAX + 1;
    assert_false(mgc_session_send(&link->worker.session, &chunk, link->now_ns, &err));
    assert_int_equal(err.code, MGC_E_PROTOCOL);
}

static void test_bye(void **state)
{
    struct link *link = *state;
    mgc_session_say(&link->worker.session.config, MGC_MSG_BYE, MGC_E_CANCELLED, "done");
    settle();
    assert_int_equal(link->coordinator.ended, 1);
    mgc_session_destroy(NULL);
}

/* As settle, but every frame takes its time. */
static void settle_slowly(struct link *link)
{
    for (size_t i = 0; i < wire_count; i++) {
        link->now_ns += 5 * MS;
        receive(wire[i].to, wire[i].bytes.data, wire[i].bytes.len);
        mgc_buf_destroy(&wire[i].bytes);
    }
    wire_count = 0;
}

static void restart_slowly(struct link *link)
{
    mgc_session_destroy(&link->worker.session);
    mgc_session_destroy(&link->coordinator.session);
    start(&link->worker, &link->coordinator, MGC_SIDE_WORKER, &link->now_ns);
    start(&link->coordinator, &link->worker, MGC_SIDE_COORDINATOR, &link->now_ns);
    settle_slowly(link);
}

static int64_t ping_after(const struct link *link, const struct side *side)
{
    return side->session.ping_due_ns - link->now_ns;
}

static void test_vague_clocks_are_asked_again_soon(void **state)
{
    struct link *link = *state;
    restart_slowly(link);
    assert_true(ping_after(link, &link->coordinator) < 100 * MS);
    assert_true(ping_after(link, &link->worker) > 500 * MS);
    link->now_ns = link->coordinator.session.ping_due_ns;
    assert_true(mgc_session_tick(&link->coordinator.session, link->now_ns, NULL));
    settle(); /* at once: sharp */
    assert_int_equal(ping_after(link, &link->coordinator), 1000 * MS);
}

static void test_vague_clocks_are_not_asked_for_ever(void **state)
{
    struct link *link = *state;
    restart_slowly(link);
    for (int i = 0; i < 60; i++) {
        link->now_ns = link->coordinator.session.ping_due_ns;
        assert_true(mgc_session_tick(&link->coordinator.session, link->now_ns, NULL));
        settle_slowly(link);
    }
    assert_true(ping_after(link, &link->coordinator) > 900 * MS);
}

#define WITH_LINK(test) cmocka_unit_test_setup_teardown(test, make_link, drop_link)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_LINK(test_loss_is_repaired),
        WITH_LINK(test_pings_keep_it_alive_and_measure),
        WITH_LINK(test_silence),
        WITH_LINK(test_wrong_direction),
        WITH_LINK(test_reliable_without_number),
        WITH_LINK(test_skipped_number_does_not_block),
        WITH_LINK(test_unreliable_when_cut),
        WITH_LINK(test_bye),
        WITH_LINK(test_vague_clocks_are_asked_again_soon),
        WITH_LINK(test_vague_clocks_are_not_asked_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
