/* Who may use what several runs share, a few at a time: one queue, first come, first served. No
 * time, no messages. */
#ifndef MGC_SCHED_SLOTS_H
#define MGC_SCHED_SLOTS_H

#include <stdbool.h>
#include <stddef.h>

struct mgc_slot_user { /* of one run */
    void *user;        /* whose it is */
    const char *what;  /* it has it, or waits for it: a worker's name; NULL: neither */
    bool has;
    size_t turn; /* when it came; the lower is served first */
};

struct mgc_slots {               /* zeroed: nobody */
    struct mgc_slot_user *users; /* owned */
    size_t count, turns;
    void (*wake)(void *user, void *whose); /* its turn has come; may be NULL */
    void *user;
};

void mgc_slots_destroy(struct mgc_slots *slots); /* takes zeroed */

/* A run that may ask. False: no memory. */
bool mgc_slots_add(struct mgc_slots *slots, void *whose);
/* One of `limit` of that name (borrowed until it is dropped), for a run that has none yet or asks
 * again. False: it waits from its first call on, and ret_holder (may be NULL) is one who has one.
 */
bool mgc_slots_take(
    struct mgc_slots *slots, const char *what, size_t limit, void *whose, void **ret_holder);
/* It is free, or not waited for any more; who is next is told by `wake`, and has it when it asks
 * again. Unknown: nothing. */
void mgc_slots_drop(struct mgc_slots *slots, void *whose);

#endif
