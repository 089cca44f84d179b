/* Job objects: what holds a child and all that it starts. Microsoft's "Job Objects". */
#ifndef MGC_PLAT_WIN_JOB_H
#define MGC_PLAT_WIN_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

#include "common/base/error.h"

/* Exit code of what we end ourselves: an error code with the bit for customers, so not one that
 * Windows gives. It stands for SIGKILL elsewhere. */
#define MGC_WIN_KILLED 0xE04D4743U

/* A job that ends its members when its last handle is closed, so also when we die. `spares`: what
 * a member starts is not made a member. NULL with the error. */
HANDLE mgc_win_job_new(bool spares, struct mgc_error *err);

/* Wait until the job has no member; false at the deadline. */
bool mgc_win_job_wait(HANDLE job, int64_t deadline_ns);

/* End all members, and wait up to a few seconds until they are gone. */
bool mgc_win_job_end(HANDLE job);

/* WaitForSingleObject until a deadline: true when the object is signalled. */
bool mgc_win_wait_handle(HANDLE handle, int64_t deadline_ns);

#endif
