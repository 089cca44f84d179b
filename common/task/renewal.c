/* What dispatch.h says of the time between two sessions, and before the first. */
#include <inttypes.h>

#include "common/base/log.h"
#include "common/task/dispatch.h"

enum { UNDO_PAUSE_MS = 500 };

void mgc_dispatch_log_undo(
    void *user, uint64_t task_id, const char *undo, bool other_boot, const struct mgc_error *err)
{
    const char *when = other_boot ? " (of an earlier boot)" : "";
    if (err)
        mgc_err("%s of task %" PRIx64 "%s could not be undone and stays in the journal: %s", undo,
            task_id, when, err->text);
    else
        mgc_warn("%s of task %" PRIx64 "%s was left over and is undone", undo, task_id, when);
}

void mgc_dispatch_undo_pending(
    const struct mgc_dispatch_config *config, int undo_tries, mgc_journal_each *each, void *user)
{
    struct mgc_error why = {0};
    struct mgc_fields *facts = &config->hello->facts;
    size_t pending = mgc_journal_count(config->journal);
    /* Also with nothing to undo: a crash may have come between a lease and its first change. */
    bool recovered = mgc_leases_recover(config->leases, &why);
    /* What could not be undone before may be possible now; there is no session to disturb. */
    if (pending && recovered)
        mgc_journal_replay(config->journal, undo_tries, UNDO_PAUSE_MS, each, user);
    else if (pending)
        mgc_warn("%zu changes are not undone yet: %s", pending, why.text);
    if (mgc_journal_count(config->journal) == 0)
        mgc_leases_end(config->leases);
    mgc_fields_set_int(facts, "undo_pending", (int64_t)mgc_journal_count(config->journal));
    if (config->results) /* at start they are read after this */
        mgc_fields_set_int(facts, "results_waiting", (int64_t)mgc_results_count(config->results));
    mgc_leases_facts(config->leases, facts);
}

bool mgc_dispatch_new_session(const struct mgc_dispatch_config *config, int undo_tries,
    mgc_journal_each *each, void *user, struct mgc_error *err)
{
    mgc_dispatch_undo_pending(config, undo_tries, each, user);
    return mgc_leases_next_epoch(config->leases, &config->hello->lease_epoch, err);
}
