#include "common/wire/codec.h"

#define AT(member) offsetof(struct mgc_msg, member)

static const struct mgc_wire_field hello_fields[] = {
    {MGC_KEY_HELLO_PROTOCOL_MIN, "protocol_min", MGC_WIRE_INT, AT(hello.protocol_min), .min = 1},
    {MGC_KEY_HELLO_PROTOCOL_MAX, "protocol_max", MGC_WIRE_INT, AT(hello.protocol_max), .min = 1},
    {MGC_KEY_HELLO_ROLE, "role", MGC_WIRE_TEXT, AT(hello.role)},
    {MGC_KEY_HELLO_BUILD, "build", MGC_WIRE_TEXT, AT(hello.build)},
    {MGC_KEY_HELLO_HOST, "host", MGC_WIRE_TEXT, AT(hello.host)},
    {MGC_KEY_HELLO_OS, "os", MGC_WIRE_TEXT, AT(hello.os)},
    {MGC_KEY_HELLO_BOOT_ID, "boot_id", MGC_WIRE_TEXT, AT(hello.boot_id)},
    {MGC_KEY_HELLO_FACTS, "facts", MGC_WIRE_FIELDS, AT(hello.facts)},
    {MGC_KEY_HELLO_LEASE_EPOCH, "lease_epoch", MGC_WIRE_INT, AT(hello.lease_epoch),
        .may_lack = true},
};

static const struct mgc_wire_field welcome_fields[] = {
    {MGC_KEY_WELCOME_PROTOCOL, "protocol", MGC_WIRE_INT, AT(welcome.protocol), .min = 1},
    {MGC_KEY_WELCOME_NAME, "name", MGC_WIRE_TEXT, AT(welcome.name)},
    {MGC_KEY_WELCOME_RUN_ID, "run_id", MGC_WIRE_TEXT, AT(welcome.run_id)},
    {MGC_KEY_WELCOME_BUILD, "build", MGC_WIRE_TEXT, AT(welcome.build)},
    {MGC_KEY_WELCOME_HEARTBEAT_MS, "heartbeat_ms", MGC_WIRE_INT, AT(welcome.heartbeat_ms), .min = 1,
        .max = MGC_WIRE_MS_MAX},
    {MGC_KEY_WELCOME_SILENCE_MS, "silence_ms", MGC_WIRE_INT, AT(welcome.silence_ms), .min = 1,
        .max = MGC_WIRE_MS_MAX},
    {MGC_KEY_WELCOME_COORDINATOR, "coordinator", MGC_WIRE_TEXT, AT(welcome.coordinator),
        .may_lack = true},
};

static const struct mgc_wire_field text_fields[] = {
    {MGC_KEY_TEXT_CODE, "code", MGC_WIRE_CODE, AT(text.code)},
    {MGC_KEY_TEXT_TEXT, "text", MGC_WIRE_TEXT, AT(text.text)},
};

static const struct mgc_wire_field ping_fields[] = {
    {MGC_KEY_PING_SEQ, "seq", MGC_WIRE_INT, AT(ping.seq)},
    {MGC_KEY_PING_SENT_NS, "sent_ns", MGC_WIRE_INT, AT(ping.sent_ns), .min = INT64_MIN},
    {MGC_KEY_PING_BOOT_NS, "boot_ns", MGC_WIRE_INT, AT(ping.boot_ns), .min = INT64_MIN},
};

static const struct mgc_wire_field pong_fields[] = {
    {MGC_KEY_PING_SEQ, "seq", MGC_WIRE_INT, AT(ping.seq)},
    {MGC_KEY_PING_SENT_NS, "sent_ns", MGC_WIRE_INT, AT(ping.sent_ns), .min = INT64_MIN},
    {MGC_KEY_PING_BOOT_NS, "boot_ns", MGC_WIRE_INT, AT(ping.boot_ns), .min = INT64_MIN},
    {MGC_KEY_PING_RECEIVED_NS, "received_ns", MGC_WIRE_INT, AT(ping.received_ns), .min = INT64_MIN},
    {MGC_KEY_PING_REPLIED_NS, "replied_ns", MGC_WIRE_INT, AT(ping.replied_ns), .min = INT64_MIN},
};

static const struct mgc_wire_field ack_fields[] = {
    {MGC_KEY_ACK_UPTO, "upto", MGC_WIRE_UINT, AT(ack.upto)},
};

static const struct mgc_wire_field held_fields[] = {
    {MGC_KEY_HELD_LEASES, "leases", MGC_WIRE_FIELDS, AT(held.leases)},
};

enum { BOTH = MGC_WIRE_TO_WORKER | MGC_WIRE_TO_COORDINATOR };

const struct mgc_wire_kind mgc_wire_session_kinds[] = {
    {MGC_MSG_HELLO, "hello", MGC_WIRE_TO_COORDINATOR, MGC_WIRE_TABLE(hello_fields)},
    {MGC_MSG_WELCOME, "welcome", MGC_WIRE_TO_WORKER, MGC_WIRE_TABLE(welcome_fields)},
    {MGC_MSG_REFUSE, "refuse", MGC_WIRE_TO_WORKER, MGC_WIRE_TABLE(text_fields)},
    {MGC_MSG_REJOIN, "rejoin", MGC_WIRE_TO_WORKER, MGC_WIRE_TABLE(text_fields)},
    {MGC_MSG_PING, "ping", BOTH, MGC_WIRE_TABLE(ping_fields)},
    {MGC_MSG_PONG, "pong", BOTH, MGC_WIRE_TABLE(pong_fields)},
    {MGC_MSG_BYE, "bye", BOTH, MGC_WIRE_TABLE(text_fields)},
    {MGC_MSG_ACK, "ack", BOTH, MGC_WIRE_TABLE(ack_fields)},
    {MGC_MSG_ERROR, "error", BOTH, MGC_WIRE_TABLE(text_fields)},
    {MGC_MSG_LOOK, "look", MGC_WIRE_TO_WORKER, {NULL, 0}},
    {MGC_MSG_HELD, "held", MGC_WIRE_TO_COORDINATOR, MGC_WIRE_TABLE(held_fields)},
    {MGC_MSG_NONE},
};
