/* What was true for a whole run: the phone, what its setup found, the route, the workers, the
 * settings that shape the numbers. */
#include <stdio.h>

#include "coordinator/history/db.h"

struct fact_writer {
    struct mgc_history *history;
    sqlite3_stmt *add;
    int64_t run;
};

static bool add(struct fact_writer *writer, const char *source, const char *name,
    const struct mgc_value *value, struct mgc_error *err)
{
    if (value->type == MGC_VALUE_DOUBLE && value->real != value->real)
        return true; /* no number is no row */
    sqlite3_bind_int64(writer->add, 1, writer->run);
    mgc_db_bind_text(writer->add, 2, source);
    mgc_db_bind_text(writer->add, 3, name);
    mgc_db_bind_value(writer->add, 4, value);
    return mgc_db_run(writer->history, writer->add, err);
}

static bool add_fields(struct fact_writer *writer, const char *source,
    const struct mgc_fields *fields, struct mgc_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < fields->count; i++)
        ok = add(writer, source, fields->items[i].name, &fields->items[i].value, err);
    return ok;
}

static bool add_text(struct fact_writer *writer, const char *source, const char *name,
    const char *text, struct mgc_error *err)
{
    struct mgc_value value = {.type = MGC_VALUE_STRING, .string = (char *)text};
    return !text || !*text || add(writer, source, name, &value, err);
}

static bool add_worker(
    struct fact_writer *writer, const struct mgc_host_record *host, struct mgc_error *err)
{
    const struct {
        const char *name, *value;
    } rows[] = {
        {"role", host->role}, {"host", host->host}, {"os", host->os}, {"build", host->build}};
    bool ok = true;
    for (size_t i = 0; ok && host->name && i < sizeof(rows) / sizeof(rows[0]); i++) {
        char name[160];
        snprintf(name, sizeof(name), "%.100s.%s", host->name, rows[i].name);
        ok = add_text(writer, "worker", name, rows[i].value, err);
    }
    return ok;
}

static bool add_all(
    struct fact_writer *writer, const struct mgc_results *results, struct mgc_error *err)
{
    bool ok = add_fields(writer, "device", &results->device, err) &&
              add_fields(writer, "setup", &results->setup, err) &&
              add_fields(writer, "route", &results->route, err);
    for (size_t i = 0; ok && i < results->host_count; i++)
        ok = add_worker(writer, &results->hosts[i], err);
    for (size_t i = 0; ok && i < results->setting_count; i++)
        ok = add_text(writer, "setting", results->settings[i].key, results->settings[i].value, err);
    return ok;
}

bool mgc_db_add_run_facts(struct mgc_history *history, int64_t run,
    const struct mgc_results *results, struct mgc_error *err)
{
    struct fact_writer writer = {.history = history,
        .run = run,
        .add = mgc_db_prepare(history,
            "INSERT OR REPLACE INTO run_facts (run, source, name, value) VALUES (?, ?, ?, ?)",
            err)};
    bool ok = writer.add && add_all(&writer, results, err);
    sqlite3_finalize(writer.add);
    return ok;
}
