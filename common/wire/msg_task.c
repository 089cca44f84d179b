#include "common/wire/codec.h"

#define AT(member) offsetof(struct mgc_msg, member)

static const struct mgc_wire_field task_fields[] = {
    {MGC_KEY_TASK_ID, "task_id", MGC_WIRE_UINT, AT(task.task_id)},
    {MGC_KEY_TASK_KIND, "kind", MGC_WIRE_TEXT, AT(task.kind)},
    {MGC_KEY_TASK_LABEL, "label", MGC_WIRE_TEXT, AT(task.label)},
    {MGC_KEY_TASK_DEADLINE_MS, "deadline_ms", MGC_WIRE_INT, AT(task.deadline_ms),
        .max = MGC_WIRE_MS_MAX},
    {MGC_KEY_TASK_LEASE_EPOCH, "lease_epoch", MGC_WIRE_INT, AT(task.lease_epoch)},
    {MGC_KEY_TASK_PARAMS, "params", MGC_WIRE_FIELDS, AT(task.params)},
    {MGC_KEY_TASK_SECRETS, "secrets", MGC_WIRE_FIELDS, AT(task.secrets)},
};

static const struct mgc_wire_field ref_fields[] = {
    {MGC_KEY_TASK_ID, "task_id", MGC_WIRE_UINT, AT(task_ref.task_id)},
    {MGC_KEY_TASK_REF_TEXT, "text", MGC_WIRE_TEXT, AT(task_ref.text)},
};

static const struct mgc_wire_field event_fields[] = {
    {MGC_KEY_TASK_ID, "task_id", MGC_WIRE_UINT, AT(event.task_id)},
    {MGC_KEY_EVENT_NAME, "name", MGC_WIRE_TEXT, AT(event.name)},
    {MGC_KEY_EVENT_MONO_NS, "mono_ns", MGC_WIRE_INT, AT(event.mono_ns), .min = INT64_MIN},
    {MGC_KEY_EVENT_FIELDS, "fields", MGC_WIRE_FIELDS, AT(event.fields)},
};

static const struct mgc_wire_field result_fields[] = {
    {MGC_KEY_TASK_ID, "task_id", MGC_WIRE_UINT, AT(result.task_id)},
    {MGC_KEY_RESULT_RUN_ID, "run_id", MGC_WIRE_TEXT, AT(result.run_id)},
    {MGC_KEY_RESULT_CODE, "code", MGC_WIRE_CODE, AT(result.code)},
    {MGC_KEY_RESULT_TEXT, "text", MGC_WIRE_TEXT, AT(result.text)},
    {MGC_KEY_RESULT_START_NS, "start_ns", MGC_WIRE_INT, AT(result.start_ns), .min = INT64_MIN},
    {MGC_KEY_RESULT_END_NS, "end_ns", MGC_WIRE_INT, AT(result.end_ns), .min = INT64_MIN},
    {MGC_KEY_RESULT_UNDO_DONE, "undo_done", MGC_WIRE_INT, AT(result.undo_done)},
    {MGC_KEY_RESULT_UNDO_FAILED, "undo_failed", MGC_WIRE_INT, AT(result.undo_failed)},
    {MGC_KEY_RESULT_UNDO_TEXT, "undo_text", MGC_WIRE_TEXT, AT(result.undo_text)},
    {MGC_KEY_RESULT_FACTS, "facts", MGC_WIRE_FIELDS, AT(result.facts)},
    {MGC_KEY_RESULT_ARTIFACTS, "artifacts", MGC_WIRE_ARTIFACTS, AT(result.artifacts),
        .count_offset = AT(result.artifact_count)},
};

enum {
    ORDER = MGC_WIRE_RELIABLE | MGC_WIRE_TO_WORKER,
    ANSWER = MGC_WIRE_RELIABLE | MGC_WIRE_TO_COORDINATOR,
};

const struct mgc_wire_kind mgc_wire_task_kinds[] = {
    {MGC_MSG_TASK, "task", ORDER, MGC_WIRE_TABLE(task_fields)},
    {MGC_MSG_CANCEL, "cancel", ORDER, MGC_WIRE_TABLE(ref_fields)},
    {MGC_MSG_FINISH, "finish", ORDER, MGC_WIRE_TABLE(ref_fields)},
    {MGC_MSG_EVENT, "event", ANSWER, MGC_WIRE_TABLE(event_fields)},
    {MGC_MSG_RESULT, "result", ANSWER, MGC_WIRE_TABLE(result_fields)},
    {MGC_MSG_RESULT_ACK, "result_ack", ORDER, MGC_WIRE_TABLE(ref_fields)},
    {MGC_MSG_NONE},
};
