/* The lab's own namespaces: one clone() whose child is PID 1 of the lab, as root or not.
 *
 * Nothing has a name outside, so the kernel removes it all when the last process is gone, and
 * PID 1's death ends every process. The child dies with its creator: the parent-death signal
 * covers most of it, the shared socket (end of stream) the moment before that is set.
 */
#ifndef MGC_LAB_NS_H
#define MGC_LAB_NS_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "lab/world/explain.h"

/* Runs as PID 1 with its end of a SOCK_SEQPACKET pair; its result is the exit code. */
typedef int mgc_lab_first_fn(int sock, void *arg);

/* On true the lab's first process waits for mgc_lab_ns_go; *ret_sock is the other end of the pair
 * and is owned by the caller. */
bool mgc_lab_ns_start(
    mgc_lab_first_fn *first, void *arg, pid_t *ret_pid, int *ret_sock, struct mgc_error *err);
/* The same without namespaces: an ordinary child. */
bool mgc_lab_ns_start_plain(
    mgc_lab_first_fn *first, void *arg, pid_t *ret_pid, int *ret_sock, struct mgc_error *err);
bool mgc_lab_ns_go(int sock, struct mgc_error *err);

/* In PID 1: prove that the namespaces can be used (a kernel may let one make them and then deny
 * everything in them), then private mounts: /proc, /run, /dev/shm, no name servers. */
bool mgc_lab_ns_settle(struct mgc_error *err);

/* Bring the loopback interface of the calling thread's network namespace up. */
bool mgc_lab_ns_loopback_up(struct mgc_error *err);

#endif
