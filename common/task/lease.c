#include "common/task/lease.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/task/leases.h"
#include "common/task/lines.h"

enum { FILE_NAME_MAX = 3 * MGC_LEASE_RESOURCE_MAX };
enum { LOOK_MS = 500, LOOK_PAUSE_MS = 5 }; /* a look takes far less than a millisecond */

#define LOCK_SUFFIX ".lock"

/* A file name that tells the resource and that two resources never share: other bytes as %XX. */
static void file_name(const char *resource, char *ret_name, size_t size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    size_t len = 0;
    for (const unsigned char *p = (const unsigned char *)resource; *p && len + 4 < size; p++)
        len += (size_t)snprintf(
            ret_name + len, size - len, strchr(plain, *p) ? "%c" : "%%%02X", (unsigned)*p);
}

bool mgc_lease_record_is(const char *name, const char *resource)
{
    char expected[FILE_NAME_MAX];
    file_name(resource, expected, sizeof(expected));
    return strcmp(name, expected) == 0;
}

static bool record_path(const struct mgc_lease_place *place, const char *resource,
    char ret_path[MGC_PATH_MAX], struct mgc_error *err)
{
    char name[FILE_NAME_MAX];
    file_name(resource, name, sizeof(name));
    return mgc_path_join(ret_path, MGC_PATH_MAX, place->records, name) ||
           mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", place->records);
}

static bool lock_path(const struct mgc_lease_place *place, const char *resource,
    char ret_path[MGC_PATH_MAX], struct mgc_error *err)
{
    char name[FILE_NAME_MAX + sizeof(LOCK_SUFFIX)];
    file_name(resource, name, FILE_NAME_MAX);
    strcat(name, LOCK_SUFFIX);
    return mgc_path_join(ret_path, MGC_PATH_MAX, place->locks, name) ||
           mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", place->locks);
}

