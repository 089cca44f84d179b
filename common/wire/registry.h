/* The keys of every message: numbers on the wire, append only, never reused.
 *
 * A message is one msgpack map with unsigned integer keys. Keys 0..15 mean the same in every
 * message; keys from 16 belong to the kind, so the same number means different things in
 * different kinds. docs/protocol.md holds the same table for people.
 */
#ifndef MGC_WIRE_REGISTRY_H
#define MGC_WIRE_REGISTRY_H

enum mgc_wire_key {
    /* envelope */
    MGC_KEY_KIND = 0,  /* enum mgc_msg_kind */
    MGC_KEY_EPOCH = 1, /* session; left out when 0 */
    MGC_KEY_MID = 2,   /* number of a reliable message; left out when 0 */

    /* hello */
    MGC_KEY_HELLO_PROTOCOL_MIN = 16,
    MGC_KEY_HELLO_PROTOCOL_MAX = 17,
    MGC_KEY_HELLO_ROLE = 18,
    MGC_KEY_HELLO_BUILD = 19,
    MGC_KEY_HELLO_HOST = 20,
    MGC_KEY_HELLO_OS = 21,
    MGC_KEY_HELLO_BOOT_ID = 22,
    MGC_KEY_HELLO_FACTS = 23,
    MGC_KEY_HELLO_LEASE_EPOCH = 24,

    /* welcome */
    MGC_KEY_WELCOME_PROTOCOL = 16,
    MGC_KEY_WELCOME_NAME = 17,
    MGC_KEY_WELCOME_RUN_ID = 18,
    MGC_KEY_WELCOME_BUILD = 19,
    MGC_KEY_WELCOME_HEARTBEAT_MS = 20,
    MGC_KEY_WELCOME_SILENCE_MS = 21,
    MGC_KEY_WELCOME_COORDINATOR = 22,

    /* refuse, rejoin, bye, error */
    MGC_KEY_TEXT_CODE = 16,
    MGC_KEY_TEXT_TEXT = 17,

    /* ping, pong */
    MGC_KEY_PING_SEQ = 16,
    MGC_KEY_PING_SENT_NS = 17,
    MGC_KEY_PING_BOOT_NS = 18,
    MGC_KEY_PING_RECEIVED_NS = 19, /* pong only */
    MGC_KEY_PING_REPLIED_NS = 20,  /* pong only */

    /* held */
    MGC_KEY_HELD_LEASES = 16,

    /* ack */
    MGC_KEY_ACK_UPTO = 16,

    /* everything about a task: task, cancel, finish, event, result, result_ack, barriers, chunks */
    MGC_KEY_TASK_ID = 16,

    /* task */
    MGC_KEY_TASK_KIND = 17,
    MGC_KEY_TASK_LABEL = 18,
    MGC_KEY_TASK_DEADLINE_MS = 19,
    MGC_KEY_TASK_LEASE_EPOCH = 20,
    MGC_KEY_TASK_PARAMS = 21,
    MGC_KEY_TASK_SECRETS = 22,

    /* cancel, finish, result_ack */
    MGC_KEY_TASK_REF_TEXT = 17,

    /* event */
    MGC_KEY_EVENT_NAME = 17,
    MGC_KEY_EVENT_MONO_NS = 18,
    MGC_KEY_EVENT_FIELDS = 19,

    /* result */
    MGC_KEY_RESULT_RUN_ID = 17,
    MGC_KEY_RESULT_CODE = 18,
    MGC_KEY_RESULT_TEXT = 19,
    MGC_KEY_RESULT_START_NS = 20,
    MGC_KEY_RESULT_END_NS = 21,
    MGC_KEY_RESULT_UNDO_DONE = 22,
    MGC_KEY_RESULT_UNDO_FAILED = 23,
    MGC_KEY_RESULT_UNDO_TEXT = 24,
    MGC_KEY_RESULT_FACTS = 25,
    MGC_KEY_RESULT_ARTIFACTS = 26,

    /* one artifact of a result: a map of its own, inside key 26 */
    MGC_KEY_ARTIFACT_NAME = 0,
    MGC_KEY_ARTIFACT_SIZE = 1,
    MGC_KEY_ARTIFACT_SHA256 = 2,
    MGC_KEY_ARTIFACT_RAW_SHA256 = 3,
    MGC_KEY_ARTIFACT_MASKED = 4,

    /* arrive, release, released */
    MGC_KEY_BARRIER_NAME = 17,
    MGC_KEY_BARRIER_CODE = 18,
    MGC_KEY_BARRIER_TEXT = 19,
    MGC_KEY_BARRIER_INSTANT_NS = 20,
    MGC_KEY_BARRIER_ACTUAL_NS = 21,

    /* chunk, credit */
    MGC_KEY_CHUNK_NAME = 17,
    MGC_KEY_CHUNK_OFFSET = 18,
    MGC_KEY_CREDIT_NAME = 17,
    MGC_KEY_CREDIT_RECEIVED = 18,
    MGC_KEY_CREDIT_LIMIT = 19,
};

#endif
