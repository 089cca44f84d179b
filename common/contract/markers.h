/* What a MobileGL log proves: markers of arm, run-ahead, faults and server sessions, each with its
 * first line as evidence (contract sections 2 and 5). Pure; a log is fed chunk by chunk.
 *
 * The same scanner reads client logs, server logs and the phone's logcat text. Lines that say
 * "Accepted env variable" prove nothing and are passed over. A marker that was not seen is absent;
 * whether it had to be there is the coordinator's question.
 */
#ifndef MGC_CONTRACT_MARKERS_H
#define MGC_CONTRACT_MARKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/contract/lines.h"

enum mgc_marker {
    MGC_MARKER_TRANSPORT_INPROC,  /* Config: MOBILEGL_TRANSPORT=inproc - ... */
    MGC_MARKER_TRANSPORT_SPAWN,   /* Config: MOBILEGL_TRANSPORT=spawn - ... */
    MGC_MARKER_TRANSPORT_REFUSED, /* the value was refused by name; the run went on as monolith */
    MGC_MARKER_SPAWN_ARMED,       /* a forked server process (shm arm) */
    MGC_MARKER_CONTROL_TCP,       /* the TCP session after its handshake */
    MGC_MARKER_CONFIG_IPC,        /* Config: IPC ... */
    MGC_MARKER_RUN_AHEAD_ARMED,
    MGC_MARKER_LOCKSTEP, /* running lockstep */
    MGC_MARKER_DISARMED, /* any case, anywhere on the line */
    MGC_MARKER_FATAL,    /* Fatal{ */
    MGC_MARKER_DEVICE_LOST,
    MGC_MARKER_DEAD_DOORBELL,
    MGC_MARKER_ALIVE_SILENT,   /* the server is ALIVE BUT SILENT */
    MGC_MARKER_REFUSE,         /* Refuse{X}, on either side */
    MGC_MARKER_ACTIVE_BACKEND, /* Config: Active backend type set to X */
    MGC_MARKER_PIPE_STATS,     /* MGPipe stats: frames=... (not the banner) */
    MGC_MARKER_LISTENING,      /* server: listening on tcp://... */
    MGC_MARKER_READY,          /* server: a session is ready */
    MGC_MARKER_REAPED,         /* server: session pid=N reaped ... */
    MGC_MARKER_COUNT
};

/* Stable name for reports and JSON, such as "run-ahead-armed". */
const char *mgc_marker_name(enum mgc_marker marker);

enum { MGC_MARKER_LINE_MAX = 400 };

struct mgc_marker_hit {
    uint64_t count;                     /* lines that carry it; 0: absent */
    uint64_t line_number;               /* of the first one, from 1 */
    uint64_t last_number;               /* of the latest one: it counts a line once */
    char line[MGC_MARKER_LINE_MAX + 1]; /* the first one verbatim, cut at the cap */
};

/* How a session child ended, from its reap line. */
enum mgc_reap_kind { MGC_REAP_EXIT, MGC_REAP_SIGNAL, MGC_REAP_STATUS };
struct mgc_reap {
    int64_t pid;
    enum mgc_reap_kind kind;
    int64_t value; /* exit code, signal number or raw status */
    bool has_faulted;
    int64_t faulted; /* sessionsFaulted: of this supervisor so far */
    char line[MGC_MARKER_LINE_MAX + 1];
};

/* A server that listens; the latest line wins, an older server may stand in the same log. */
struct mgc_listen {
    bool known;
    bool has_pid;
    int64_t pid;
    char endpoint[128]; /* "tcp://0.0.0.0:40613" */
    uint64_t line_number;
};

enum { MGC_REAPS_MAX = 32 };

/* Zeroed is a valid start; nothing to destroy. About 25 KiB: not for small stacks. */
struct mgc_markers {
    struct mgc_lines lines;   /* lines.count: lines read so far */
    uint64_t accepted_number; /* latest line that only repeats an accepted variable */
    struct mgc_marker_hit hits[MGC_MARKER_COUNT];

    /* From the first line of their marker; absent stays absent. */
    bool has_present_credit, has_run_ahead;
    int64_t present_credit; /* Config: IPC present-credit= */
    int64_t run_ahead;      /* Config: IPC run-ahead= */
    bool has_control_pid;
    int64_t control_pid;      /* server process that the client reached */
    char control_server[128]; /* host:port, empty when absent */
    bool has_spawn_pid;
    int64_t spawn_pid;
    char fatal_family[48]; /* of the first Fatal{, empty when absent */
    char refuse_code[32];  /* of the first Refuse{, empty when absent */
    char backend[32];      /* of the first Active backend line, empty when absent */
    /* A later line of the same marker gives another value: the first one did not hold to the end.
     */
    bool present_credit_varies, control_varies, backend_varies;

    struct mgc_listen listening;
    bool has_ready_pid;
    int64_t ready_pid; /* of the latest ready line */
    /* The first MGC_REAPS_MAX reap lines that could be read; hits[] has the full count. */
    struct mgc_reap reaps[MGC_REAPS_MAX];
    size_t reap_count;
};

void mgc_markers_feed(struct mgc_markers *markers, const void *data, size_t len);
void mgc_markers_finish(struct mgc_markers *markers); /* a last line without newline counts */

static inline bool mgc_markers_has(const struct mgc_markers *markers, enum mgc_marker marker)
{
    return markers->hits[marker].count > 0;
}

/* Add `src` (scanned from another file of the same run) into `into`: counts add up, first lines
 * and values of `into` win, reaps are appended. */
void mgc_markers_merge(struct mgc_markers *into, const struct mgc_markers *src);

#endif
