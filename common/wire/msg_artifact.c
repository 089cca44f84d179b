#include "common/wire/codec.h"

#define AT(member)      offsetof(struct mgc_msg, member)
#define IN_FILE(member) offsetof(struct mgc_artifact, member)

static const struct mgc_wire_field artifact_fields[] = {
    {MGC_KEY_ARTIFACT_NAME, "artifact name", MGC_WIRE_PATH, IN_FILE(name)},
    {MGC_KEY_ARTIFACT_SIZE, "artifact size", MGC_WIRE_UINT, IN_FILE(size_bytes)},
    {MGC_KEY_ARTIFACT_SHA256, "artifact sha256", MGC_WIRE_SHA256, IN_FILE(sha256)},
    {MGC_KEY_ARTIFACT_RAW_SHA256, "artifact raw_sha256", MGC_WIRE_SHA256, IN_FILE(raw_sha256)},
    {MGC_KEY_ARTIFACT_MASKED, "artifact masked_count", MGC_WIRE_UINT, IN_FILE(masked_count)},
};

const struct mgc_wire_table mgc_wire_artifact_table = MGC_WIRE_TABLE(artifact_fields);

static const struct mgc_wire_field chunk_fields[] = {
    {MGC_KEY_TASK_ID, "task_id", MGC_WIRE_UINT, AT(chunk.task_id)},
    {MGC_KEY_CHUNK_NAME, "name", MGC_WIRE_PATH, AT(chunk.name)},
    {MGC_KEY_CHUNK_OFFSET, "offset", MGC_WIRE_UINT, AT(chunk.offset)},
};

static const struct mgc_wire_field credit_fields[] = {
    {MGC_KEY_TASK_ID, "task_id", MGC_WIRE_UINT, AT(credit.task_id)},
    {MGC_KEY_CREDIT_NAME, "name", MGC_WIRE_PATH, AT(credit.name)},
    {MGC_KEY_CREDIT_RECEIVED, "received", MGC_WIRE_UINT, AT(credit.received)},
    {MGC_KEY_CREDIT_LIMIT, "limit", MGC_WIRE_UINT, AT(credit.limit)},
};

const struct mgc_wire_kind mgc_wire_artifact_kinds[] = {
    {MGC_MSG_CHUNK, "chunk", MGC_WIRE_TO_COORDINATOR | MGC_WIRE_BODY, MGC_WIRE_TABLE(chunk_fields)},
    {MGC_MSG_CREDIT, "credit", MGC_WIRE_TO_WORKER, MGC_WIRE_TABLE(credit_fields)},
    {MGC_MSG_NONE},
};
