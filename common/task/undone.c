#include "common/task/undone.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/task/dispatch.h"

static struct mgc_undone_row *row_of(struct mgc_undone *undone, uint64_t task_id)
{
    for (size_t i = 0; i < undone->count; i++) {
        if (undone->rows[i].task_id == task_id)
            return &undone->rows[i];
    }
    return NULL;
}

static struct mgc_undone_row *row_add(struct mgc_undone *undone, uint64_t task_id)
{
    struct mgc_undone_row *rows =
        realloc(undone->rows, (undone->count + 1) * sizeof(*undone->rows));
    if (!rows)
        return NULL;
    undone->rows = rows;
    rows[undone->count] = (struct mgc_undone_row){.task_id = task_id};
    return &rows[undone->count++];
}

void mgc_undone_note(
    void *user, uint64_t task_id, const char *undo, bool other_boot, const struct mgc_error *err)
{
    struct mgc_undone *undone = user;
    mgc_dispatch_log_undo(NULL, task_id, undo, other_boot, err);
    struct mgc_undone_row *row = row_of(undone, task_id);
    if (!row)
        row = row_add(undone, task_id);
    if (!row)
        return; /* logged at least */
    if (!err)
        row->report.done++;
    else if (row->report.failed++ == 0)
        snprintf(row->report.text, sizeof(row->report.text), "%s", err->text);
}

void mgc_undone_of(void *user, uint64_t task_id, struct mgc_undo_report *ret_report)
{
    struct mgc_undone_row *row = row_of(user, task_id);
    *ret_report = row ? row->report : (struct mgc_undo_report){0};
}

void mgc_undone_destroy(struct mgc_undone *undone)
{
    if (!undone)
        return;
    free(undone->rows);
    *undone = (struct mgc_undone){0};
}
