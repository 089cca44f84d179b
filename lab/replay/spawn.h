/* A server of our own: the image MOBILEGL_IPC_SERVER_PATH in a forked process that dials us.
 *
 *   client                                         server
 *   listens at an abstract name, forks  ->         MOBILEGL_IPC_DIAL=@name
 *                                       <-         connects; memfd of the ring, two eventfds
 *   HELLO (proto.h)                     ->
 *                                       <-         READY or REFUSE
 *   records over the ring               ->
 *
 * After that the socket carries nothing: its hang-up tells either side that the other one is gone.
 * The client's MOBILEGL_IPC_* do not reach the server (contract section 6).
 */
#ifndef MGC_LAB_REPLAY_SPAWN_H
#define MGC_LAB_REPLAY_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"

/* What is passed by descriptor, in this order. */
enum { MGR_SPAWN_RING, MGR_SPAWN_CLIENT_BELL, MGR_SPAWN_SERVER_BELL, MGR_SPAWN_FDS };

struct mgr_spawn {
    char name[64];   /* "@mgl-PID-NUMBER" */
    int listener;    /* owned, -1: closed */
    pid_t pid;       /* 0: none runs */
    int pidfd;       /* owned */
    char ending[64]; /* how it ended, "exit code 70"; empty while it runs */
};
#define MGR_SPAWN_INIT                                                                             \
    {                                                                                              \
        .listener = -1, .pidfd = -1                                                                \
    }

/* Listen and fork. The server dies with the calling thread. */
bool mgr_spawn_start(
    struct mgr_spawn *spawn, const char *image, const char *log_base, struct mgc_error *err);
/* The server's connection; MGC_E_LOST with its end when it ended first. -1 on failure. */
int mgr_spawn_accept(struct mgr_spawn *spawn, int64_t deadline_ns, struct mgc_error *err);
/* Wait for its end, kill it at the deadline, and reap it. True: it ended by itself, with code 0. */
bool mgr_spawn_end(struct mgr_spawn *spawn, int64_t deadline_ns);

/* The server's side: "@name" of MOBILEGL_IPC_DIAL. -1 on failure. */
int mgr_spawn_dial(const char *name, struct mgc_error *err);

#endif
