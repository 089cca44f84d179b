#include "worker-host/tasks/server_check.h"

#include <stdlib.h>
#include <string.h>

#include "worker-host/adb/quote.h"
#include "worker-host/tasks/replay_check.h"

enum { SAID_MAX = 65536 };

bool mgc_server_check_make(struct mgc_server_check *check, const struct mgc_task *task,
    const char *package, struct mgc_error *err)
{
    const struct mgc_host_worker *host = mgc_task_worker(task);
    check->held = calloc(1, sizeof(*check->held));
    check->said.max = SAID_MAX;
    if (!check->held)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a server task");
    if (!mgc_host_held_get(
            host->held, mgc_task_str(task, "serial"), check->held, &check->knobs_held, err))
        return false;
    bool ok = mgc_replay_check_script(&check->script, check->knobs_held ? check->held : NULL) &&
              mgc_buf_puts(&check->script, "check ") && mgc_adb_quote(&check->script, package) &&
              mgc_buf_puts(&check->script, " </dev/null &\n");
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a server task");
}

bool mgc_server_check_take(
    const struct mgc_server_check *check, struct mgc_task *task, struct mgc_error *err)
{
    const char *begin = strstr(mgc_buf_text(&check->said), MGC_REPLAY_CHECK_BEGIN "\n");
    if (!begin || !strstr(begin, MGC_REPLAY_CHECK_END "\n"))
        return true;
    return mgc_replay_check_take(begin + strlen(MGC_REPLAY_CHECK_BEGIN "\n"),
        check->knobs_held ? check->held : NULL, mgc_task_facts(task), err);
}

void mgc_server_check_destroy(struct mgc_server_check *check)
{
    mgc_buf_destroy(&check->script);
    mgc_buf_destroy(&check->said);
    free(check->held);
    *check = (struct mgc_server_check){0};
}
