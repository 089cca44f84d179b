#include "lab/replay/dump.h"

#include <limits.h>
#include <stdio.h>

#include "lab/replay/fault.h"

static bool dump_path(const struct mgr_env *env, const char *role, char ret_path[PATH_MAX])
{
    return env->pipe_stats && env->stats_file[0] &&
           mgr_pipestats_path(env->stats_file, role, ret_path, PATH_MAX, NULL);
}

void mgr_dump_banner(struct mgr_log *log, const struct mgr_env *env, const char *role)
{
    char path[PATH_MAX];
    if (!env->pipe_stats)
        return;
    bool dump = dump_path(env, role, path);
    mgr_log_line(log, MGR_INFO,
        "MGPipe stats: counters ON (MOBILEGL_PIPE_STATS), summary every %lld frames%s%s",
        (long long)env->stats_period, dump ? ", JSON dump to " : "", dump ? path : "");
}

void mgr_dump_write(struct mgr_log *log, const struct mgr_env *env, const char *role,
    const struct mgr_pipestats *stats)
{
    char path[PATH_MAX], knob[32];
    struct mgc_error err = {0};
    if (!dump_path(env, role, path))
        return;
    snprintf(knob, sizeof(knob), "%s-no-dump", role);
    if (mgr_fault(knob))
        return;
    if (mgr_pipestats_dump(stats, path, &err))
        mgr_log_line(log, MGR_INFO, "MGPipe stats: wrote JSON dump to %s", path);
    else
        mgr_log_line(log, MGR_ERROR, "MGPipe stats: no JSON dump: %s", err.text);
}
