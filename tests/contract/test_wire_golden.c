/* The exact bytes of each message: this file is the specification that docs/protocol.md explains.
 * Every example is checked both ways. */
#include "tests/lib/check.h"

#include <string.h>

#include "common/wire/msg.h"
#include "tests/contract/wire_bytes.h"

static void check_encodes(const struct mgc_msg *msg, struct bytes want)
{
    struct mgc_buf out = {0};
    struct mgc_error err = {0};
    if (!mgc_msg_encode(msg, &out, &err))
        fail_msg("encode: %s", err.text);
    assert_int_equal(out.len, want.len);
    assert_memory_equal(out.data, want.data, want.len);
    mgc_buf_destroy(&out);
}

/* Decode, hand out for inspection; what was decoded encodes to the same bytes again. */
static struct mgc_msg check_decodes(struct bytes frame)
{
    struct mgc_msg msg;
    struct mgc_error err = {0};
    if (!mgc_msg_decode(frame.data, frame.len, &msg, &err))
        fail_msg("decode: %s", err.text);
    check_encodes(&msg, frame);
    return msg;
}

/* clang-format off: one line per field */

static void test_hello(void **state)
{
    struct bytes want = BYTES("\x8b" /* map of 11 */
                              "\x00"
                              "\x01" /* kind: hello */
                              "\x01"
                              "\xcd\x12\x34" /* epoch: 0x1234 */
                              "\x10"
                              "\x01" /* protocol_min: 1 */
                              "\x11"
                              "\x02" /* protocol_max: 2 */
                              "\x12"
                              "\xa3"
                              "wsl" /* role */
                              "\x13"
                              "\xa5"
                              "0.1.0" /* build */
                              "\x14"
                              "\xa2"
                              "pc" /* host */
                              "\x15"
                              "\xa5"
                              "Linux" /* os */
                              "\x16"
                              "\xa0" /* boot_id: unknown */
                              "\x17"
                              "\x82" /* facts: map of 2 */
                              "\xa4"
                              "cpus"
                              "\x08" /*   cpus: 8 */
                              "\xa4"
                              "arch"
                              "\xa6"
                              "x86_64"
                              "\x18"
                              "\x05" /* lease_epoch: 5 */);
    struct mgc_msg msg = {.kind = MGC_MSG_HELLO, .epoch = 0x1234};
    msg.hello = (struct mgc_msg_hello){.protocol_min = 1,
        .protocol_max = 2,
        .role = (char *)"wsl",
        .build = (char *)"0.1.0",
        .host = (char *)"pc",
        .os = (char *)"Linux",
        .lease_epoch = 5};
    mgc_fields_set_int(&msg.hello.facts, "cpus", 8);
    mgc_fields_set_str(&msg.hello.facts, "arch", "x86_64");
    check_encodes(&msg, want);
    mgc_fields_destroy(&msg.hello.facts);

    msg = check_decodes(want);
    assert_int_equal(msg.kind, MGC_MSG_HELLO);
    assert_int_equal(msg.epoch, 0x1234);
    assert_int_equal(msg.mid, 0);
    assert_string_equal(msg.hello.role, "wsl");
    assert_string_equal(msg.hello.boot_id, "");
    assert_int_equal(msg.hello.lease_epoch, 5);
    assert_string_equal(mgc_fields_get_str(&msg.hello.facts, "arch"), "x86_64");
    mgc_msg_destroy(&msg);
}

static void test_welcome(void **state)
{
    struct bytes want = BYTES("\x88" /* map of 8 */
                              "\x00"
                              "\x02" /* kind: welcome */
                              "\x01"
                              "\x07" /* epoch: 7 */
                              "\x10"
                              "\x01" /* protocol: 1 */
                              "\x11"
                              "\xa4"
                              "wsl1" /* name */
                              "\x12"
                              "\xa2"
                              "r1" /* run_id */
                              "\x13"
                              "\xa1"
                              "b" /* build */
                              "\x14"
                              "\xcd\x07\xd0" /* heartbeat_ms: 2000 */
                              "\x15"
                              "\xcd\x27\x10" /* silence_ms: 10000 */);
    struct mgc_msg msg = check_decodes(want);
    assert_int_equal(msg.welcome.heartbeat_ms, 2000);
    assert_int_equal(msg.welcome.silence_ms, 10000);
    assert_string_equal(msg.welcome.name, "wsl1");
    assert_string_equal(msg.welcome.run_id, "r1");
    mgc_msg_destroy(&msg);
}

