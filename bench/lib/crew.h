/* Forked processes as a control: each gets 64-bit numbers through a pipe of its own, and all answer
 * with 64-bit numbers through a common one. No bus, no threads. Fork them before anything in this
 * process starts a thread or a ZeroMQ context.
 */
#ifndef MGC_BENCH_LIB_CREW_H
#define MGC_BENCH_LIB_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"

struct mgc_crew {
    pid_t *pids;  /* owned */
    int *command; /* owned: write ends, -1 when closed */
    size_t count;
    int answer; /* read end */
};

/* What a member does: read numbers with mgc_crew_read until it says false, answer with
 * mgc_crew_answer. The process ends when it returns. */
typedef void mgc_crew_work(void *user, size_t member, int command, int answer);

bool mgc_crew_start(
    struct mgc_crew *crew, size_t count, mgc_crew_work *work, void *user, struct mgc_error *err);
/* Closes the pipes, so that members end, and waits for them. Takes NULL and zeroed. */
void mgc_crew_end(struct mgc_crew *crew);

bool mgc_crew_tell(struct mgc_crew *crew, size_t member, int64_t number, struct mgc_error *err);
/* Next answer of whichever member; MGC_E_TIMEOUT after 10 s. */
bool mgc_crew_hear(struct mgc_crew *crew, int64_t *ret_number, struct mgc_error *err);

/* In a member. */
bool mgc_crew_read(int command, int64_t *ret_number);
void mgc_crew_answer(int answer, int64_t number);

#endif
