/* Who is in the lab without belonging to it: commands of `mglab exec` and `mglab shell`. */
#ifndef MGC_LAB_VISITORS_H
#define MGC_LAB_VISITORS_H

#include <stdbool.h>

/* The parent in the text of a /proc/PID/stat; -1 when it is none. Pure. */
int mgc_lab_stat_parent(const char *text);

/* In the lab's first process: a process whose parent is outside its PID namespace joined it from
 * there. */
bool mgc_lab_has_visitors(void);

#endif