/* From a coordinator that says where it runs. */
static void test_welcome_of_somewhere(void **state)
{
    struct bytes want = BYTES("\x89\x00\x02\x01\x07\x10\x01\x11\xa1"
                              "w"
                              "\x12\xa0\x13\xa0\x14\x01\x15\x01"
                              "\x16\xa3"
                              "pc1" /* coordinator */);
    struct mgc_msg msg = check_decodes(want);
    assert_string_equal(msg.welcome.coordinator, "pc1");
    mgc_msg_destroy(&msg);
}

static void test_look_and_held(void **state)
{
    struct bytes look = BYTES("\x82\x00\x0a" /* kind: look */
                              "\x01\x07" /* epoch */);
    struct bytes held = BYTES("\x83\x00\x0b" /* kind: held */
                              "\x01\x07"
                              "\x10\x81" /* leases: map of 1 */
                              "\xa1"
                              "a"
                              "\xa1"
                              "b");
    struct mgc_msg msg = check_decodes(look);
    assert_int_equal(msg.kind, MGC_MSG_LOOK);
    mgc_msg_destroy(&msg);
    msg = check_decodes(held);
    assert_string_equal(mgc_fields_get_str(&msg.held.leases, "a"), "b");
    mgc_msg_destroy(&msg);
}

static void test_texts(void **state)
{
    static const enum mgc_msg_kind kinds[] = {
        MGC_MSG_REFUSE, MGC_MSG_REJOIN, MGC_MSG_BYE, MGC_MSG_ERROR};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        char frame[] = "\x83"
                       "\x00"
                       "?" /* kind */
                       "\x10"
                       "\x11" /* code: 17, MGC_E_VERSION */
                       "\x11"
                       "\xa2"
                       "no"; /* text */
        frame[2] = (char)kinds[i];
        struct mgc_msg msg = check_decodes((struct bytes){frame, sizeof(frame) - 1});
        assert_int_equal(msg.kind, kinds[i]);
        assert_int_equal(msg.epoch, 0); /* left out: there is no session yet */
        assert_int_equal(msg.text.code, MGC_E_VERSION);
        assert_string_equal(msg.text.text, "no");
        mgc_msg_destroy(&msg);
    }
}

static void test_ping_and_pong(void **state)
{
    struct bytes ping = BYTES("\x85"
                              "\x00"
                              "\x05" /* kind: ping */
                              "\x01"
                              "\x07" /* epoch */
                              "\x10"
                              "\x03" /* seq: 3 */
                              "\x11"
                              "\xcd\x03\xe8" /* sent_ns: 1000 */
                              "\x12"
                              "\xff" /* boot_ns: -1 */);
    struct mgc_msg msg = check_decodes(ping);
    assert_int_equal(msg.ping.seq, 3);
    assert_int_equal(msg.ping.sent_ns, 1000);
    assert_int_equal(msg.ping.boot_ns, -1);
    mgc_msg_destroy(&msg);

    struct bytes pong = BYTES("\x87"
                              "\x00"
                              "\x06" /* kind: pong */
                              "\x01"
                              "\x07" /* epoch */
                              "\x10"
                              "\x03" /* seq */
                              "\x11"
                              "\xcd\x03\xe8" /* sent_ns, echoed */
                              "\x12"
                              "\x00" /* boot_ns */
                              "\x13"
                              "\xcf\x00\x00\x00\x01\x00\x00\x00\x00" /* received_ns: 2^32 */
                              "\x14"
                              "\xd1\xff\x00" /* replied_ns: -256 */);
    msg = check_decodes(pong);
    assert_int_equal(msg.ping.received_ns, INT64_C(1) << 32);
    assert_int_equal(msg.ping.replied_ns, -256);
    mgc_msg_destroy(&msg);
}

