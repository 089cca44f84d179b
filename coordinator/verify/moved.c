#include "coordinator/verify/moved.h"

#include "coordinator/verify/metrics.h"

enum { LOG_CLIENT = 1, LOG_SERVER = 4 }; /* of mgc_phone_log_names: each line once */

void mgc_moved_take(struct mgc_moved_seen *seen, size_t log, const char *line)
{
    if (log == LOG_CLIENT && mgc_moved_parse(line, &seen->moved))
        seen->told = true;
    if (log == LOG_SERVER)
        mgc_server_read_take(&seen->read, line);
}

/* ---- processes ------------------------------------------------------------------------------ */

enum { PIDS_MAX = 4 };

struct pids {
    int64_t pids[PIDS_MAX];
    size_t count;
};

static void add_pid(struct pids *pids, bool known, int64_t pid)
{
    for (size_t i = 0; i < pids->count; i++)
        known = known && pids->pids[i] != pid;
    if (known && pids->count < PIDS_MAX)
        pids->pids[pids->count++] = pid;
}

static void add_fact(
    struct pids *pids, const struct mgc_attempt *attempt, const char *step, const char *fact)
{
    int64_t pid = 0;
    bool known = mgc_fields_get_int(mgc_facts_of_step(attempt, step), fact, &pid);
    add_pid(pids, known, pid);
}

static size_t processes(const struct mgc_attempt *attempt, const struct mgc_logs *logs)
{
    const struct mgc_markers *client = &logs->files[MGC_LOG_CLIENT].markers;
    struct pids pids = {0};
    add_fact(&pids, attempt, "replay", "pid");
    if (pids.count == 0)
        return 0;
    add_pid(&pids, client->has_spawn_pid, client->spawn_pid);
    add_fact(&pids, attempt, "server", "server_pid");
    add_fact(&pids, attempt, "server", "session_pid");
    return pids.count;
}

void mgc_moved_metrics(struct mgc_fields *metrics, const struct mgc_attempt *attempt,
    const struct mgc_logs *logs, const struct mgc_moved_seen *seen)
{
    size_t count = processes(attempt, logs);
    if (count)
        mgc_fields_set_int(metrics, "processes", (int64_t)count);
    if (seen->told) {
        mgc_fields_set_int(metrics, "moved_ring_bytes", seen->moved.ring_bytes);
        mgc_fields_set_int(metrics, "moved_shared_bytes", seen->moved.shared_bytes);
        mgc_fields_set_int(metrics, "moved_socket_bytes", seen->moved.socket_bytes);
    }
    mgc_server_read_metrics(metrics, &seen->read);
}
