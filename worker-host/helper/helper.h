/* The host's end of a conversation with mgdevice on a phone (docs/device.md, common/device/).
 *
 * One object is one adb stream and one process on the phone, which ends when this is freed, when
 * the stream breaks, or when this process dies. It belongs to one thread. Calls wait for their
 * answer with the caller's deadline and stop descriptor; what comes meanwhile for a watch or a
 * sampling is given to that one's callback, from inside any call. Every error names the device.
 *
 * After MGC_E_LOST (stream or program ended) or MGC_E_PROTOCOL (it speaks something else) every
 * later call fails in the same words. A call that ran out of time leaves the others intact.
 */
#ifndef MGC_HELPER_H
#define MGC_HELPER_H

#include "common/base/hash.h"
#include "common/device/message.h"
#include "worker-host/adb/shell.h"

struct mgc_helper; /* opaque */

struct mgc_helper_place {
    const char *serial;
    const char *package; /* run as this app's user; NULL: as the shell's */
    const char *program; /* path on the device; NULL: where host.helper puts it (program.h) */
};

/* What the program said of itself. */
struct mgc_helper_facts {
    unsigned protocol;
    char build[32], abi[32];
    char boot_id[64]; /* empty: it could not read it */
    uint32_t pid, uid;
    int64_t mono_ns, boottime_ns; /* CLOCK_MONOTONIC and CLOCK_BOOTTIME when it answered */
    bool has_pidfd;
};

/* Start the program and say hello. MGC_E_NOT_FOUND when host.helper has not put it there;
 * MGC_E_FAILED with the shell's, linker's or run-as's own words when it does not start;
 * MGC_E_VERSION when it speaks another protocol. */