static void test_ack(void **state)
{
    struct bytes want = BYTES("\x83"
                              "\x00"
                              "\x08" /* kind: ack */
                              "\x01"
                              "\xcf\xff\xff\xff\xff\xff\xff\xff\xff" /* epoch: all ones */
                              "\x10"
                              "\xcc\xc8" /* upto: 200 */);
    struct mgc_msg msg = check_decodes(want);
    assert_true(msg.epoch == UINT64_MAX);
    assert_int_equal(msg.ack.upto, 200);
    mgc_msg_destroy(&msg);
}

static void test_task(void **state)
{
    struct bytes want = BYTES("\x8a"
                              "\x00"
                              "\x10" /* kind: task (16) */
                              "\x01"
                              "\x07" /* epoch */
                              "\x02"
                              "\x01" /* mid: the first reliable message */
                              "\x10"
                              "\xcd\x10\x01" /* task_id: 0x1001 */
                              "\x11"
                              "\xaa"
                              "wsl.replay" /* kind of task */
                              "\x12"
                              "\xa2"
                              "c1" /* label */
                              "\x13"
                              "\xcd\xea\x60" /* deadline_ms: 60000 */
                              "\x14"
                              "\x00" /* lease_epoch: none */
                              "\x15"
                              "\x84" /* params */
                              "\xa4"
                              "port"
                              "\xcd\x1b\x58" /*   port: 7000 */
                              "\xa4"
                              "fast"
                              "\xc3" /*   fast: true */
                              "\xa1"
                              "x"
                              "\xcb\x3f\xe0\0\0\0\0\0\0" /*   x: 0.5 */
                              "\xa1"
                              "y"
                              "\xe0" /*   y: -32 */
                              "\x16"
                              "\x81" /* secrets */
                              "\xa5"
                              "token"
                              "\xa3"
                              "abc");
    struct mgc_msg msg = check_decodes(want);
    double x = 0;
    bool fast = false;
    int64_t y = 0;
    assert_int_equal(msg.mid, 1);
    assert_int_equal(msg.task.task_id, 0x1001);
    assert_string_equal(msg.task.kind, "wsl.replay");
    assert_int_equal(msg.task.deadline_ms, 60000);
    assert_true(mgc_fields_get_double(&msg.task.params, "x", &x) && x == 0.5);
    assert_true(mgc_fields_get_bool(&msg.task.params, "fast", &fast) && fast);
    assert_true(mgc_fields_get_int(&msg.task.params, "y", &y) && y == -32);
    assert_string_equal(mgc_fields_get_str(&msg.task.secrets, "token"), "abc");
    mgc_msg_destroy(&msg);
}

static void test_task_references(void **state)
{
    static const enum mgc_msg_kind kinds[] = {MGC_MSG_CANCEL, MGC_MSG_FINISH, MGC_MSG_RESULT_ACK};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        char frame[] = "\x85"
                       "\x00"
                       "?" /* kind */
                       "\x01"
                       "\x07" /* epoch */
                       "\x02"
                       "\x02" /* mid */
                       "\x10"
                       "\x09" /* task_id */
                       "\x11"
                       "\xa4"
                       "stop" /* text */;
        frame[2] = (char)kinds[i];
        struct mgc_msg msg = check_decodes((struct bytes){frame, sizeof(frame) - 1});
        assert_int_equal(msg.task_ref.task_id, 9);
        assert_string_equal(msg.task_ref.text, "stop");
        mgc_msg_destroy(&msg);
    }
}

