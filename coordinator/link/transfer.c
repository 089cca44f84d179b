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

static void transfer_free(struct mgc_transfer *transfer)
{
    mgc_receive_free(transfer->receive);
    mgc_msg_destroy(&transfer->result);
    free(transfer);
}

void mgc_transfers_remove(struct mgc_transfers *transfers, struct mgc_transfer *transfer)
{
    for (struct mgc_transfer **at = &transfers->first; *at; at = &(*at)->next) {
        if (*at == transfer) {
            *at = transfer->next;
            transfer_free(transfer);
            return;
        }
    }
}

void mgc_transfers_drop_role(struct mgc_transfers *transfers, enum mgc_role role)
{
    struct mgc_transfer **at = &transfers->first;
    while (*at) {
        struct mgc_transfer *transfer = *at;
        if (transfer->step->role != role) {
            at = &transfer->next;
            continue;
        }
        *at = transfer->next;
        transfer_free(transfer);
    }
}

void mgc_transfers_destroy(struct mgc_transfers *transfers)
{
    while (transfers->first)
        mgc_transfers_remove(transfers, transfers->first);
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
