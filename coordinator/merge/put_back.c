#include "coordinator/merge/put_back.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char lost_text[] =
    "not known, since its worker was lost; the worker does it by itself";

static struct mgc_put_back *row_of(struct mgc_results *results, const char *step, const char *kind)
{
    for (size_t i = 0; i < results->put_back_count; i++) {
        struct mgc_put_back *row = &results->put_back[i];
        if (strcmp(row->step, step) == 0 && strcmp(row->kind, kind) == 0)
            return row;
    }
    struct mgc_put_back *rows =
        realloc(results->put_back, (results->put_back_count + 1) * sizeof(*rows));
    if (!rows)
        return NULL;
    results->put_back = rows;
    struct mgc_put_back *row = &rows[results->put_back_count];
    *row = (struct mgc_put_back){.step = strdup(step), .kind = strdup(kind)};
    if (row->step && row->kind) {
        results->put_back_count++;
        return row;
    }
    free(row->step);
    free(row->kind);
    return NULL;
}

void mgc_results_put_back_row(struct mgc_results *results, const char *step, const char *kind,
    int64_t done, int64_t failed, bool on_rejoin, const char *text)
{
    struct mgc_put_back *row = row_of(results, step, kind);
    if (!row)
        return;
    row->done += done;
    row->failed += failed;
    row->on_rejoin = row->on_rejoin || on_rejoin;
    if (text && !row->text)
        row->text = strdup(text);
}

void mgc_results_put_back(struct mgc_results *results, const struct mgc_step *step,
    const struct mgc_step_outcome *outcome, bool held)
{
    const char *text = outcome->undo_text;
    if (outcome->error.code == MGC_E_LOST && outcome->undo_done == 0)
        text = lost_text;
    if (held || text || outcome->undo_done || outcome->undo_failed)
        mgc_results_put_back_row(
            results, step->id, step->kind, outcome->undo_done, outcome->undo_failed, false, text);
}

/* A kind begins with its role: "host.server". */
static bool is_of(const struct mgc_put_back *row, const char *role)
{
    size_t len = strlen(role);
    return strncmp(row->kind, role, len) == 0 && row->kind[len] == '.';
}

void mgc_results_put_back_on_rejoin(struct mgc_results *results, const char *role)
{
    for (size_t i = 0; i < results->put_back_count; i++) {
        struct mgc_put_back *row = &results->put_back[i];
        if (!row->text || strcmp(row->text, lost_text) != 0 || !is_of(row, role))
            continue;
        free(row->text);
        row->text = NULL;
        row->on_rejoin = true;
    }
}

bool mgc_results_left_behind(const struct mgc_results *results)
{
    for (size_t i = 0; i < results->put_back_count; i++) {
        if (results->put_back[i].failed || results->put_back[i].text)
            return true;
    }
    return false;
}

void mgc_results_put_back_text(const struct mgc_results *results, struct mgc_buf *out)
{
    for (size_t i = 0; i < results->put_back_count; i++) {
        const struct mgc_put_back *row = &results->put_back[i];
        if (row->done == 0 && !row->on_rejoin)
            continue;
        mgc_buf_printf(out, "%s%s (%s)", out->len ? ", " : "", row->step, row->kind);
        if (row->done > 1)
            mgc_buf_printf(out, " %" PRId64 " times", row->done);
        if (row->on_rejoin)
            mgc_buf_printf(out, "%s by its worker when it joined again", row->done ? " and" : "");
    }
}
