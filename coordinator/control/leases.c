#include "coordinator/control/leases.h"

#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"

#define FACT "lease." /* common/task/leases.h, which is the workers' */

enum { LEASES_MAX = 256 }; /* more than a worker tells of */

static const char *fact(const struct mgc_fields *facts, size_t number, const char *key)
{
    char name[64];
    snprintf(name, sizeof(name), FACT "%zu.%s", number, key);
    return mgc_fields_get_str(facts, name);
}

static bool put_text(json_t *lease, const char *key, const char *text)
{
    return !text || json_object_set_new(lease, key, mgc_json_text(text)) == 0;
}

static json_t *lease_of(const struct mgc_fields *facts, size_t number)
{
    static const char *const keys[] = {"state", "run", "coordinator", "since", "task"};
    const char *text = fact(facts, number, "epoch");
    json_t *lease = json_object();
    int64_t epoch;
    bool ok = lease && put_text(lease, "resource", fact(facts, number, "resource"));
    for (size_t i = 0; ok && i < sizeof(keys) / sizeof(keys[0]); i++)
        ok = put_text(lease, keys[i], fact(facts, number, keys[i]));
    if (ok && text && mgc_parse_int(text, 0, INT64_MAX, &epoch))
        ok = json_object_set_new(lease, "epoch", json_integer(epoch)) == 0;
    if (ok)
        return lease;
    json_decref(lease);
    return NULL;
}

json_t *mgc_control_leases(const struct mgc_fields *facts)
{
    json_t *leases = json_array();
    for (size_t i = 0; leases && i < LEASES_MAX && fact(facts, i, "resource"); i++) {
        if (json_array_append_new(leases, lease_of(facts, i)) != 0) {
            json_decref(leases);
            return NULL;
        }
    }
    return leases;
}

/* ---- for people ---- */

static const char *text_of(const json_t *lease, const char *key)
{
    const char *text = json_string_value(json_object_get(lease, key));
    return text ? text : "";
}

static const char *beginning(const char *state)
{
    static const struct {
        const char *state, *words;
    } rows[] = {
        {"held", "is held for"},
        {"left", "is not free yet, since not everything is undone of"},
        {"other", "is held by another worker of that machine for"},
        {"gone", "is free, but a worker that is gone has not undone"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].state, state) == 0)
            return rows[i].words;
    }
    return "is held for";
}

void mgc_control_lease_print(const json_t *lease, struct mgc_buf *out)
{
    const char *by = text_of(lease, "coordinator"), *task = text_of(lease, "task");
    const char *since = text_of(lease, "since");
    const json_t *epoch = json_object_get(lease, "epoch");
    mgc_buf_printf(out, "%s %s run '%s'", text_of(lease, "resource"),
        beginning(text_of(lease, "state")), text_of(lease, "run"));
    if (*by)
        mgc_buf_printf(out, " of the coordinator on %s", by);
    if (*task)
        mgc_buf_printf(out, ", task '%s'", task);
    if (epoch)
        mgc_buf_printf(out, ", epoch %lld", (long long)json_integer_value(epoch));
    if (*since)
        mgc_buf_printf(out, ", since %s", since);
}