void mgc_lease_time(char ret_text[MGC_LEASE_TIME_SIZE])
{
    time_t seconds = (time_t)(mgc_wall_ns() / MGC_NS_PER_S);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    strftime(ret_text, MGC_LEASE_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

bool mgc_lease_format(const struct mgc_lease *lease, struct mgc_buf *out)
{
    char epoch[24];
    snprintf(epoch, sizeof(epoch), "%" PRId64, lease->epoch);
    mgc_lines_put(out, "resource", lease->resource);
    mgc_lines_put(out, "run", lease->run_id);
    mgc_lines_put(out, "coordinator", lease->coordinator);
    mgc_lines_put(out, "epoch", epoch);
    mgc_lines_put(out, "since", lease->since);
    mgc_lines_put(out, "task", lease->users ? lease->users->task : "");
    return mgc_buf_ok(out);
}

void mgc_lease_note(const struct mgc_lease *lease)
{
    struct mgc_buf text = {0};
    struct mgc_error err = {0};
    if (!mgc_lease_format(lease, &text) || !mgc_lock_note(&lease->lock, mgc_buf_text(&text), &err))
        mgc_warn("lease on %s: %s", lease->resource, err.text);
    mgc_buf_destroy(&text);
}

bool mgc_lease_record(
    const struct mgc_lease *lease, const struct mgc_lease_place *place, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    bool ok = mgc_lease_format(lease, &text) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "lease: out of memory");
    ok = ok && record_path(place, lease->resource, path, err) &&
         mgc_file_write(path, mgc_buf_text(&text), text.len, 0600, err);
    mgc_buf_destroy(&text);
    return ok;
}

bool mgc_lease_read(const char *path, struct mgc_buf *buf)
{
    uint64_t size;
    return mgc_file_size(path, &size, NULL) && mgc_file_read(path, MGC_LEASE_TEXT_MAX, buf, NULL);
}

bool mgc_lease_holder(const char *text, char ret_holder[MGC_LEASE_HOLDER_SIZE])
{
    char *run = mgc_lines_take(text, "run"), *task = mgc_lines_take(text, "task");
    char *since = mgc_lines_take(text, "since"), *by = mgc_lines_take(text, "coordinator");
    bool named = run && task && since && *since && by;
    if (named)
        snprintf(ret_holder, MGC_LEASE_HOLDER_SIZE,
            "run '%.100s'%s%.120s%s, %s%.160s%s, since %.30s", run, *by ? " (coordinator on " : "",
            by, *by ? ")" : "", *task ? "'" : "", *task ? task : "no task now", *task ? "'" : "",
            since);
    free(by);
    free(run);
    free(task);
    free(since);
    return named;
}

bool mgc_lease_facts(const char *text, const char *state, size_t number, struct mgc_fields *facts)
{
    static const char *const keys[] = {
        "resource", "run", "coordinator", "epoch", "since", "task", NULL};
    char name[64];
    snprintf(name, sizeof(name), MGC_LEASE_FACT "%zu.state", number);
    bool ok = mgc_fields_set_str(facts, name, state);
    for (const char *const *key = keys; ok && *key; key++) {
        char *value = mgc_lines_take(text, *key);
        snprintf(name, sizeof(name), MGC_LEASE_FACT "%zu.%s", number, *key);
        ok = value && (!*value || mgc_fields_setf(facts, name, "%.200s", value));
        free(value);
    }
    return ok;
}

static bool busy_elsewhere(const char *path, const char *resource, struct mgc_error *err)
{
    struct mgc_buf text = {0};
    char holder[MGC_LEASE_HOLDER_SIZE];
    bool named = mgc_lease_read(path, &text) && mgc_lease_holder(mgc_buf_text(&text), holder);
    if (named)
        mgc_error_set(
            err, MGC_E_BUSY, "%s is held by another worker of this machine: %s", resource, holder);
    else
        mgc_error_prefix(err, "%s is held by another worker of this machine", resource);
    mgc_buf_destroy(&text);
    return false;
}

/* Another worker that looks whether a holder still lives (mgc_leases_facts) has the lock for a
 * moment itself; no event tells when it is free. */
static bool take_lock(struct mgc_lock *lock, const char *path, struct mgc_error *why)
{
    int64_t deadline_ns = mgc_deadline_in_ms(LOOK_MS);
    while (!mgc_lock_take_public(lock, path, why)) {
        if (why->code != MGC_E_BUSY || mgc_deadline_past(deadline_ns))
            return false;
        mgc_sleep_ms(LOOK_PAUSE_MS);
    }
    return true;
}

bool mgc_lease_lock(
    struct mgc_lease *lease, const struct mgc_lease_place *place, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_error why = {0};
    if (!lock_path(place, lease->resource, path, err))
        return false;
    if (take_lock(&lease->lock, path, &why))
        return true;
    if (err)
        *err = why;
    return why.code == MGC_E_BUSY ? busy_elsewhere(path, lease->resource, err)
                                  : mgc_error_prefix(err, "lease on %s", lease->resource);
}

void mgc_lease_user_free(struct mgc_lease_user *user)
{
    free(user->task);
    free(user);
}

void mgc_lease_end(struct mgc_lease *lease, const struct mgc_lease_place *place)
{
    char path[MGC_PATH_MAX];
    struct mgc_error err = {0};
    if (lease->lock.handle >= 0) {
        if (place &&
            (!record_path(place, lease->resource, path, &err) || !mgc_file_remove(path, &err)))
            mgc_warn("lease on %s: %s", lease->resource, err.text);
        if (place)
            mgc_lock_note(&lease->lock, "", NULL);
        mgc_lock_release(&lease->lock);
    }
    while (lease->users) {
        struct mgc_lease_user *next = lease->users->next;
        mgc_lease_user_free(lease->users);
        lease->users = next;
    }
    free(lease->run_id);
    free(lease);
}
