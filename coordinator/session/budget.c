/* Which turns the plan's budgets leave out (coordinator/plan/budget.h): nothing more begins once
 * too many cells came to nothing, and no part of the plan that would not fit into the time. What
 * proves cells that were measured is still looked at: brackets behind them, and the close. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "coordinator/plan/plan_text.h"
#include "coordinator/session/session_private.h"
#include "coordinator/verify/reasons.h"

void mgc_session_budget_begin(struct session *session)
{
    session->budget.limit =
        mgc_time_limit_make(&session->config->plan->budget, mgc_mono_ns(), mgc_wall_ns());
}

static int64_t left_ms(const struct session *session)
{
    int64_t left_ns = mgc_time_left_ns(&session->budget.limit, mgc_mono_ns(), mgc_wall_ns());
    return left_ns / MGC_NS_PER_MS;
}

bool mgc_session_time_is_over(const struct session *session)
{
    return mgc_time_is_limited(&session->budget.limit) && left_ms(session) <= 0;
}

/* It had an attempt in this session of the run. */
static bool was_begun(const struct session *session, const struct mgc_cell_result *result)
{
    return result->attempts > 0 && mgc_verdict_is_named(&result->verdict) &&
           result->session == (int64_t)session->results->resumes;
}

static bool was_block_begun(const struct session *session, size_t block)
{
    const struct mgc_results *results = session->results;
    for (size_t i = 0; i < results->count; i++) {
        if (results->cells[i].cell->block == block && was_begun(session, &results->cells[i]))
            return true;
    }
    return false;
}

/* ---- cells that came to nothing ------------------------------------------------------------ */

static bool is_named(const struct mgc_verdict *verdict, enum mgc_reason reason)
{
    return strcmp(verdict->reason, mgc_reason_words(reason)->name) == 0;
}

/* One that waits for its path check or has another turn may still count; one that failed a gate of
 * the plan was measured well enough. */
static bool came_to_nothing(const struct session *session, const struct mgc_cell_result *result)
{
    const struct mgc_verdict *verdict = &result->verdict;
    const struct mgc_reason_words *words = mgc_reason_find(verdict->reason);
    bool bad = verdict->state == MGC_VERDICT_INVALID || verdict->state == MGC_VERDICT_FAILED ||
               verdict->state == MGC_VERDICT_INCOMPLETE;
    return bad && was_begun(session, result) && !result->again && !(words && words->gate) &&
           !is_named(verdict, MGC_REASON_PATH_UNPROVED);
}

/* The run is stopped when it is; asked only when something else would begin. */
static bool is_spent(struct session *session)
{
    const struct mgc_results *results = session->results;
    int64_t limit = session->config->plan->budget.invalid_cells, count = 0;
    const struct mgc_cell_result *last = NULL;
    char text[512];
    for (size_t i = 0; limit && !session->budget.spent && i < results->count; i++) {
        if (!came_to_nothing(session, &results->cells[i]))
            continue;
        last = &results->cells[i];
        count++;
    }
    if (last && count >= limit) {
        session->budget.spent = true;
        snprintf(text, sizeof(text),
            "budget.invalid_cells is spent: %" PRId64
            " cell%s came to nothing, of them %.120s (%s)",
            count, count == 1 ? "" : "s", last->cell->id, last->verdict.reason);
        mgc_session_stop_because(session, text);
        mgc_session_note(session, text);
    }
    return session->budget.spent;
}

/* ---- what fits ----------------------------------------------------------------------------- */

static bool is_to_come(void *user, const struct mgc_cell *cell)
{
    struct session *session = user;
    const struct mgc_standing *standing = mgc_session_standing(session, cell);
    const struct mgc_cell_result *cause;
    if (cell->confirm && !mgc_session_confirms(session, cell))
        return false;
    return !(standing && standing->kept) && !mgc_results_build_is_missing(session->results, cell) &&
           !mgc_results_left_out(session->results, cell, &cause);
}

static void put_limit(const struct session *session, struct mgc_buf *out)
{
    mgc_time_limit_put(
        &session->budget.limit, &session->config->plan->budget, mgc_mono_ns(), mgc_wall_ns(), out);
}

/* "round 3 of rd12 is not begun: it takes about 30 s, and 12 s are left of budget.end_by (06:30)"
 */
static void say_why(struct session *session, const struct mgc_part *part,
    const struct mgc_part_need *need, int64_t time_ms)
{
    struct mgc_buf text = {0};
    mgc_part_put(part, &text);
    mgc_buf_puts(&text, part->round ? " is not begun: " : " are not begun: ");
    if (time_ms > 0) {
        mgc_buf_puts(&text, "about ");
        mgc_duration_put(need->own_ms + need->close_ms, &text);
        mgc_buf_puts(&text, " are needed");
        if (need->others_ms) {
            mgc_buf_puts(&text, ", and about ");
            mgc_duration_put(need->others_ms, &text);
            mgc_buf_puts(&text, " for what other workloads have up to that round");
        }
        mgc_buf_puts(&text, ", but only ");
        mgc_duration_put(time_ms, &text);
        mgc_buf_puts(&text, " are left of ");
        put_limit(session, &text);
    } else {
        put_limit(session, &text);
        mgc_buf_puts(&text, " is over");
    }
    snprintf(session->budget.why, sizeof(session->budget.why), "%s", mgc_buf_text(&text));
    mgc_buf_destroy(&text);
}

