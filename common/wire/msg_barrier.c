#include "common/wire/codec.h"

#define AT(member) offsetof(struct mgc_msg, barrier.member)

static const struct mgc_wire_field arrive_fields[] = {
    {MGC_KEY_TASK_ID, "task_id", MGC_WIRE_UINT, AT(task_id)},
    {MGC_KEY_BARRIER_NAME, "name", MGC_WIRE_TEXT, AT(name)},
    {MGC_KEY_BARRIER_ACTUAL_NS, "actual_ns", MGC_WIRE_INT, AT(actual_ns), .min = INT64_MIN},
};

static const struct mgc_wire_field release_fields[] = {
    {MGC_KEY_TASK_ID, "task_id", MGC_WIRE_UINT, AT(task_id)},
    {MGC_KEY_BARRIER_NAME, "name", MGC_WIRE_TEXT, AT(name)},
    {MGC_KEY_BARRIER_CODE, "code", MGC_WIRE_CODE, AT(code)},
    {MGC_KEY_BARRIER_TEXT, "text", MGC_WIRE_TEXT, AT(text)},
    {MGC_KEY_BARRIER_INSTANT_NS, "instant_ns", MGC_WIRE_INT, AT(instant_ns), .min = INT64_MIN},
};

static const struct mgc_wire_field released_fields[] = {
    {MGC_KEY_TASK_ID, "task_id", MGC_WIRE_UINT, AT(task_id)},
    {MGC_KEY_BARRIER_NAME, "name", MGC_WIRE_TEXT, AT(name)},
    {MGC_KEY_BARRIER_CODE, "code", MGC_WIRE_CODE, AT(code)},
    {MGC_KEY_BARRIER_TEXT, "text", MGC_WIRE_TEXT, AT(text)},
    {MGC_KEY_BARRIER_INSTANT_NS, "instant_ns", MGC_WIRE_INT, AT(instant_ns), .min = INT64_MIN},
    {MGC_KEY_BARRIER_ACTUAL_NS, "actual_ns", MGC_WIRE_INT, AT(actual_ns), .min = INT64_MIN},
};

enum {
    ORDER = MGC_WIRE_RELIABLE | MGC_WIRE_TO_WORKER,
    ANSWER = MGC_WIRE_RELIABLE | MGC_WIRE_TO_COORDINATOR,
};

const struct mgc_wire_kind mgc_wire_barrier_kinds[] = {
    {MGC_MSG_ARRIVE, "arrive", ANSWER, MGC_WIRE_TABLE(arrive_fields)},
    {MGC_MSG_RELEASE, "release", ORDER, MGC_WIRE_TABLE(release_fields)},
    {MGC_MSG_RELEASED, "released", ANSWER, MGC_WIRE_TABLE(released_fields)},
    {MGC_MSG_NONE},
};
