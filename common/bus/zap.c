#include "common/bus/zap.h"

#include <stdio.h>
#include <string.h>

#include <zmq.h>

static bool is(const struct mgc_zap_frame *frame, const char *text)
{
    return frame->len == strlen(text) && memcmp(frame->data, text, frame->len) == 0;
}

/* For people; a peer's bytes are cut and made printable. */
static void printable(char *to, size_t size, const struct mgc_zap_frame *frame)
{
    size_t len = frame->len < size - 1 ? frame->len : size - 1;
    for (size_t i = 0; i < len; i++) {
        char c = ((const char *)frame->data)[i];
        to[i] = c > ' ' && c <= '~' ? c : '?';
    }
    to[len] = '\0';
}

/* `advice` is for the person here; the peer hears no more than it needs. */
static void refuse(
    struct mgc_zap_answer *answer, enum mgc_code code, const char *text, const char *advice)
{
    answer->status = code == MGC_E_DENIED ? "400" : "500";
    answer->text = text;
    mgc_error_set(&answer->why, code, "%s%s", text, advice);
}

static void judge_key(struct mgc_zap_answer *answer, const struct mgc_keyring *ring,
    const char *key, const char *from)
{
    const struct mgc_worker_key *worker = mgc_keyring_find(ring, key);
    if (!worker) {
        snprintf(answer->who, sizeof(answer->who), "key %s from %s", key, from);
        refuse(answer, MGC_E_DENIED, "key is unknown here",
            "; if it is one of yours, `mgcoord keys add NAME` makes a new enrolment file for it");
        return;
    }
    snprintf(answer->who, sizeof(answer->who), "worker '%s' from %s", worker->name, from);
    if (worker->revoked) {
        refuse(answer, MGC_E_DENIED, "key is revoked",
            "; to let it in again, give it a key under a new name (`mgcoord keys add`)");
        return;
    }
    answer->status = "200";
    answer->text = "OK";
    memcpy(answer->user_id, key, MGC_KEY_SIZE);
}

struct mgc_zap_answer mgc_zap_decide(
    const struct mgc_keyring *ring, const struct mgc_zap_frame *frames, size_t frame_count)
{
    struct mgc_zap_answer answer = {.who = "a connection"};
    char from[64], key[MGC_KEY_SIZE];
    if (frame_count != MGC_ZAP_FRAMES || !is(&frames[0], "1.0") ||
        !is(&frames[2], MGC_ZAP_DOMAIN)) {
        refuse(&answer, MGC_E_PROTOCOL, "request for admission is malformed", "");
        return answer;
    }
    printable(from, sizeof(from), &frames[3]);
    snprintf(answer.who, sizeof(answer.who), "a connection from %s", from);
    if (!is(&frames[5], "CURVE") || frames[6].len != 32 ||
        !zmq_z85_encode(key, frames[6].data, 32)) {
        refuse(&answer, MGC_E_DENIED, "connection is not encrypted with CURVE", "");
        return answer;
    }
    judge_key(&answer, ring, key, from);
    return answer;
}
