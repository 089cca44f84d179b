/* One lock per name, such as a phone's serial: whoever works on one phone does not wait for those
 * that work on others. Any thread; a hold is released by the thread that took it.
 */
#ifndef MGC_PLAT_KEYLOCK_H
#define MGC_PLAT_KEYLOCK_H

#include <pthread.h>

struct mgc_keyhold { /* on the holder's stack */
    struct mgc_keyhold *next;
    const char *key; /* borrowed */
};

struct mgc_keylock {
    pthread_mutex_t lock; /* over the list; never held while a name is */
    pthread_cond_t changed;
    struct mgc_keyhold *held;
};

void mgc_keylock_init(struct mgc_keylock *keylock);
void mgc_keylock_destroy(struct mgc_keylock *keylock); /* nobody holds or waits */

/* Wait until nobody holds the name, then hold it. The holder's own deadlines bound the wait. */
void mgc_keylock_take(struct mgc_keylock *keylock, struct mgc_keyhold *hold, const char *key);
void mgc_keylock_release(struct mgc_keylock *keylock, struct mgc_keyhold *hold);

#endif
