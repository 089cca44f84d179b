/* The miniature render server: a supervisor that listens and a session process per client.
 *
 * The supervisor reads first messages only; what a client renders runs in a forked child, so that
 * a bad session never takes the listener down. One session at a time (contract section 7).
 */
#ifndef MGC_LAB_REPLAY_SERVER_H
#define MGC_LAB_REPLAY_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/plat/net.h"
#include "common/plat/stop.h"
#include "lab/replay/channel.h"
#include "lab/replay/env.h"
#include "lab/replay/log.h"

/* Exit codes of supervisor and session (contract section 7, those that a miniature can have). */
enum {
    MGR_EXIT_DIAL = 64,      /* a forked server without MOBILEGL_IPC_DIAL */
    MGR_EXIT_FORBIDDEN = 65, /* a forked server with MOBILEGL_TRANSPORT */
    MGR_EXIT_BACKEND = 66,   /* no renderer of that size or name */
    MGR_EXIT_HELLO = 67,     /* handshake broke off */
    MGR_EXIT_SEGMENT = 68,   /* no shared memory */
    MGR_EXIT_BELL = 69,
    MGR_EXIT_LOOP = 70, /* the session's loop: client gone, bad records */
    MGR_EXIT_ARGUMENTS = 71,
    MGR_EXIT_LISTEN = 72, /* also: token too short for a listener that is not loopback */
    MGR_EXIT_ACCEPT = 73,
};

#define MGR_SERVER_BUILD "mgcoord-lab " MGC_VERSION

struct mgr_server {
    struct mgr_env env;
    struct mgr_log log;
    char host[128];
    unsigned port; /* 0 until it listens, when none was given */
    mgc_socket listener;
    uint32_t sessions_faulted;
    /* The one session. */
    struct mgr_msg hello;       /* of the client that was welcomed */
    struct mgr_channel waiting; /* its control connection until its data connection comes */
    uint64_t nonce;             /* 0: nobody is welcomed */
    int64_t data_by_ns;         /* when the data connection must be there */
    pid_t session;              /* 0: none runs */
    int session_fd;             /* pidfd, -1 */
};

/* Serve until the stop object is raised; returns the exit code. */
int mgr_server_run(struct mgr_server *server, struct mgc_stop *stop);

/* One session, in its own process: returns its exit code. Takes both connections. */
int mgr_session_run(struct mgr_server *server, struct mgr_channel *control, mgc_socket data);

#endif
