/* Who is in the lab without belonging to it: commands of `mglab exec` and `mglab shell`. */
#ifndef MGC_LAB_VISITORS_H
#define MGC_LAB_VISITORS_H

#include <stdbool.h>
#include <stddef.h>

/* The parent in the text of a /proc/PID/stat; -1 when it is none. Pure. */
int mgc_lab_stat_parent(const char *text);

/* In the environment of those in a lab without namespaces, whose parents tell nothing. */
#define MGC_LAB_VISITOR "MGLAB_VISITOR"

/* Whether an environment block (NUL-separated) is that of a visitor of the lab on `state`. Pure. */
bool mgc_lab_environ_visits(const char *block, size_t len, const char *state);

/* In the lab's first process: a process whose parent is outside its PID namespace joined it from
 * there. */
bool mgc_lab_has_visitors(void);
/* Ask them and what they started to end (SIGTERM and SIGHUP); each is then told by a pidfd, the
 * caller's to close, that is readable when it has ended. Returns how many, at most `max`. */
size_t mgc_lab_ask_visitors(int *ret_fds, size_t max);
/* The same in a lab without namespaces. */
bool mgc_lab_has_local_visitors(const char *state);

#endif
