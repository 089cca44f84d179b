/* How people follow a run: progress for the terminal, of one phone and of all together. */
#include "coordinator/session/session_private.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "coordinator/history/durations.h"

enum { STATUS_MS = 200 };

/* ---- progress ---- */

/* Of many phones at most a few times a second: the sum of all of them at each event of one would
 * cost more, the more there are. */
static struct mgc_status recent_status(struct fleet *fleet)
{
    int64_t now_ns = mgc_mono_ns();
    if (!mgc_fleet_is_named(fleet) || !fleet->status_ns ||
        now_ns - fleet->status_ns > STATUS_MS * MGC_NS_PER_MS) {
        fleet->status = mgc_fleet_status(fleet);
        fleet->status_ns = now_ns;
    }
    return fleet->status;
}

void mgc_fleet_show(
    struct fleet *fleet, const struct session *session, const struct mgc_progress *event)
{
    struct mgc_status status = recent_status(fleet);
    const char *phone = session ? session->config->plan->phone : NULL;
    if (fleet->config->progress)
        fleet->config->progress(fleet->config->user, phone, event, &status);
    mgc_fleet_tell_watchers(fleet, session, event, &status);
    mgc_fleet_beat(fleet, event, &status);
}

void mgc_session_tell(struct session *session, const struct mgc_progress *event)
{
    mgc_progress_view_take(&session->view, event, mgc_mono_ns());
    mgc_fleet_show(session->fleet, session, event);
}

void mgc_session_note(struct session *session, const char *text)
{
    struct mgc_progress event = {.kind = MGC_PROGRESS_NOTE, .text = text};
    mgc_session_tell(session, &event);
}

static void tell_of(struct session *session, enum mgc_progress_kind kind,
    const struct mgc_attempt *attempt, const char *text)
{
    struct mgc_progress event = {
        .kind = kind,
        .cell = attempt->cell,
        .attempt = attempt->number,
        .state = attempt->completed ? MGC_STEP_DONE : MGC_STEP_FAILED,
        .text = text,
    };
    mgc_session_tell(session, &event);
}

void mgc_session_tell_end(struct session *session, const struct mgc_attempt *attempt)
{
    char line[768];
    snprintf(line, sizeof(line), "%s: %s%s", attempt->cell->id,
        attempt->completed     ? "steps done"
        : attempt->interrupted ? "interrupted: "
                               : "failed: ",
        attempt->error.text);
    tell_of(session, MGC_PROGRESS_END, attempt, line);
}

void mgc_session_tell_verdict(
    struct session *session, const struct mgc_attempt *attempt, const struct mgc_verdict *verdict)
{
    char line[1024];
    bool measured = verdict->state == MGC_VERDICT_MEASURED;
    snprintf(line, sizeof(line), "%s: %s%s%s%s%s", attempt->cell->id,
        mgc_verdict_state_name(verdict->state), measured ? "" : ": ",
        measured ? "" : verdict->reason, measured ? "" : ": ", measured ? "" : verdict->text);
    tell_of(session, MGC_PROGRESS_VERDICT, attempt, line);
}

/* A history that cannot be read costs no run. */
static struct mgc_estimates *make_estimates(struct session *session)
{
    const struct mgc_session_phone *config = session->config;
    struct mgc_error err = {0};
    struct mgc_estimates *estimates = mgc_estimates_typical(config->site, config->plan);
    if (estimates && !mgc_history_durations_of(config->site->results, config->site->phone.serial,
                         config->plan, estimates, &err))
        mgc_results_note(session->results, "estimates are by published runs alone: %s", err.text);
    return estimates;
}

bool mgc_session_follow(struct session *session, struct mgc_error *err)
{
    session->estimates = make_estimates(session);
    bool ok = session->estimates
                  ? mgc_progress_view_init(&session->view, session->config->plan,
                        session->estimates, mgc_mono_ns(), err)
                  : mgc_error_set(err, MGC_E_NO_MEMORY, "no memory to follow the run");
    return ok;
}

/* ---- all of them ---- */

struct mgc_status mgc_session_status(const struct session *session, int64_t now_ns)
{
    const struct mgc_results *done = session->config->done;
    return done ? (struct mgc_status){.cells = done->count, .cell_ns = -1}
                : mgc_progress_view_status(&session->view, now_ns);
}

/* Sums; the last of those that are on gives the phase, as an example. */
static void add_status(struct mgc_status *sum, const struct mgc_status *one, const char *phone)
{
    sum->index += one->index;
    sum->cells += one->cells;
    sum->run_ns = one->run_ns > sum->run_ns ? one->run_ns : sum->run_ns;
    sum->left_ns = one->left_ns < 0 || sum->left_ns < 0 ? -1
                   : one->left_ns > sum->left_ns        ? one->left_ns
                                                        : sum->left_ns;
    if (one->cell[0])
        snprintf(sum->phase, sizeof(sum->phase), "%s %.60s", phone, one->cell);
}

struct mgc_status mgc_fleet_status(const struct fleet *fleet)
{
    struct mgc_status sum = {.cell_ns = -1};
    int64_t now_ns = mgc_mono_ns();
    size_t on = 0;
    if (!mgc_fleet_is_named(fleet))
        return mgc_progress_view_status(&fleet->sessions[0].view, now_ns);
    for (size_t i = 0; i < fleet->count; i++) {
        const struct session *session = &fleet->sessions[i];
        struct mgc_status one = mgc_session_status(session, now_ns);
        if (session->over) { /* nothing is left, whatever its cells' verdicts are */
            one.index = one.cells;
            one.left_ns = 0;
            one.cell[0] = '\0';
        }
        add_status(&sum, &one, session->config->plan->phone);
        on += !session->over;
    }
    snprintf(sum.cell, sizeof(sum.cell), "%zu of %zu phones", on, fleet->count);
    return sum;
}
