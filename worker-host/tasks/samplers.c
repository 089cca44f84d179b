#include "worker-host/tasks/samplers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERIAL_MAX = 128 };

struct entry {
    struct mgc_stop *bell; /* borrowed; NULL: free */
    char serial[SERIAL_MAX];
    struct mgc_host_moments told;
};

struct mgc_host_samplers {
    pthread_mutex_t lock; /* over all below */
    struct entry entries[MGC_HOST_SAMPLERS_MAX];
};

struct mgc_host_samplers *mgc_host_samplers_new(struct mgc_error *err)
{
    struct mgc_host_samplers *samplers = calloc(1, sizeof(*samplers));
    if (samplers)
        pthread_mutex_init(&samplers->lock, NULL);
    else
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the list of samplers");
    return samplers;
}

void mgc_host_samplers_free(struct mgc_host_samplers *samplers)
{
    if (!samplers)
        return;
    pthread_mutex_destroy(&samplers->lock);
    free(samplers);
}

static struct entry *find(struct mgc_host_samplers *samplers, const struct mgc_stop *bell)
{
    for (size_t i = 0; i < MGC_HOST_SAMPLERS_MAX; i++)
        if (samplers->entries[i].bell == bell)
            return &samplers->entries[i];
    return NULL;
}

bool mgc_host_samplers_put(struct mgc_host_samplers *samplers, struct mgc_stop *bell,
    const char *serial, struct mgc_error *err)
{
    if (!samplers)
        return true;
    pthread_mutex_lock(&samplers->lock);
    struct entry *entry = find(samplers, NULL);
    if (entry) {
        *entry = (struct entry){.bell = bell};
        snprintf(entry->serial, sizeof(entry->serial), "%s", serial);
    }
    pthread_mutex_unlock(&samplers->lock);
    return entry ||
           mgc_error_set(err, MGC_E_BUSY, "%d tasks sample phones already", MGC_HOST_SAMPLERS_MAX);
}

void mgc_host_samplers_drop(struct mgc_host_samplers *samplers, const struct mgc_stop *bell)
{
    if (!samplers)
        return;
    pthread_mutex_lock(&samplers->lock);
    struct entry *entry = find(samplers, bell);
    if (entry)
        *entry = (struct entry){0};
    pthread_mutex_unlock(&samplers->lock);
}

/* The bell is raised under the lock: after drop nobody touches it any more. */
void mgc_host_samplers_tell(
    struct mgc_host_samplers *samplers, const char *serial, struct mgc_host_moments moments)
{
    if (!samplers)
        return;
    pthread_mutex_lock(&samplers->lock);
    for (size_t i = 0; i < MGC_HOST_SAMPLERS_MAX; i++) {
        struct entry *entry = &samplers->entries[i];
        if (!entry->bell || strcmp(entry->serial, serial) != 0)
            continue;
        entry->told.run_begins |= moments.run_begins;
        entry->told.run_ends |= moments.run_ends;
        mgc_stop_raise(entry->bell);
    }
    pthread_mutex_unlock(&samplers->lock);
}

struct mgc_host_moments mgc_host_samplers_take(
    struct mgc_host_samplers *samplers, struct mgc_stop *bell)
{
    struct mgc_host_moments told = {0};
    if (!samplers)
        return told;
    pthread_mutex_lock(&samplers->lock);
    struct entry *entry = find(samplers, bell);
    mgc_stop_lower(bell);
    if (entry) {
        told = entry->told;
        entry->told = (struct mgc_host_moments){0};
    }
    pthread_mutex_unlock(&samplers->lock);
    return told;
}
