/* Tasks whose files are expected, and results whose files are coming in. Internal to link/. */
#ifndef MGC_LINK_TRANSFER_H
#define MGC_LINK_TRANSFER_H

#include "common/base/path.h"
#include "common/wire/msg.h"
#include "coordinator/plan/plan.h"
#include "coordinator/store/receive.h"

struct mgc_transfer {
    uint64_t task_id;
    const struct mgc_step *step; /* borrowed from the plan */
    char dir[MGC_PATH_MAX];
    struct mgc_msg result;       /* owned copy, once it is there */
    struct mgc_receive *receive; /* owned; NULL before the result */
    struct mgc_transfer *next;
};

struct mgc_transfers {
    struct mgc_transfer *first; /* owned */
};

struct mgc_transfer *mgc_transfers_add(struct mgc_transfers *transfers, uint64_t task_id,
    const struct mgc_step *step, const char *dir);
struct mgc_transfer *mgc_transfers_find(struct mgc_transfers *transfers, uint64_t task_id);
/* Take it out of the list; it is the caller's to free. */
void mgc_transfers_detach(struct mgc_transfers *transfers, struct mgc_transfer *transfer);
void mgc_transfer_free(struct mgc_transfer *transfer); /* takes NULL; removes what is half there */
/* The run is done with that step, whatever its task still does. */
void mgc_transfers_drop_step(struct mgc_transfers *transfers, const struct mgc_step *step);
/* The session of that role's worker is over: what it had under way will not come any more. */
void mgc_transfers_drop_role(struct mgc_transfers *transfers, enum mgc_role role);
void mgc_transfers_destroy(struct mgc_transfers *transfers);

/* Keep a copy of a RESULT message. False on no memory. */
bool mgc_transfer_keep_result(struct mgc_transfer *transfer, const struct mgc_msg *msg);

#endif