static void test_event(void **state)
{
    struct bytes want = BYTES("\x87"
                              "\x00"
                              "\x13" /* kind: event (19) */
                              "\x01"
                              "\x07" /* epoch */
                              "\x02"
                              "\x05" /* mid */
                              "\x10"
                              "\x09" /* task_id */
                              "\x11"
                              "\xa5"
                              "ready" /* name */
                              "\x12"
                              "\xcc\x80" /* mono_ns: 128 */
                              "\x13"
                              "\x81" /* fields */
                              "\xa3"
                              "pid"
                              "\x2a");
    struct mgc_msg msg = check_decodes(want);
    int64_t pid = 0;
    assert_string_equal(msg.event.name, "ready");
    assert_int_equal(msg.event.mono_ns, 128);
    assert_true(mgc_fields_get_int(&msg.event.fields, "pid", &pid) && pid == 42);
    mgc_msg_destroy(&msg);
}

#define HEX64_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HEX64_0 "0000000000000000000000000000000000000000000000000000000000000000"

static void test_result(void **state)
{
    struct bytes want = BYTES("\x8d"
                              "\x00"
                              "\x14" /* kind: result (20) */
                              "\x01"
                              "\x07" /* epoch */
                              "\x02"
                              "\x06" /* mid */
                              "\x10"
                              "\x09" /* task_id */
                              "\x11"
                              "\xa2"
                              "r1" /* run_id */
                              "\x12"
                              "\x01" /* code: failed */
                              "\x13"
                              "\xa3"
                              "why" /* text */
                              "\x14"
                              "\x0a" /* start_ns */
                              "\x15"
                              "\x14" /* end_ns */
                              "\x16"
                              "\x02" /* undo_done */
                              "\x17"
                              "\x01" /* undo_failed */
                              "\x18"
                              "\xa1"
                              "u" /* undo_text */
                              /* facts: none, key left out */
                              "\x1a"
                              "\x91" /* artifacts: array of 1 */
                              "\x85" /*   map of 5 */
                              "\x00"
                              "\xa6"
                              "rc.txt" /*   name */
                              "\x01"
                              "\x02" /*   size_bytes */
                              "\x02"
                              "\xd9\x40" HEX64_A /*   sha256 */
                              "\x03"
                              "\xd9\x40" HEX64_0 /*   raw_sha256 */
                              "\x04"
                              "\x01" /*   masked_count */);
    struct mgc_msg msg = check_decodes(want);
    assert_int_equal(msg.result.code, MGC_E_FAILED);
    assert_int_equal(msg.result.undo_failed, 1);
    assert_int_equal(msg.result.facts.count, 0);
    assert_int_equal(msg.result.artifact_count, 1);
    assert_string_equal(msg.result.artifacts[0].name, "rc.txt");
    assert_int_equal(msg.result.artifacts[0].size_bytes, 2);
    assert_string_equal(msg.result.artifacts[0].sha256, HEX64_A);
    assert_string_equal(msg.result.artifacts[0].raw_sha256, HEX64_0);
    assert_int_equal(msg.result.artifacts[0].masked_count, 1);
    mgc_msg_destroy(&msg);
}

static void test_barrier(void **state)
{
    struct bytes arrive = BYTES("\x86"
                                "\x00"
                                "\x20" /* kind: arrive (32) */
                                "\x01"
                                "\x07"
                                "\x02"
                                "\x01" /* epoch, mid */
                                "\x10"
                                "\x09" /* task_id */
                                "\x11"
                                "\xa5"
                                "start" /* name */
                                "\x15"
                                "\x64" /* actual_ns: 100 */);
    struct mgc_msg msg = check_decodes(arrive);
    assert_string_equal(msg.barrier.name, "start");
    assert_int_equal(msg.barrier.actual_ns, 100);
    mgc_msg_destroy(&msg);

    struct bytes release = BYTES("\x88"
                                 "\x00"
                                 "\x21" /* kind: release (33) */
                                 "\x01"
                                 "\x07"
                                 "\x02"
                                 "\x01"
                                 "\x10"
                                 "\x09" /* task_id */
                                 "\x11"
                                 "\xa5"
                                 "start" /* name */
                                 "\x12"
                                 "\x00" /* code: ok */
                                 "\x13"
                                 "\xa0" /* text */
                                 "\x14"
                                 "\xce\x3b\x9a\xca\x00" /* instant_ns: 1e9 */);
    msg = check_decodes(release);
    assert_int_equal(msg.barrier.instant_ns, 1000000000);
    mgc_msg_destroy(&msg);

    struct bytes released = BYTES("\x89"
                                  "\x00"
                                  "\x22" /* kind: released (34) */
                                  "\x01"
                                  "\x07"
                                  "\x02"
                                  "\x02"
                                  "\x10"
                                  "\x09" /* task_id */
                                  "\x11"
                                  "\xa5"
                                  "start" /* name */
                                  "\x12"
                                  "\x01" /* code: failed */
                                  "\x13"
                                  "\xa4"
                                  "late" /* text */
                                  "\x14"
                                  "\x0a" /* instant_ns */
                                  "\x15"
                                  "\x0b" /* actual_ns */);
    msg = check_decodes(released);
    assert_int_equal(msg.barrier.code, MGC_E_FAILED);
    assert_int_equal(msg.barrier.actual_ns, 11);
    mgc_msg_destroy(&msg);
}

