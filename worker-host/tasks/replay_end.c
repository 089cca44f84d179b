#include "worker-host/tasks/replay_end.h"

#include <string.h>

#include "common/base/clock.h"

bool mgc_replay_end_started(const struct mgc_replay_seen *seen)
{
    return seen->has_pid || seen->closes > 0;
}

bool mgc_replay_end_wants_look(const struct mgc_replay_end *end, const struct mgc_replay_seen *seen)
{
    return !end->end && (seen->closes != end->looked || (seen->ended && !end->ended_looked));
}

void mgc_replay_end_looked(struct mgc_replay_end *end, unsigned closes, bool ended, bool whole)
{
    end->looked = closes;
    end->ended_looked = ended;
    end->done_limit_ns = 0; /* something was written: the grace begins anew */
    if (whole)
        end->end = "result";
}

void mgc_replay_end_decide(struct mgc_replay_end *end, const struct mgc_replay_seen *seen)
{
    if (end->end)
        return;
    if (seen->ended && end->ended_looked)
        end->end = "died";
    else if (seen->fatal_line[0])
        end->end = "fatal";
}

int64_t mgc_replay_end_limit(struct mgc_replay_end *end, const struct mgc_replay_seen *seen,
    int64_t now_ns, int64_t deadline_ns)
{
    if (seen->said_done) {
        if (!end->done_limit_ns)
            end->done_limit_ns = now_ns + end->grace_ns;
        return mgc_deadline_min(end->done_limit_ns, deadline_ns);
    }
    if (mgc_replay_end_started(seen) || (!seen->am_done && !seen->am_lost))
        return deadline_ns;
    if (!end->start_limit_ns)
        end->start_limit_ns = now_ns + MGC_REPLAY_STARTED_MS * MGC_NS_PER_MS;
    return mgc_deadline_min(end->start_limit_ns, deadline_ns);
}

void mgc_replay_end_expire(struct mgc_replay_end *end, int64_t now_ns)
{
    bool grace_over = end->done_limit_ns && now_ns >= end->done_limit_ns;
    end->end = grace_over ? "no-result" : "timeout";
}

int64_t mgc_replay_end_moment(const struct mgc_replay_end *end, const struct mgc_replay_seen *seen)
{
    if (end->end && strcmp(end->end, "result") == 0)
        return seen->closed_ns;
    return end->end && strcmp(end->end, "died") == 0 ? seen->end_ns : 0;
}
