#include "common/plat/keylock.h"

#include <stdbool.h>
#include <string.h>

void mgc_keylock_init(struct mgc_keylock *keylock)
{
    pthread_mutex_init(&keylock->lock, NULL);
    pthread_cond_init(&keylock->changed, NULL);
    keylock->held = NULL;
}

void mgc_keylock_destroy(struct mgc_keylock *keylock)
{
    pthread_cond_destroy(&keylock->changed);
    pthread_mutex_destroy(&keylock->lock);
}

static bool is_held(const struct mgc_keylock *keylock, const char *key)
{
    const struct mgc_keyhold *hold = keylock->held;
    while (hold && strcmp(hold->key, key) != 0)
        hold = hold->next;
    return hold;
}

void mgc_keylock_take(struct mgc_keylock *keylock, struct mgc_keyhold *hold, const char *key)
{
    pthread_mutex_lock(&keylock->lock);
    while (is_held(keylock, key))
        pthread_cond_wait(&keylock->changed, &keylock->lock);
    *hold = (struct mgc_keyhold){.next = keylock->held, .key = key};
    keylock->held = hold;
    pthread_mutex_unlock(&keylock->lock);
}

void mgc_keylock_release(struct mgc_keylock *keylock, struct mgc_keyhold *hold)
{
    pthread_mutex_lock(&keylock->lock);
    struct mgc_keyhold **at = &keylock->held;
    while (*at != hold)
        at = &(*at)->next;
    *at = hold->next;
    pthread_cond_broadcast(&keylock->changed);
    pthread_mutex_unlock(&keylock->lock);
}
