#include "common/task/leases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/parse.h"
#include "common/base/path.h"
#include "common/base/text.h"
#include "common/plat/file.h"
#include "common/task/lease.h"
#include "common/task/lines.h"

enum { EPOCH_MAX = 64 }; /* bytes of the file */
enum { FACTS_MAX = 64 }; /* a hello has to fit into a message, on a machine of many phones too */

struct mgc_leases {
    struct mgc_lease_place place;
    int64_t epoch;                                /* of the current session; 0: none yet */
    char coordinator[MGC_LEASE_COORDINATOR_SIZE]; /* of the session; empty: not told */
    struct mgc_error damage; /* why the epoch on disk is not known; else without a code */
    struct mgc_lease *first; /* owned */
};

/* ---- the list ---- */

static void give_back(struct mgc_leases *leases, struct mgc_lease *lease)
{
    struct mgc_lease **at = &leases->first;
    while (*at != lease)
        at = &(*at)->next;
    *at = lease->next;
    mgc_lease_end(lease, &leases->place);
}

static struct mgc_lease *add(struct mgc_leases *leases, const char *resource, const char *run_id)
{
    struct mgc_lease *lease = calloc(1, sizeof(*lease));
    if (!lease || !(lease->run_id = strdup(run_id))) {
        free(lease);
        return NULL;
    }
    lease->lock = (struct mgc_lock)MGC_LOCK_INIT;
    snprintf(lease->resource, sizeof(lease->resource), "%s", resource);
    lease->next = leases->first;
    leases->first = lease;
    return lease;
}

static struct mgc_lease *find(const struct mgc_leases *leases, const char *resource)
{
    struct mgc_lease *lease = leases->first;
    while (lease && strcmp(lease->resource, resource) != 0)
        lease = lease->next;
    return lease;
}

/* ---- start ---- */

/* Cut off what a person's editor or echo puts behind it. */
static const char *first_line(const struct mgc_buf *text, char ret_line[EPOCH_MAX + 1])
{
    const char *from = mgc_buf_text(text);
    snprintf(ret_line, EPOCH_MAX + 1, "%.*s", (int)strcspn(from, "\r\n"), from);
    return ret_line;
}

static bool read_epoch(struct mgc_leases *leases, struct mgc_error *err)
{
    char path[MGC_PATH_MAX], line[EPOCH_MAX + 1];
    struct mgc_buf text = {0};
    if (!mgc_path_join(path, sizeof(path), leases->place.records, "epoch"))
        return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", leases->place.records);
    if (!mgc_file_exists(path))
        return true;
    if (!mgc_file_read(path, EPOCH_MAX, &text, &leases->damage) ||
        !mgc_parse_int(first_line(&text, line), 0, INT64_MAX - 1, &leases->epoch))
        mgc_error_set(&leases->damage, MGC_E_CONFIG,
            "'%s': expected the number of the last session; write one there that is larger than "
            "any before",
            path);
    mgc_buf_destroy(&text);
    return true;
}

/* What a crash cut off, with whose it was. */
static bool add_record(struct mgc_leases *leases, const char *text, const char *resource)
{
    char *run_id = mgc_lines_take(text, "run"), *since = mgc_lines_take(text, "since");
    char *by = mgc_lines_take(text, "coordinator"), *epoch = mgc_lines_take(text, "epoch");
    struct mgc_lease *lease = run_id && since && by && epoch ? add(leases, resource, run_id) : NULL;
    if (lease) {
        snprintf(lease->since, sizeof(lease->since), "%s", since);
        snprintf(lease->coordinator, sizeof(lease->coordinator), "%s", by);
        mgc_parse_int(epoch, 0, INT64_MAX - 1, &lease->epoch);
        mgc_info("the lease on %s of run '%s' was cut off", resource, run_id);
    }
    free(epoch);
    free(by);
    free(since);
    free(run_id);
    return lease != NULL;
}

