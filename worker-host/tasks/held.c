#include "worker-host/tasks/held.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERIAL_MAX = 128 };

struct entry {
    const void *owner; /* NULL: free */
    char serial[SERIAL_MAX];
    struct mgc_buf knobs; /* owned */
};

struct mgc_host_held {
    pthread_mutex_t lock; /* over all below */
    struct entry entries[MGC_HOST_HELD_MAX];
};

struct mgc_host_held *mgc_host_held_new(struct mgc_error *err)
{
    struct mgc_host_held *held = calloc(1, sizeof(*held));
    if (held)
        pthread_mutex_init(&held->lock, NULL);
    else
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the list of held knobs");
    return held;
}

void mgc_host_held_free(struct mgc_host_held *held)
{
    if (!held)
        return;
    for (size_t i = 0; i < MGC_HOST_HELD_MAX; i++)
        mgc_buf_destroy(&held->entries[i].knobs);
    pthread_mutex_destroy(&held->lock);
    free(held);
}

static struct entry *find(struct mgc_host_held *held, const void *owner)
{
    for (size_t i = 0; i < MGC_HOST_HELD_MAX; i++)
        if (held->entries[i].owner == owner)
            return &held->entries[i];
    return NULL;
}

bool mgc_host_held_put(struct mgc_host_held *held, const void *owner, const char *serial,
    const char *knobs, struct mgc_error *err)
{
    if (!held)
        return true;
    pthread_mutex_lock(&held->lock);
    struct entry *entry = find(held, NULL);
    bool ok =
        entry || mgc_error_set(err, MGC_E_BUSY, "%d tasks hold knobs already", MGC_HOST_HELD_MAX);
    if (ok) {
        snprintf(entry->serial, sizeof(entry->serial), "%s", serial);
        ok = mgc_buf_puts(&entry->knobs, knobs) ||
             mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the list of held knobs");
        entry->owner = ok ? owner : NULL;
    }
    pthread_mutex_unlock(&held->lock);
    return ok;
}

void mgc_host_held_drop(struct mgc_host_held *held, const void *owner)
{
    if (!held)
        return;
    pthread_mutex_lock(&held->lock);
    struct entry *entry = find(held, owner);
    if (entry) {
        mgc_buf_destroy(&entry->knobs);
        *entry = (struct entry){0};
    }
    pthread_mutex_unlock(&held->lock);
}

static bool gather(
    struct mgc_host_held *held, const char *serial, struct mgc_buf *out, bool *ret_any)
{
    pthread_mutex_lock(&held->lock);
    for (size_t i = 0; i < MGC_HOST_HELD_MAX; i++) {
        const struct entry *entry = &held->entries[i];
        if (!entry->owner || strcmp(entry->serial, serial) != 0)
            continue;
        *ret_any = true;
        mgc_buf_printf(out, "%s\n", mgc_buf_text(&entry->knobs));
    }
    pthread_mutex_unlock(&held->lock);
    return mgc_buf_ok(out);
}

bool mgc_host_held_get(struct mgc_host_held *held, const char *serial, struct mgc_knobs *ret_knobs,
    bool *ret_any, struct mgc_error *err)
{
    struct mgc_buf lines = {0};
    *ret_any = false;
    ret_knobs->count = 0;
    if (!held)
        return true;
    bool ok = (gather(held, serial, &lines, ret_any) ||
                  mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for held knobs")) &&
              mgc_knobs_parse(mgc_buf_text(&lines), ret_knobs, err);
    mgc_buf_destroy(&lines);
    return ok;
}
