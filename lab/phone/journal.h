/* What happened on the phone and when, for tests and benchmarks: DATA/journal.jsonl on the host,
 * one JSON object per line, begun anew with every start of mgphone. No part of what a phone has:
 * programs on the phone cannot see it.
 *
 *   {"mono_ms": 81423.117, "event": "app-start", "package": "...", "process": ":mglsrv", "pid": 71}
 *
 * mono_ms is CLOCK_MONOTONIC of the machine. Events and their keys are listed in docs/lab.md.
 */
#ifndef MGC_LAB_PHONE_JOURNAL_H
#define MGC_LAB_PHONE_JOURNAL_H

#include <stdint.h>

#include "common/base/error.h"

/* On the host, before the phone's root is entered; the descriptor is the caller's. -1: err. */
int mgl_journal_open(const char *data_dir, struct mgc_error *err);

/* One key of an event; the last one of a list has no name. */
struct mgl_journal_key {
    const char *name;
    const char *text; /* NULL: number. Characters other than those of names and paths become '?' */
    int64_t number;
};

/* Append a line; fd -1 does nothing. A full disk loses it: the phone goes on. */
void mgl_journal_write(
    int fd, int64_t mono_ns, const char *event, const struct mgl_journal_key *keys);

#endif
