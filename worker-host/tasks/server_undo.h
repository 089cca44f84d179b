/* Which render server a journal entry means, so that an undo that comes late, perhaps days later,
 * stops that one and no other.
 *
 * Two entries, one after the other: before the start the device's boot and the time in which the
 * server can have begun; once it is known, its pid and start time. A device that has rebooted runs
 * nothing of ours. Task's thread, but for the undo itself (tasks.h).
 */
#ifndef MGC_HOST_SERVER_UNDO_H
#define MGC_HOST_SERVER_UNDO_H

#include "worker-host/adb/shell.h"
#include "worker-host/tasks/common.h"
#include "worker-host/tasks/server_proc.h"

struct mgc_server_mark {
    const char *serial, *package;
    const char *boot_id; /* empty: the device did not say it, any server is then taken for ours */
    int64_t from_cs, to_cs;   /* hundredths of a second since the device's boot */
    int64_t pid, start_ticks; /* pid 0: not known yet */
};

/* Write the entry; one that was there before (*entry not 0) is dropped after that. */
bool mgc_server_journal(struct mgc_task *task, const struct mgc_server_mark *mark, uint64_t *entry,
    struct mgc_error *err);

/* Append commands that tell boot, uptime and the package's servers. */
bool mgc_server_look_script(struct mgc_buf *out, const char *package);
/* Does what they said show the server that the entry means, or may it still come up? Pure. An entry
 * without a boot id means any server. */
bool mgc_server_is_meant(const struct mgc_fields *before, const char *said);

/* At the end of the task: stop the package, whatever is there, and forget the entry. When that
 * fails the entry stays for later. `beside`: as of mgc_server_stop. */
bool mgc_server_end(struct mgc_task *task, const struct mgc_server_mark *mark, uint64_t entry,
    const struct mgc_server_beside *beside, struct mgc_error *err);

#endif
