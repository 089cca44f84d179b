/* One artifact of one worker, received again and again by the store's own receiver. One thread. */
#ifndef MGC_BENCH_LIB_STREAM_H
#define MGC_BENCH_LIB_STREAM_H

#include "bench/lib/fleet.h"
#include "coordinator/store/receive.h"

struct mgc_stream {
    struct mgc_fleet *fleet; /* borrowed */
    size_t worker;
    uint64_t task_id;
    char dir[MGC_PATH_MAX]; /* where files go, each into a directory of its own: 1, 2, 3... */
    bool forever;           /* begin anew at each end */
    size_t number;          /* of the last directory */
    void (*left)(void *user, size_t number); /* NULL, or: that directory is not needed any more */
    void *user;
    struct mgc_artifact artifact;
    char name[64];
    struct mgc_receive *receive; /* owned */
    uint64_t timer;
    bool ready, done; /* sealed and known; received */
    int64_t written_ns, ready_ns, done_ns;
    struct mgc_error error;
};

/* Let the worker make a file of `size` bytes; `ready` is set when its result is here. */
bool mgc_stream_make(struct mgc_stream *stream, int64_t size, struct mgc_error *err);
/* Receive it into dir; `done` is set at the end. */
bool mgc_stream_begin(struct mgc_stream *stream, struct mgc_error *err);
/* Leave what was received; begin does it, too. */
void mgc_stream_forget(struct mgc_stream *stream);
/* Give it the messages of its worker; false: not for it. */
bool mgc_stream_take(struct mgc_stream *stream, const struct mgc_msg *msg);
void mgc_stream_destroy(struct mgc_stream *stream); /* takes zeroed */

#endif
