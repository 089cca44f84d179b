/* One lease: its record in STATE/leases, its lock with the holder's text in LOCKS. Internal to
 * leases.c; format and files are told in leases.h. */
#ifndef MGC_TASK_LEASE_H
#define MGC_TASK_LEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/fields.h"
#include "common/base/path.h"
#include "common/plat/file.h"

enum {
    MGC_LEASE_RESOURCE_MAX = 160, /* bytes of "phone:SERIAL", NUL included */
    MGC_LEASE_TIME_SIZE = 32,
    MGC_LEASE_COORDINATOR_SIZE = 128,
    MGC_LEASE_HOLDER_SIZE = 540,
    MGC_LEASE_TEXT_MAX = 16 * 1024, /* of a record or a lock's text */
};

struct mgc_lease_user {
    struct mgc_lease_user *next;
    uint64_t task_id;
    bool sole;
    char since[MGC_LEASE_TIME_SIZE];
    char *task; /* owned; "LABEL (KIND)" */
};

struct mgc_lease {
    struct mgc_lease *next;
    char resource[MGC_LEASE_RESOURCE_MAX];
    char *run_id;                                 /* owned */
    char coordinator[MGC_LEASE_COORDINATOR_SIZE]; /* whose run it is; empty: not told */
    int64_t epoch;
    struct mgc_lock lock; /* not held: a crash cut it off and it is not taken back yet */
    char since[MGC_LEASE_TIME_SIZE];
    struct mgc_lease_user *users; /* owned; newest first */
};

struct mgc_lease_place { /* where leases stand */
    char records[MGC_PATH_MAX], locks[MGC_PATH_MAX];
};

/* Take the machine's lock, within half a second. MGC_E_BUSY names who has it. */
bool mgc_lease_lock(
    struct mgc_lease *lease, const struct mgc_lease_place *place, struct mgc_error *err);
/* Put holder and newest task into the lock's text; for people only, so a failure is logged. */
void mgc_lease_note(const struct mgc_lease *lease);
bool mgc_lease_record(
    const struct mgc_lease *lease, const struct mgc_lease_place *place, struct mgc_error *err);
/* Whether a file of that name is the record of that resource, and not what a crash left of writing
 * one. */
bool mgc_lease_record_is(const char *name, const char *resource);
/* Free it; when its lock is ours, release it; remove record and the lock's text (place NULL:
 * they stay, as after a crash). */
void mgc_lease_end(struct mgc_lease *lease, const struct mgc_lease_place *place);
void mgc_lease_user_free(struct mgc_lease_user *user);

/* Append a lock's text. In a directory that anybody may write to there may be a pipe under the
 * name, which is not waited for. */
bool mgc_lease_read(const char *path, struct mgc_buf *buf);
/* "run 'R' (coordinator on HOST, process PID), 'TASK', since TIME" from a lock's text; false when
 * that names nobody. */
bool mgc_lease_holder(const char *text, char ret_holder[MGC_LEASE_HOLDER_SIZE]);
/* The text of its lock and its record. */
bool mgc_lease_format(const struct mgc_lease *lease, struct mgc_buf *out);
/* What a lock's text says, as the number-th lease among facts (leases.h). */
bool mgc_lease_facts(const char *text, const char *state, size_t number, struct mgc_fields *facts);
/* Now, as people read it. */
void mgc_lease_time(char ret_text[MGC_LEASE_TIME_SIZE]);

#endif
