/* What link.c and seat.c share. Internal to link/. */
#ifndef MGC_LINK_SEAT_H
#define MGC_LINK_SEAT_H

#include "coordinator/link/collect.h"
#include "coordinator/link/link.h"
#include "coordinator/link/peers.h"

struct mgc_seat {
    struct mgc_seat *next;
    struct mgc_link *link; /* borrowed */
    struct mgc_seat_ops ops;
    void *user;
    struct mgc_run *run;                       /* borrowed; NULL before attach and after the end */
    char names[MGC_ROLE_COUNT][MGC_NAME_SIZE]; /* empty: anyone */
    struct mgc_peer *serving[MGC_ROLE_COUNT];  /* borrowed from the link's; NULL: nobody */
    bool announced[MGC_ROLE_COUNT]; /* the run knows; not before what is late has been collected */
    struct mgc_collect *collect;    /* owned */
    bool poked;
    bool over; /* and that was told */
};

struct mgc_link {
    struct mgc_loop *loop;         /* borrowed */
    struct mgc_bus_server *server; /* owned */
    mgc_link_note *note;
    void *user;
    void (*looked)(void *user); /* of the latest mgc_link_look; or NULL */
    struct mgc_peers peers;
    struct mgc_seat *seats; /* owned; in the order in which they were made */
    uint64_t timer;
    char refused[768];  /* who was turned away last, and why */
    int64_t refused_ns; /* and when; 0: nobody yet */
};

/* Say a sentence about a worker. */
void mgc_link_say(struct mgc_link *link, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

void mgc_seat_free(struct mgc_seat *seat);

/* Does that worker serve it? */
bool mgc_seat_has(const struct mgc_seat *seat, const struct mgc_peer *peer);
/* It serves from now on; true: its late files come first. */
bool mgc_seat_begin_serving(struct mgc_seat *seat, struct mgc_peer *peer);
/* It does not any more; what it was to bring is late. The run hears of it by mgc_seat_tell_lost. */
void mgc_seat_end_serving(struct mgc_seat *seat, enum mgc_role role);
void mgc_seat_tell_lost(struct mgc_seat *seat, enum mgc_role role, const struct mgc_error *why);
/* EVENT, ARRIVE, RELEASED, RESULT, CHUNK of the worker with that role. True: it was this run's. */
bool mgc_seat_message(struct mgc_seat *seat, enum mgc_role role, const struct mgc_msg *msg);

/* Tell the run of workers that are there and have nothing of earlier on the way. */
void mgc_seat_announce(struct mgc_seat *seat);
void mgc_seat_tick(struct mgc_seat *seat, int64_t now_ns);
int64_t mgc_seat_due(const struct mgc_seat *seat);
/* Its run is over and nothing more is on the way: say so, once. */
void mgc_seat_look_for_end(struct mgc_seat *seat);

#endif