/* The first turn of a part decides for all of them. */
static void begin_part(struct session *session, const struct mgc_cell *cell)
{
    const struct mgc_plan *plan = session->config->plan;
    struct mgc_part part;
    size_t at = (size_t)(cell - plan->cells);
    while (at > 0 && plan->cells[at - 1].part == cell->part)
        at--;
    session->budget.part = cell->part;
    session->budget.left = false;
    if (!mgc_plan_next_part(plan, &at, &part))
        return;
    struct mgc_part_need need =
        mgc_part_need_of(plan, &part, at, session->estimates, is_to_come, session);
    int64_t time_ms = left_ms(session);
    session->budget.left = time_ms <= 0 || need.own_ms + need.others_ms + need.close_ms > time_ms;
    if (!session->budget.left)
        return;
    say_why(session, &part, &need, time_ms);
    mgc_session_note(session, session->budget.why);
}

/* Its time was over while the part was on. */
static void cut(struct session *session, struct mgc_cell_result *result)
{
    struct mgc_buf limit = {0};
    put_limit(session, &limit);
    mgc_reason_set(&result->verdict, MGC_REASON_TIME_OVER,
        "not begun, since %s was over when its turn came", mgc_buf_text(&limit));
    mgc_buf_destroy(&limit);
}

static bool is_out_of_time(struct session *session, const struct mgc_cell *cell)
{
    struct mgc_cell_result *result = mgc_results_find(session->results, cell);
    if (!mgc_time_is_limited(&session->budget.limit) || !cell->part)
        return false;
    if (session->budget.part != cell->part)
        begin_part(session, cell);
    if (!session->budget.left && !mgc_session_time_is_over(session))
        return false;
    if (!result) /* a bracket */
        return !cell->after || !was_block_begun(session, cell->block);
    if (session->budget.left)
        mgc_reason_set(&result->verdict, MGC_REASON_NO_TIME_LEFT, "%s", session->budget.why);
    else
        cut(session, result);
    return true;
}

/* ---- further turns ------------------------------------------------------------------------- */

/* The cell, and what goes with it when it crosses hosts, stay void as they are. */
static void give_up(struct session *session, const struct mgc_cell *cell, const char *why)
{
    struct mgc_results *results = session->results;
    for (size_t i = 0; i < results->count; i++) {
        struct mgc_cell_result *result = &results->cells[i];
        bool same_block = cell->block && result->cell->block == cell->block;
        if ((result->cell != cell && !same_block) || !result->again)
            continue;
        result->again = false;
        mgc_results_note(results, "%s is not measured again: %s", result->cell->id, why);
    }
}

/* Of all further turns in this one's block that are still to come; else of this cell's. */
static int64_t again_ms(struct session *session, const struct mgc_cell *cell)
{
    const struct mgc_results *results = session->results;
    int64_t sum_ms = cell->block ? 0 : mgc_estimate_of(session->estimates, cell).ms;
    for (size_t i = 0; cell->block && i < results->count; i++) {
        if (results->cells[i].cell->block == cell->block && results->cells[i].again)
            sum_ms += mgc_estimate_of(session->estimates, results->cells[i].cell).ms;
    }
    return sum_ms;
}

static bool has_time_again(struct session *session, const struct mgc_turn *turn)
{
    const struct mgc_cell *of = turn->sake ? turn->sake : turn->cell;
    int64_t need_ms = again_ms(session, of);
    if (turn->sake)
        need_ms += mgc_estimate_of(session->estimates, turn->cell).ms;
    return !mgc_time_is_limited(&session->budget.limit) || need_ms < left_ms(session);
}

static bool has_turn_again(const struct session *session, const struct mgc_cell *cell)
{
    const struct mgc_results *results = session->results;
    for (size_t i = 0; i < results->count; i++) {
        const struct mgc_cell_result *result = &results->cells[i];
        bool same_block = cell->block && result->cell->block == cell->block;
        if (result->again && (result->cell == cell || same_block))
            return true;
    }
    return false;
}

/* The reference, the bracket before a block and each of its cells lead to a cell that has a further
 * turn; the bracket behind proves what came of it. */
static bool is_left_void(struct session *session, const struct mgc_turn *turn)
{
    const struct mgc_cell *of = turn->sake ? turn->sake : turn->cell;
    bool opens = turn->sake || of->kind == MGC_CELL_BRACKET; /* nothing of the block went again */
    if (of->kind == MGC_CELL_BRACKET && of->after)
        return session->budget.given_up == of->block;
    if (!has_turn_again(session, of))
        return true;
    if (is_spent(session))
        give_up(session, of, session->results->stopped_reason);
    else if (!has_time_again(session, turn))
        give_up(session, of, "it would not fit into the budget of time");
    else
        return false;
    session->budget.given_up = opens ? of->block : 0;
    return true;
}

bool mgc_session_over_budget(struct session *session, const struct mgc_turn *turn)
{
    const struct mgc_cell *cell = turn->cell;
    struct mgc_cell_result *result = mgc_results_find(session->results, cell);
    const struct mgc_budget *budget = &session->config->plan->budget;
    bool any = budget->invalid_cells || mgc_time_is_limited(&session->budget.limit);
    if (!any || cell->kind == MGC_CELL_CLOSE)
        return false;
    if (turn->again)
        return is_left_void(session, turn);
    if (!is_spent(session))
        return is_out_of_time(session, cell);
    if (!result)
        return !cell->after || !was_block_begun(session, cell->block);
    mgc_results_not_begun(session->results, result);
    return true;
}