struct mgc_helper *mgc_helper_open(struct mgc_adb *adb, const struct mgc_helper_place *place,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
void mgc_helper_free(struct mgc_helper *helper); /* takes NULL */
const struct mgc_helper_facts *mgc_helper_facts(const struct mgc_helper *helper);

/* --- events ----------------------------------------------------------------------------------- */

/* To be polled with other sockets; when readable (or buffered, then do not poll), pump. */
mgc_socket mgc_helper_socket(const struct mgc_helper *helper);
bool mgc_helper_buffered(const struct mgc_helper *helper);
/* Take one piece of what came, waiting for it if need be, and call the callbacks it is for. */
bool mgc_helper_pump(
    struct mgc_helper *helper, const struct mgc_adb_wait *wait, struct mgc_error *err);

/* A message of a request: FILE and PROC of a watch, ROW and SAMPLE_END of a sampling, SINK_... of a
 * sink, then DONE or FAILED. Valid for the call only. It must not call into the same helper. */
typedef void mgc_helper_on(void *ctx, const struct mgc_device_msg *msg);

struct mgc_helper_watch {
    const char *dir;          /* NULL: no files. One that is not there yet is waited for */
    const char *const *names; /* plain file names, NULL-ended; NULL: all */
    const char *package;      /* processes of it; NULL: none */
    uint32_t pid;             /* this process; 0: none */
    int scan_ms;              /* looking for a new process of the package; 0: 50 ms */
};
/* What is there already comes as FOUND before this returns. A directory that may not be read is a
 * failure here. *ret_id is for mgc_helper_cancel. */
bool mgc_helper_watch(struct mgc_helper *helper, const struct mgc_helper_watch *watch,
    mgc_helper_on *on, void *ctx, uint32_t *ret_id, const struct mgc_adb_wait *wait,
    struct mgc_error *err);
/* nodes: absolute paths, NULL-ended; rows_max 0: until cancelled. */
bool mgc_helper_sample(struct mgc_helper *helper, const char *const *nodes, unsigned period_ms,
    unsigned rows_max, mgc_helper_on *on, void *ctx, uint32_t *ret_id,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
/* Rows of that sampling at once, beside those that are due: `rows` of them, the second after
 * gap_ms, the others after twice the time each. The first one has been given before this returns.
 * They take the place of what is left of an earlier call. */
bool mgc_helper_sample_now(struct mgc_helper *helper, uint32_t id, unsigned rows, unsigned gap_ms,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
struct mgc_helper_sink {
    unsigned port; /* 0: any free one */
    int64_t lifetime_ms;
    unsigned char token[MGC_DEVICE_TOKEN_SIZE];
};
/* The far end of a link test (common/device/sink.h). `on` gets SINK_READY with the port before this
 * returns, then SINK_TOLD as it happens, and SINK_END when it was cancelled or its time is over. */
bool mgc_helper_sink(struct mgc_helper *helper, const struct mgc_helper_sink *sink,
    mgc_helper_on *on, void *ctx, uint32_t *ret_id, const struct mgc_adb_wait *wait,
    struct mgc_error *err);
/* End a watch, sampling or sink; its last messages and DONE are given before this returns. One that
 * has ended already is fine. */
bool mgc_helper_cancel(
    struct mgc_helper *helper, uint32_t id, const struct mgc_adb_wait *wait, struct mgc_error *err);

/* --- files ------------------------------------------------------------------------------------ */

/* Remove below dir; names are as struct mgc_device_remove says, NULL-ended. `on` (may be NULL) gets
 * a REMOVED for each: absent is a state, and so is one that could not be removed. */
bool mgc_helper_remove(struct mgc_helper *helper, const char *dir, const char *const *names,
    mgc_helper_on *on, void *ctx, const struct mgc_adb_wait *wait, struct mgc_error *err);

/* A file to fetch, and what became of it. */
struct mgc_helper_file {
    const char *name;     /* below dir; absolute when dir is NULL */
    const char *local;    /* where to; appears only when whole. NULL: `into`, or just the hash */
    struct mgc_buf *into; /* appended to. NULL with local NULL: just the hash */
    /* results */
    enum mgc_device_state state; /* PRESENT; CHANGED: here, but it changed under the last of three
                                    reads; else not here */
    int errnum;                  /* for UNUSABLE (common/device/errnum.h) */
    int64_t size_bytes;          /* -1: not known */
    int64_t mtime_ns;            /* wall clock of the device; -1: not known */
    char sha256[MGC_SHA256_HEX_SIZE]; /* empty unless PRESENT or CHANGED */
};
/* Fetch or hash several files in one request; each is proved by length and hash. False: the
 * conversation or a local file failed; what a file on the device lacks is its state. */
bool mgc_helper_read(struct mgc_helper *helper, const char *dir, struct mgc_helper_file *files,
    size_t count, int64_t max_bytes, const struct mgc_adb_wait *wait, struct mgc_error *err);
/* A local file to be written to `path` on the device. */
struct mgc_helper_put {
    const char *local, *path;
    unsigned mode; /* permissions */
    /* May be NULL: told how many bytes are there, first those of an earlier try. It must not call
     * into the same helper. */
    void (*sent)(void *ctx, int64_t bytes);
    void *ctx;
};
/* It goes into "PATH.part", from where an earlier try was cut off, and is renamed once its hash is
 * the one of the local file. MGC_E_INTEGRITY when it is not: the part is gone then, as it was of
 * another file, and a second try sends all of it. */
bool mgc_helper_put(struct mgc_helper *helper, const struct mgc_helper_put *put,
    const struct mgc_adb_wait *wait, struct mgc_error *err);

/* --- the rest --------------------------------------------------------------------------------- */

struct mgc_helper_clock {
    int64_t t1_ns, t4_ns; /* mgc_mono_ns here: sent, received */
    int64_t t2_ns, t3_ns; /* CLOCK_MONOTONIC there: read, answered */
};
bool mgc_helper_clock(struct mgc_helper *helper, struct mgc_helper_clock *ret_clock,
    const struct mgc_adb_wait *wait, struct mgc_error *err);

/* Processes of a package (NULL: all that this user sees), each as a PROC to `on`. */
bool mgc_helper_procs(struct mgc_helper *helper, const char *package, mgc_helper_on *on, void *ctx,
    const struct mgc_adb_wait *wait, struct mgc_error *err);

#endif