static void load_record(struct mgc_leases *leases, const char *name)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    if (strcmp(name, "epoch") == 0 ||
        !mgc_path_join(path, sizeof(path), leases->place.records, name) ||
        !mgc_file_read(path, MGC_LEASE_TEXT_MAX, &text, NULL))
        return;
    char *resource = mgc_lines_take(mgc_buf_text(&text), "resource");
    bool fits = resource && strlen(resource) < MGC_LEASE_RESOURCE_MAX;
    if (fits && !mgc_lease_record_is(name, resource))
        mgc_file_remove(path, NULL); /* the temporary file of a write that a crash cut off */
    else if (!fits || !*resource || !add_record(leases, mgc_buf_text(&text), resource))
        mgc_warn("'%s' is no lease and is ignored", path);
    free(resource);
    mgc_buf_destroy(&text);
}

struct mgc_leases *mgc_leases_open(const struct mgc_leases_config *config, struct mgc_error *err)
{
    struct mgc_dir_names names;
    struct mgc_leases *leases = calloc(1, sizeof(*leases));
    if (!leases) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "leases: out of memory");
        return NULL;
    }
    snprintf(leases->place.records, sizeof(leases->place.records), "%s", config->dir);
    snprintf(leases->place.locks, sizeof(leases->place.locks), "%s", config->locks);
    if (!mgc_dir_make(config->dir, 0700, err) || !mgc_dir_make(config->locks, 0700, err) ||
        !read_epoch(leases, err) || !mgc_dir_list(config->dir, &names, err)) {
        free(leases);
        return NULL;
    }
    for (size_t i = 0; i < names.count; i++)
        load_record(leases, names.names[i]);
    mgc_dir_names_destroy(&names);
    return leases;
}

void mgc_leases_free(struct mgc_leases *leases)
{
    if (!leases)
        return;
    for (struct mgc_lease *lease = leases->first, *next; lease; lease = next) {
        next = lease->next;
        mgc_lease_end(lease, NULL);
    }
    free(leases);
}

bool mgc_leases_recover(struct mgc_leases *leases, struct mgc_error *err)
{
    for (struct mgc_lease *lease = leases->first; lease; lease = lease->next) {
        if (lease->lock.handle < 0 && !mgc_lease_lock(lease, &leases->place, err))
            return false;
    }
    return true;
}

bool mgc_leases_next_epoch(struct mgc_leases *leases, int64_t *ret_epoch, struct mgc_error *err)
{
    char path[MGC_PATH_MAX], text[24];
    int len = snprintf(text, sizeof(text), "%" PRId64, leases->epoch + 1);
    if (leases->damage.code) {
        if (err)
            *err = leases->damage;
        return false;
    }
    if (!mgc_path_join(path, sizeof(path), leases->place.records, "epoch") ||
        !mgc_file_write(path, text, (size_t)len, 0600, err))
        return mgc_error_prefix(err, "lease epoch");
    *ret_epoch = ++leases->epoch;
    return true;
}

/* ---- tasks ---- */

static bool check_epoch(const struct mgc_leases *leases, const struct mgc_task_kind *kind,
    const struct mgc_msg_task *task, struct mgc_error *err)
{
    if (task->lease_epoch == leases->epoch || (task->lease_epoch == 0 && !kind->needs))
        return true;
    return mgc_error_set(err, MGC_E_STALE,
        "the task carries lease epoch %" PRId64 ", this session's is %" PRId64
        ": it is meant for another session",
        task->lease_epoch, leases->epoch);
}

/* Of an earlier session, and kept because not everything was undone: newer changes are undone
 * before older ones, so the next run may have it, but no other worker. */
static bool take_over(
    struct mgc_leases *leases, struct mgc_lease *lease, const char *run_id, struct mgc_error *err)
{
    char *copy = strdup(run_id);
    if (!copy)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "lease on %s: out of memory", lease->resource);
    free(lease->run_id);
    lease->run_id = copy;
    lease->epoch = leases->epoch;
    memcpy(lease->coordinator, leases->coordinator, sizeof(lease->coordinator));
    mgc_lease_time(lease->since);
    return mgc_lease_record(lease, &leases->place, err);
}

