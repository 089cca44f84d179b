/* The answers to a READ, in the one order that they may come in:
 *
 *   for each file asked for, in order:  HEAD [DATA... END]   (the brackets: when it is PRESENT)
 *
 * The other end is a program on a phone, which may be broken: what comes out of order, for another
 * file or past the size that was asked for is MGC_E_PROTOCOL, and nothing of it is written. One
 * thread. For this folder and its tests. */
#ifndef MGC_HELPER_FETCH_H
#define MGC_HELPER_FETCH_H

#include "worker-host/adb/part.h"
#include "worker-host/helper/helper.h"

struct mgc_fetch {
    struct mgc_helper_file *files; /* borrowed */
    const size_t *wanted;          /* borrowed: which of them this request asks for */
    size_t count;                  /* of these */
    int64_t max_bytes;             /* per file */
    bool hash_only;
    struct mgc_error why; /* first failure on this side, or of the other's order */
    /* progress */
    size_t next;   /* the file whose head comes next */
    bool open;     /* within the file before it */
    int64_t bytes; /* of it, so far */
    size_t into_before;
    struct mgc_sha256 hash;
    struct mgc_adb_part part; /* when it has a local one */
};

/* Before each request: progress and `why` are forgotten; parts must be closed. */
void mgc_fetch_begin(struct mgc_fetch *fetch);
/* One message of the request; others than HEAD, DATA and END are passed over. */
void mgc_fetch_take(struct mgc_fetch *fetch, const struct mgc_device_msg *msg);
/* The request is over: closes what is open. False with `why` when something failed, or when the
 * other end said DONE (`done`) before it had told of every file. */
bool mgc_fetch_end(struct mgc_fetch *fetch, bool done);

#endif
