/* One entry of the undo journal as text, readable by a person who has to put things right by hand.
 *
 *   undo = route.restore
 *   boot = 6f1c...
 *   task = 1a2b
 *   label = "crosshost/bench-openra-c1-r1 route"
 *   before.address = "192.168.21.181"       strings in quotes with \\ \" \n \xHH
 *   before.had = true                       booleans, whole numbers, and numbers with '.' or 'e'
 *   end                                     last line: a file without it was not written to its end
 *
 * Pure; any thread.
 */
#ifndef MGC_TASK_ENTRY_H
#define MGC_TASK_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/fields.h"

enum { MGC_ENTRY_SIZE_MAX = 64 * 1024, MGC_ENTRY_FIELDS_MAX = 256 };

struct mgc_entry {
    uint64_t task_id;
    char *undo;               /* owned; name of the undo kind */
    char *boot_id;            /* owned; may be empty */
    char *label;              /* owned; the task's, for people; may be empty */
    struct mgc_fields before; /* what undo needs */
};

bool mgc_entry_format(const struct mgc_entry *entry, struct mgc_buf *out);
/* MGC_E_INTEGRITY when the last line is missing, MGC_E_PROTOCOL for anything else that is wrong;
 * errors name `path` and the line. On false nothing is owned. */
bool mgc_entry_parse(const char *text, size_t len, const char *path, struct mgc_entry *ret_entry,
    struct mgc_error *err);
void mgc_entry_destroy(struct mgc_entry *entry); /* takes NULL and zeroed */

#endif
