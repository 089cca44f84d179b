#include "coordinator/cmd/hosts_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/control/leases.h"

const char *mgc_host_state_name(enum mgc_host_state state)
{
    static const char *const names[] = {
        [MGC_HOST_ABSENT] = "absent",
        [MGC_HOST_NO_KEY] = "no key",
        [MGC_HOST_REVOKED] = "revoked",
        [MGC_HOST_WRONG_ROLE] = "wrong role",
        [MGC_HOST_LOST] = "lost",
        [MGC_HOST_READY] = "ready",
    };
    return names[state];
}

static const struct mgc_worker_key *key_of(const struct mgc_keyring *keys, const char *name)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (strcmp(keys->workers[i].name, name) == 0)
            return &keys->workers[i];
    }
    return NULL;
}

static void add_declared(
    struct mgc_hosts *hosts, const struct mgc_site_worker *worker, const struct mgc_keyring *keys)
{
    struct mgc_host_row *row = &hosts->rows[hosts->count++];
    const struct mgc_worker_key *key = key_of(keys, worker->name);
    row->declared = true;
    snprintf(row->name, sizeof(row->name), "%s", worker->name);
    snprintf(row->role, sizeof(row->role), "%s", mgc_role_name(worker->role));
    if (!key)
        row->state = MGC_HOST_NO_KEY;
    else if (key->revoked)
        row->state = MGC_HOST_REVOKED;
    else if (strcmp(key->role, row->role) != 0)
        row->state = MGC_HOST_WRONG_ROLE;
    else
        row->state = MGC_HOST_ABSENT;
}

static void add_other(struct mgc_hosts *hosts, const struct mgc_worker_key *key)
{
    struct mgc_host_row *row = &hosts->rows[hosts->count++];
    memcpy(row->name, key->name, sizeof(row->name));
    memcpy(row->role, key->role, sizeof(row->role));
    row->state = key->revoked ? MGC_HOST_REVOKED : MGC_HOST_ABSENT;
}

bool mgc_hosts_init(struct mgc_hosts *hosts, const struct mgc_site *site,
    const struct mgc_keyring *keys, struct mgc_error *err)
{
    *hosts = (struct mgc_hosts){0};
    hosts->rows = calloc(site->worker_count + keys->count + 1, sizeof(*hosts->rows));
    if (!hosts->rows)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the list of hosts");
    for (size_t i = 0; i < site->worker_count; i++)
        add_declared(hosts, &site->workers[i], keys);
    for (size_t i = 0; i < keys->count; i++) {
        if (!mgc_hosts_find(hosts, keys->workers[i].name))
            add_other(hosts, &keys->workers[i]);
    }
    return true;
}

void mgc_hosts_destroy(struct mgc_hosts *hosts)
{
    if (!hosts)
        return;
    for (size_t i = 0; i < hosts->count; i++)
        json_decref(hosts->rows[i].leases);
    free(hosts->rows);
    *hosts = (struct mgc_hosts){0};
}

void mgc_host_row_leases(struct mgc_host_row *row, const struct mgc_fields *facts)
{
    json_decref(row->leases);
    row->leases = mgc_control_leases(facts);
}

struct mgc_host_row *mgc_hosts_find(struct mgc_hosts *hosts, const char *name)
{
    for (size_t i = 0; i < hosts->count; i++) {
        if (strcmp(hosts->rows[i].name, name) == 0)
            return &hosts->rows[i];
    }
    return NULL;
}

bool mgc_hosts_complete(const struct mgc_hosts *hosts)
{
    for (size_t i = 0; i < hosts->count; i++) {
        if (hosts->rows[i].declared && hosts->rows[i].state != MGC_HOST_READY)
            return false;
    }
    return true;
}

/* ---- from a running coordinator ---- */

static void take_text(const json_t *worker, const char *key, char *ret_text, size_t size)
{
    const char *text = json_string_value(json_object_get(worker, key));
    snprintf(ret_text, size, "%s", text ? text : "");
}

