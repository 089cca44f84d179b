/* The MGPipe counters of a process and its log: the banner at the start, the dump at the end
 * (contract sections 4.3 and 5). `role` is "client" or "server". */
#ifndef MGC_LAB_REPLAY_DUMP_H
#define MGC_LAB_REPLAY_DUMP_H

#include "lab/replay/env.h"
#include "lab/replay/log.h"
#include "lab/replay/pipestats.h"

/* "MGPipe stats: counters ON ...", when they are on. */
void mgr_dump_banner(struct mgr_log *log, const struct mgr_env *env, const char *role);
/* Write the dump and say so, when one was asked for; a failure is logged. Faults client-no-dump and
 * server-no-dump. */
void mgr_dump_write(struct mgr_log *log, const struct mgr_env *env, const char *role,
    const struct mgr_pipestats *stats);

#endif