/* The run's lease on it; obtained when it is not there yet. */
static struct mgc_lease *lease_for(
    struct mgc_leases *leases, const char *resource, const char *run_id, struct mgc_error *err)
{
    struct mgc_lease *lease = find(leases, resource);
    if (!lease) {
        lease = add(leases, resource, run_id);
        if (!lease) {
            mgc_error_set(err, MGC_E_NO_MEMORY, "lease on %s: out of memory", resource);
            return NULL;
        }
        lease->epoch = leases->epoch;
        memcpy(lease->coordinator, leases->coordinator, sizeof(lease->coordinator));
        mgc_lease_time(lease->since);
        if (mgc_lease_lock(lease, &leases->place, err) &&
            mgc_lease_record(lease, &leases->place, err))
            return lease;
        give_back(leases, lease);
        return NULL;
    }
    if (lease->epoch == leases->epoch && strcmp(lease->run_id, run_id) == 0)
        return lease;
    if (lease->epoch != leases->epoch && lease->lock.handle >= 0)
        return take_over(leases, lease, run_id, err) ? lease : NULL;
    mgc_error_set(err, MGC_E_BUSY,
        "%s is still held for run '%s', whose changes are not undone yet", resource, lease->run_id);
    return NULL;
}

static bool check_sole(const struct mgc_lease *lease, struct mgc_error *err)
{
    for (const struct mgc_lease_user *user = lease->users; user; user = user->next) {
        if (user->sole)
            return mgc_error_set(err, MGC_E_BUSY, "%s is held by '%.160s' of run '%.100s' since %s",
                lease->resource, user->task, lease->run_id, user->since);
    }
    return true;
}

static bool use(struct mgc_lease *lease, const struct mgc_task_kind *kind,
    const struct mgc_msg_task *task, bool sole, struct mgc_error *err)
{
    struct mgc_lease_user *user = calloc(1, sizeof(*user));
    size_t size = strlen(task->label) + strlen(kind->name) + 4;
    if (!user || !(user->task = malloc(size))) {
        free(user);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "lease on %s: out of memory", lease->resource);
    }
    snprintf(user->task, size, "%s (%s)", task->label, kind->name);
    user->task_id = task->task_id;
    user->sole = sole;
    mgc_lease_time(user->since);
    user->next = lease->users;
    lease->users = user;
    mgc_lease_note(lease);
    return true;
}

static bool grant_one(struct mgc_leases *leases, const struct mgc_need *need,
    const struct mgc_task_kind *kind, const struct mgc_msg_task *task, const char *run_id,
    struct mgc_error *err)
{
    char resource[MGC_LEASE_RESOURCE_MAX];
    const char *value = mgc_fields_get_str(&task->params, need->param);
    if (!value)
        return true;
    if (snprintf(resource, sizeof(resource), "%s:%s", need->prefix, value) >=
        MGC_LEASE_RESOURCE_MAX)
        return mgc_error_set(err, MGC_E_CONFIG, "%s: parameter \"%s\" is too long for a lease",
            kind->name, need->param);
    struct mgc_lease *lease = lease_for(leases, resource, run_id, err);
    return lease && (!need->sole || check_sole(lease, err)) &&
           use(lease, kind, task, need->sole, err);
}

bool mgc_leases_grant(struct mgc_leases *leases, const struct mgc_task_kind *kind,
    const struct mgc_msg_task *task, const char *run_id, struct mgc_error *err)
{
    if (!check_epoch(leases, kind, task, err))
        return false;
    for (const struct mgc_need *need = kind->needs; need && need->prefix; need++) {
        if (!grant_one(leases, need, kind, task, run_id, err)) {
            mgc_leases_leave(leases, task->task_id);
            return false;
        }
    }
    return true;
}