static void take_offset(const json_t *worker, struct mgc_clock_offset *offset)
{
    const json_t *value = json_object_get(worker, "offset_ns");
    *offset = (struct mgc_clock_offset){
        .known = json_is_integer(value),
        .offset_ns = json_integer_value(value),
        .uncertainty_ns = json_integer_value(json_object_get(worker, "uncertainty_ns")),
        .round_trip_ns = json_integer_value(json_object_get(worker, "round_trip_ns")),
    };
}

static void take_worker(struct mgc_host_row *row, const json_t *worker)
{
    take_text(worker, "host", row->host, sizeof(row->host));
    take_text(worker, "os", row->os, sizeof(row->os));
    take_text(worker, "build", row->build, sizeof(row->build));
    take_offset(worker, &row->offset);
    json_t *leases = json_object_get(worker, "leases");
    json_decref(row->leases);
    row->leases = json_is_array(leases) ? json_incref(leases) : NULL;
    if (row->state == MGC_HOST_ABSENT)
        row->state =
            json_is_true(json_object_get(worker, "joined")) ? MGC_HOST_READY : MGC_HOST_LOST;
}

bool mgc_hosts_take(struct mgc_hosts *hosts, const json_t *answer, struct mgc_error *err)
{
    const json_t *workers = json_object_get(answer, "workers");
    if (!json_is_array(workers))
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "answer of the coordinator: key 'workers' is missing");
    for (size_t i = 0; i < json_array_size(workers); i++) {
        const json_t *worker = json_array_get(workers, i);
        const char *name = json_string_value(json_object_get(worker, "worker"));
        struct mgc_host_row *row = name ? mgc_hosts_find(hosts, name) : NULL;
        if (row)
            take_worker(row, worker);
    }
    return true;
}

/* ---- printing ---- */

static const char *or_dash(const char *text)
{
    return *text ? text : "-";
}

static int width_of(const struct mgc_hosts *hosts, size_t offset, const char *title)
{
    size_t width = strlen(title);
    for (size_t i = 0; i < hosts->count; i++) {
        size_t len = strlen((const char *)&hosts->rows[i] + offset);
        width = len > width ? len : width;
    }
    return (int)width;
}

static void print_offset(const struct mgc_clock_offset *offset, struct mgc_buf *out)
{
    if (offset->known)
        mgc_buf_printf(out, "%+.3f +- %.3f ms", (double)offset->offset_ns / 1e6,
            (double)offset->uncertainty_ns / 1e6);
    else
        mgc_buf_puts(out, "-");
}

static bool is_same(const json_t *a, const json_t *b, const char *key)
{
    return json_equal(json_object_get(a, key), json_object_get(b, key));
}

/* Two workers of one machine see each other's: whoever holds it says so itself. */
static bool is_told_by_holder(const struct mgc_hosts *hosts, const json_t *lease)
{
    const char *state = json_string_value(json_object_get(lease, "state"));
    if (!state || strcmp(state, "other") != 0)
        return false;
    for (size_t i = 0; i < hosts->count; i++) {
        for (size_t k = 0; k < json_array_size(hosts->rows[i].leases); k++) {
            const json_t *one = json_array_get(hosts->rows[i].leases, k);
            const char *held = json_string_value(json_object_get(one, "state"));
            if (held && strcmp(held, "held") == 0 && is_same(one, lease, "resource") &&
                is_same(one, lease, "run"))
                return true;
        }
    }
    return false;
}

static void print_leases(
    const struct mgc_hosts *hosts, const struct mgc_host_row *row, int indent, struct mgc_buf *out)
{
    for (size_t i = 0; i < json_array_size(row->leases); i++) {
        const json_t *lease = json_array_get(row->leases, i);
        if (is_told_by_holder(hosts, lease))
            continue;
        mgc_buf_printf(out, "%*s  ", indent, "");
        mgc_control_lease_print(lease, out);
        mgc_buf_puts(out, "\n");
    }
    if (row->state == MGC_HOST_READY && !row->leases)
        mgc_buf_printf(out, "%*s  did not say who holds what there\n", indent, "");
}

