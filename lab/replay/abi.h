/* The C ABI between the replay client and libMobileGL.so, which it loads with dlopen.
 *
 * The library holds everything that a real libMobileGL.so would: configuration from the
 * environment, the client's log, rendering or the transport to a server. The client holds the
 * trace, the clock, the comparison and the result files. Plain C types only; one thread.
 */
#ifndef MGC_LAB_REPLAY_ABI_H
#define MGC_LAB_REPLAY_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Name of the `struct mgr_api` that the library exports. */
#define MGR_ABI_SYMBOL "mobilegl_lab_api"
enum { MGR_ABI_VERSION = 2, MGR_ABI_ERROR_SIZE = 512 };

struct mgr_context; /* opaque */

struct mgr_open {
    uint32_t width, height;
    uint32_t frames;        /* that the client will present; faults use it to find the middle */
    const char *backend;    /* "DirectGLES", "DirectVulkan" */
    const char *log_base;   /* when MOBILEGL_LOG_FILE_PATH is not set */
    const char *build;      /* build stamp, compared with the server's */
    bool ends_by_exception; /* ssim mode: counters get no final line and no dump at the client */
};

/* Every function that can fail fills `err` (MGR_ABI_ERROR_SIZE bytes) with one sentence. */
struct mgr_api {
    uint32_t version; /* MGR_ABI_VERSION */
    uint32_t size;    /* of this struct */
    struct mgr_context *(*open)(const struct mgr_open *open, char *err);
    /* Whole wire records without PRESENT; in lockstep waits until they were applied. */
    bool (*submit)(struct mgr_context *context, const void *records, size_t len, char *err);
    /* Wait for an answer of the renderer that depends on all records so far. */
    bool (*query)(struct mgr_context *context, char *err);
    /* End of a frame, `frame` from 0; waits for a present credit. */
    bool (*present)(struct mgr_context *context, uint32_t frame, uint64_t call, char *err);
    /* glFinish: all records so far were applied. */
    bool (*finish)(struct mgr_context *context, char *err);
    /* The picture of the last present, width x height words, bytes R, G, B, A. */
    bool (*read_pixels)(struct mgr_context *context, uint32_t *pixels, size_t count, char *err);
    /* Ends the session and frees the context; `complete` false: the replay was broken off. */
    bool (*close)(struct mgr_context *context, bool complete, char *err);
};

#endif
