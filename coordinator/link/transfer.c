#include "coordinator/link/transfer.h"

#include <stdio.h>
#include <stdlib.h>

struct mgc_transfer *mgc_transfers_add(
    struct mgc_transfers *transfers, uint64_t task_id, const struct mgc_step *step, const char *dir)
{
    struct mgc_transfer *transfer = calloc(1, sizeof(*transfer));
    if (!transfer)
        return NULL;
    transfer->task_id = task_id;
    transfer->step = step;
    snprintf(transfer->dir, sizeof(transfer->dir), "%s", dir);
    transfer->next = transfers->first;
    transfers->first = transfer;
    return transfer;
}

struct mgc_transfer *mgc_transfers_find(struct mgc_transfers *transfers, uint64_t task_id)
{
    for (struct mgc_transfer *t = transfers->first; t; t = t->next) {
        if (t->task_id == task_id)
            return t;
    }
    return NULL;
}

void mgc_transfer_free(struct mgc_transfer *transfer)
{
    if (!transfer)
        return;
    mgc_receive_free(transfer->receive);
    mgc_msg_destroy(&transfer->result);
    free(transfer);
}

void mgc_transfers_detach(struct mgc_transfers *transfers, struct mgc_transfer *transfer)
{
    struct mgc_transfer **at = &transfers->first;
    while (*at && *at != transfer)
        at = &(*at)->next;
    if (*at)
        *at = transfer->next;
}

/* With step NULL: all of that role. */
static void drop(struct mgc_transfers *transfers, const struct mgc_step *step, enum mgc_role role)
{
    struct mgc_transfer **at = &transfers->first;
    while (*at) {
        struct mgc_transfer *transfer = *at;
        if (step ? transfer->step != step : transfer->step->role != role) {
            at = &transfer->next;
            continue;
        }
        *at = transfer->next;
        mgc_transfer_free(transfer);
    }
}

void mgc_transfers_drop_step(struct mgc_transfers *transfers, const struct mgc_step *step)
{
    drop(transfers, step, step->role);
}

void mgc_transfers_drop_role(struct mgc_transfers *transfers, enum mgc_role role)
{
    drop(transfers, NULL, role);
}

void mgc_transfers_destroy(struct mgc_transfers *transfers)
{
    while (transfers->first) {
        struct mgc_transfer *transfer = transfers->first;
        transfers->first = transfer->next;
        mgc_transfer_free(transfer);
    }
}

bool mgc_transfer_keep_result(struct mgc_transfer *transfer, const struct mgc_msg *msg)
{
    /* Through the codec and back: the one place that knows how to copy a message whole. */
    struct mgc_buf bytes = {0};
    bool ok = mgc_msg_encode(msg, &bytes, NULL) &&
              mgc_msg_decode(bytes.data, bytes.len, &transfer->result, NULL);
    mgc_buf_destroy(&bytes);
    return ok;
}
