/* What plat reads of /proc/PID: the parser is pure, the readers name no error ("gone" is normal).
 * Format: proc(5), /proc/[pid]/stat. */
#ifndef MGC_PLAT_UNIX_PROCFS_H
#define MGC_PLAT_UNIX_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mgc_procfs_stat {
    char state;           /* field 3: R, S, D, Z, T, ... */
    int64_t group;        /* field 5 */
    uint64_t start_ticks; /* field 22, clock ticks since boot */
};

/* The command in field 2 may itself hold spaces and parentheses. Pure. */
bool mgc_procfs_stat_parse(const char *text, struct mgc_procfs_stat *ret_stat);
bool mgc_procfs_stat_read(int64_t pid, struct mgc_procfs_stat *ret_stat);

/* Pids of the living members (no zombies) of a process group, at most `max` of them. */
size_t mgc_procfs_group_members(int64_t group, int64_t *ret_pids, size_t max);

/* Is the working directory of that process `dir` or below it, or the value of a variable that it
 * was started with? False for processes of others, which we may not look into. */
bool mgc_procfs_uses_dir(int64_t pid, const char *dir);

#endif
