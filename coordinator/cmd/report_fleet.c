#include "coordinator/cmd/report_fleet.h"

#include <stdlib.h>
#include <string.h>

#include "coordinator/merge/confirm.h"
#include "coordinator/report/report.h"

static bool restore_part(struct mgc_fleet_restored *restored, const char *dir, size_t i, bool is_on)
{
    struct mgc_error *err = &restored->errors[i];
    const char *phone = restored->list.phones[i];
    if (!mgc_fleet_part(dir, phone, restored->dirs[i]))
        return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", dir);
    restored->parts[i] = mgc_restore(restored->dirs[i], err);
    if (!restored->parts[i])
        return false;
    if (is_on && !restored->parts[i]->finished)
        mgc_restored_is_on(restored->parts[i]);
    mgc_results_drop_unconfirmed(&restored->parts[i]->results);
    return true;
}

bool mgc_fleet_restore(
    struct mgc_fleet_restored *restored, const char *dir, bool is_on, struct mgc_error *err)
{
    *restored = (struct mgc_fleet_restored){0};
    if (!mgc_fleet_list_read(dir, &restored->list, err))
        return false;
    size_t count = restored->list.count;
    restored->parts = calloc(count, sizeof(*restored->parts));
    restored->errors = calloc(count, sizeof(*restored->errors));
    restored->dirs = calloc(count, sizeof(*restored->dirs));
    restored->rows = calloc(count, sizeof(*restored->rows));
    if (!restored->parts || !restored->errors || !restored->dirs || !restored->rows) {
        mgc_fleet_restored_destroy(restored);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the run's phones");
    }
    for (size_t i = 0; i < count; i++) {
        bool there = restore_part(restored, dir, i, is_on);
        restored->rows[i] = (struct mgc_fleet_row){
            .phone = restored->list.phones[i],
            .dir = restored->dirs[i] + strlen(dir) + 1,
            .results = there ? &restored->parts[i]->results : NULL,
            .refused = restored->errors[i].text,
        };
    }
    restored->report = (struct mgc_fleet_report){.run_id = restored->list.run_id,
        .plan = restored->list.plan,
        .rows = restored->rows,
        .count = count};
    return true;
}

void mgc_fleet_restored_destroy(struct mgc_fleet_restored *restored)
{
    for (size_t i = 0; restored->parts && i < restored->list.count; i++)
        mgc_restored_free(restored->parts[i]);
    free(restored->parts);
    free(restored->errors);
    free(restored->dirs);
    free(restored->rows);
    mgc_fleet_list_destroy(&restored->list);
    *restored = (struct mgc_fleet_restored){0};
}

bool mgc_fleet_restored_write(
    const struct mgc_fleet_restored *restored, const char *dir, struct mgc_error *err)
{
    for (size_t i = 0; i < restored->list.count; i++) {
        if (restored->parts[i] &&
            !mgc_report_write(&restored->parts[i]->results, restored->dirs[i], err))
            return false;
    }
    return mgc_fleet_write(&restored->report, dir, err);
}