static void test_chunk_and_credit(void **state)
{
    struct bytes chunk = BYTES("\x85"
                               "\x00"
                               "\x30" /* kind: chunk (48); body frame follows */
                               "\x01"
                               "\x07" /* epoch */
                               "\x10"
                               "\x09" /* task_id */
                               "\x11"
                               "\xa6"
                               "rc.txt" /* name */
                               "\x12"
                               "\xce\x00\x04\x00\x00" /* offset: 262144 */);
    struct mgc_msg msg = check_decodes(chunk);
    assert_int_equal(msg.chunk.offset, 262144);
    mgc_msg_destroy(&msg);

    struct bytes credit = BYTES("\x86"
                                "\x00"
                                "\x31" /* kind: credit (49) */
                                "\x01"
                                "\x07" /* epoch */
                                "\x10"
                                "\x09" /* task_id */
                                "\x11"
                                "\xa3"
                                "a/b" /* name */
                                "\x12"
                                "\x05" /* received */
                                "\x13"
                                "\x0a" /* limit */);
    msg = check_decodes(credit);
    assert_string_equal(msg.credit.name, "a/b");
    assert_int_equal(msg.credit.received, 5);
    assert_int_equal(msg.credit.limit, 10);
    mgc_msg_destroy(&msg);
}

static void test_text_is_repaired_when_sent(void **state)
{
    struct mgc_msg msg = {.kind = MGC_MSG_ERROR,
        .text = {.text = (char *)"a\xff"
                                 "b"}};
    check_encodes(&msg, BYTES("\x83"
                              "\x00"
                              "\x09"
                              "\x10"
                              "\x00"
                              "\x11"
                              "\xa5"
                              "a\xef\xbf\xbd"
                              "b"));
}

/* clang-format on */

static void test_names_and_directions(void **state)
{
    assert_string_equal(mgc_msg_kind_name(MGC_MSG_RESULT_ACK), "result_ack");
    assert_string_equal(mgc_msg_kind_name((enum mgc_msg_kind)77), "unknown");
    assert_true(mgc_msg_is_reliable(MGC_MSG_RELEASED));
    assert_false(mgc_msg_is_reliable(MGC_MSG_CHUNK));
    assert_true(mgc_msg_goes_to_worker(MGC_MSG_TASK));
    assert_false(mgc_msg_goes_to_coordinator(MGC_MSG_TASK));
    assert_true(mgc_msg_goes_to_coordinator(MGC_MSG_EVENT));
    assert_true(mgc_msg_has_body(MGC_MSG_CHUNK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hello),
        cmocka_unit_test(test_welcome),
        cmocka_unit_test(test_welcome_of_somewhere),
        cmocka_unit_test(test_look_and_held),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_ping_and_pong),
        cmocka_unit_test(test_ack),
        cmocka_unit_test(test_task),
        cmocka_unit_test(test_task_references),
        cmocka_unit_test(test_event),
        cmocka_unit_test(test_result),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_chunk_and_credit),
        cmocka_unit_test(test_text_is_repaired_when_sent),
        cmocka_unit_test(test_names_and_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
