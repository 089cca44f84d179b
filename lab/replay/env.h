/* The MOBILEGL_* environment as both roles read it (contract section 6), with what a real library
 * logs about it. Pure: variables come through a getter, remarks go to a callback.
 */
#ifndef MGC_LAB_REPLAY_ENV_H
#define MGC_LAB_REPLAY_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/replay/log.h"

enum mgr_transport_kind { MGR_MONOLITH, MGR_INPROC, MGR_SPAWN };

struct mgr_env {
    enum mgr_transport_kind transport;
    char control[160]; /* "fork", "tcp://host:port", ... */
    char data[16];     /* "auto", "stream", "shm" */
    char token[129];
    char backend[32]; /* MOBILEGL_BACKEND_TYPE; empty: not set */
    char log_base[512];
    char server_path[512]; /* MOBILEGL_IPC_SERVER_PATH: the image for control=fork; empty: none */
    char stats_file[512];  /* MOBILEGL_PIPE_STATS_FILE: base name of the dumps; empty: none */
    bool require_same_build, run_ahead, log_forward, verb_barrier, strict;
    bool pipe_stats;   /* counters and their lines */
    bool link_metrics; /* MOBILEGL_PIPE_STATS was exactly "1" */
    bool server_frame_stats;
    int64_t stats_period;
    int64_t present_credit, spin_us, cold_start_ms, control_timeout_ms;
    int64_t ring_mb, stage_mb, event_wait_ms, adopt_tier, role_split_state;
};

typedef const char *mgr_env_get(const char *name); /* getenv's shape; NULL when not set */
typedef void mgr_env_note(void *user, enum mgr_level level, const char *text);

/* Fill *ret_env: defaults, then every variable that is set and legal. An illegal value is refused
 * by name and the default stays; a transport this library does not have runs as monolith. */
void mgr_env_read(struct mgr_env *ret_env, mgr_env_get *get, mgr_env_note *note, void *note_user);

/* Do MOBILEGL_IPC_CONTROL and MOBILEGL_IPC_DATA go together (contract section 6)? MGC_E_USAGE names
 * both when not. Only for spawn. */
bool mgr_env_check_pair(const struct mgr_env *env, struct mgc_error *err);

/* The line "Config: IPC ...": what is in force. */
void mgr_env_ipc_line(const struct mgr_env *env, char *ret_text, size_t size);

/* "tcp://host:port" (host may be "[v6]") into parts; port 0 is allowed only for a listener. */
bool mgr_env_endpoint(const char *text, char *ret_host, size_t size, unsigned *ret_port);

#endif