void mgc_leases_leave(struct mgc_leases *leases, uint64_t task_id)
{
    for (struct mgc_lease *lease = leases->first; lease; lease = lease->next) {
        struct mgc_lease_user **at = &lease->users;
        while (*at && (*at)->task_id != task_id)
            at = &(*at)->next;
        if (!*at)
            continue;
        struct mgc_lease_user *user = *at;
        *at = user->next;
        mgc_lease_user_free(user);
        mgc_lease_note(lease);
    }
}

void mgc_leases_end(struct mgc_leases *leases)
{
    for (struct mgc_lease *lease = leases->first, *next; lease; lease = next) {
        next = lease->next;
        if (lease->lock.handle >= 0)
            give_back(leases, lease);
    }
}

/* ---- who holds what ---- */

void mgc_leases_for(struct mgc_leases *leases, const char *coordinator)
{
    snprintf(leases->coordinator, sizeof(leases->coordinator), "%s", coordinator);
    mgc_text_one_line(leases->coordinator);
}

static void remove_facts(struct mgc_fields *facts)
{
    for (size_t i = facts->count; i-- > 0;) {
        if (strncmp(facts->items[i].name, MGC_LEASE_FACT, sizeof(MGC_LEASE_FACT) - 1) == 0)
            mgc_fields_remove(facts, facts->items[i].name);
    }
}

/* A holder that died left its text: whoever gets the lock knows, and puts the text back, which
 * stays until somebody needs the thing. */
static bool is_held(const char *path, const struct mgc_buf *text)
{
    struct mgc_lock lock = MGC_LOCK_INIT;
    struct mgc_error why = {0};
    if (!mgc_lock_take_public(&lock, path, &why))
        return why.code == MGC_E_BUSY;
    const char *behind_pid = strchr(mgc_buf_text(text), '\n');
    mgc_lock_note(&lock, behind_pid ? behind_pid + 1 : "", NULL);
    mgc_lock_release(&lock);
    return false;
}

/* Of somebody else; a lock of ours is in our list. */
static bool add_other(
    const struct mgc_leases *leases, const char *name, size_t *number, struct mgc_fields *facts)
{
    char path[MGC_PATH_MAX], holder[MGC_LEASE_HOLDER_SIZE];
    struct mgc_buf text = {0};
    bool ok = true;
    if (mgc_path_join(path, sizeof(path), leases->place.locks, name) &&
        mgc_lease_read(path, &text) && mgc_lease_holder(mgc_buf_text(&text), holder)) {
        char *resource = mgc_lines_take(mgc_buf_text(&text), "resource");
        if (resource && *resource && !find(leases, resource))
            ok = mgc_lease_facts(
                mgc_buf_text(&text), is_held(path, &text) ? "other" : "gone", (*number)++, facts);
        free(resource);
    }
    mgc_buf_destroy(&text);
    return ok;
}

static bool add_own(const struct mgc_leases *leases, const struct mgc_lease *lease, bool in_session,
    size_t *number, struct mgc_fields *facts)
{
    struct mgc_buf text = {0};
    bool held = in_session && lease->lock.handle >= 0 && lease->epoch == leases->epoch;
    bool ok = mgc_lease_format(lease, &text) &&
              mgc_lease_facts(mgc_buf_text(&text), held ? "held" : "left", (*number)++, facts);
    mgc_buf_destroy(&text);
    return ok;
}

bool mgc_leases_facts(struct mgc_leases *leases, bool in_session, struct mgc_fields *facts)
{
    struct mgc_dir_names names;
    size_t number = 0;
    bool ok = true;
    remove_facts(facts);
    for (const struct mgc_lease *lease = leases->first; ok && lease && number < FACTS_MAX;
         lease = lease->next)
        ok = add_own(leases, lease, in_session, &number, facts);
    if (!mgc_dir_list(leases->place.locks, &names, NULL))
        return ok;
    for (size_t i = 0; ok && i < names.count && number < FACTS_MAX; i++)
        ok = add_other(leases, names.names[i], &number, facts);
    mgc_dir_names_destroy(&names);
    return ok;
}