void mgc_hosts_print(const struct mgc_hosts *hosts, struct mgc_buf *out)
{
    int name = width_of(hosts, offsetof(struct mgc_host_row, name), "WORKER");
    int host = width_of(hosts, offsetof(struct mgc_host_row, host), "HOST");
    int os = width_of(hosts, offsetof(struct mgc_host_row, os), "OS");
    int build = width_of(hosts, offsetof(struct mgc_host_row, build), "BUILD");
    mgc_buf_printf(out, "%-*s  %-4s  %-10s  %-*s  %-*s  %-*s  %s\n", name, "WORKER", "ROLE",
        "STATE", host, "HOST", os, "OS", build, "BUILD", "CLOCK");
    for (size_t i = 0; i < hosts->count; i++) {
        const struct mgc_host_row *row = &hosts->rows[i];
        mgc_buf_printf(out, "%-*s  %-4s  %-10s  %-*s  %-*s  %-*s  ", name, row->name, row->role,
            mgc_host_state_name(row->state), host, or_dash(row->host), os, or_dash(row->os), build,
            or_dash(row->build));
        print_offset(&row->offset, out);
        mgc_buf_puts(out, row->declared ? "\n" : "  (not in the site)\n");
        print_leases(hosts, row, name, out);
    }
}

static void advise_declared(const struct mgc_host_row *row, bool keys_only, struct mgc_buf *out)
{
    switch (row->state) {
    case MGC_HOST_NO_KEY:
        mgc_buf_printf(out,
            "worker '%s' has no key; next: mgcoord keys add %s --role %s, or give it in site.yaml "
            "the name that its key has\n",
            row->name, row->name, row->role);
        break;
    case MGC_HOST_REVOKED:
        mgc_buf_printf(out,
            "the key of worker '%s' is revoked; next: make one under another name and write that "
            "name in site.yaml\n",
            row->name);
        break;
    case MGC_HOST_WRONG_ROLE:
        mgc_buf_printf(out,
            "the key of worker '%s' has another role than %s; next: change its role in site.yaml, "
            "or make a key with role %s under another name\n",
            row->name, row->role, row->role);
        break;
    case MGC_HOST_ABSENT:
    case MGC_HOST_LOST:
        if (!keys_only)
            mgc_buf_printf(out,
                "worker '%s' is not there; next: start mgworker-%s with its enrolment file, and "
                "see its log for why it cannot connect\n",
                row->name, row->role);
        break;
    case MGC_HOST_READY:
        break;
    }
}

void mgc_hosts_advise(const struct mgc_hosts *hosts, bool keys_only, struct mgc_buf *out)
{
    for (size_t i = 0; i < hosts->count; i++) {
        const struct mgc_host_row *row = &hosts->rows[i];
        if (row->declared)
            advise_declared(row, keys_only, out);
        else if (row->state != MGC_HOST_REVOKED)
            mgc_buf_printf(out,
                "worker '%s' has a key, but site.yaml does not name it; next: add it under workers "
                "(%s: {role: %s}), or revoke its key\n",
                row->name, row->name, row->role);
    }
}

static json_t *row_to_json(const struct mgc_host_row *row)
{
    json_t *object = json_pack("{s:s, s:s, s:s, s:b}", "worker", row->name, "role", row->role,
        "state", mgc_host_state_name(row->state), "declared", row->declared);
    bool ok = object != NULL;
    if (ok && *row->host)
        ok = json_object_set_new(object, "host", json_string(row->host)) == 0 &&
             json_object_set_new(object, "os", json_string(row->os)) == 0 &&
             json_object_set_new(object, "build", json_string(row->build)) == 0;
    if (ok && row->offset.known)
        ok = json_object_set_new(object, "offset_ns", json_integer(row->offset.offset_ns)) == 0 &&
             json_object_set_new(
                 object, "uncertainty_ns", json_integer(row->offset.uncertainty_ns)) == 0 &&
             json_object_set_new(
                 object, "round_trip_ns", json_integer(row->offset.round_trip_ns)) == 0;
    if (ok && row->leases)
        ok = json_object_set(object, "leases", row->leases) == 0;
    if (ok)
        return object;
    json_decref(object);
    return NULL;
}

json_t *mgc_hosts_to_json(const struct mgc_hosts *hosts)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < hosts->count; i++) {
        if (json_array_append_new(array, row_to_json(&hosts->rows[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}
