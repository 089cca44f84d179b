/* The lab's first process: builds the world inside the new namespaces, looks after the members,
 * runs the command, and takes everything with it when it ends.
 *
 *   STARTING --phone listens--> RUNNING --command ended--> ENDING --members ended--> gone
 *      |          (a signal ends STARTING and RUNNING in the same way; RUNNING without a command
 *      |          also ends when nobody used the lab for a while)
 *      +--a layer fails--> gone, with a report that names the layer
 */
#ifndef MGC_LAB_FIRST_H
#define MGC_LAB_FIRST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/world/faults.h"
#include "lab/world/layout.h"
#include "lab/world/roster.h"

enum { MGC_LAB_FAULT_MAX = 32 };

struct mgc_lab_first_spec {
    const struct mgc_lab_layout *layout;
    char *const *command; /* ended by NULL; NULL: none, the lab runs until it is told to end */
    const char *link;     /* name of a profile; NULL: a plain cable */
    bool hold_signals;    /* until the command unblocks them (lab/world/spawn.h) */
    bool nohup;           /* the command ignores SIGHUP, as whoever started us does */
    bool loopback;        /* no namespaces */
    struct mgc_lab_roster roster;
    bool phone;
    const char *phone_latency; /* profile of mgphone; NULL: its default */
    bool workers;
    int64_t idle_limit_ms; /* without a command: it ends when unused for so long; 0: never */
    struct mgc_lab_fault faults[MGC_LAB_FAULT_MAX];
    size_t fault_count;
};

/* A mgc_lab_first_fn; arg is a struct mgc_lab_first_spec. */
int mgc_lab_first(int sock, void *arg);

#endif
