/* Signal options as kill(1) writes them. Pure. */
#ifndef MGC_LAB_SIGNALS_H
#define MGC_LAB_SIGNALS_H

#include <stdbool.h>

/* "-9", "-KILL", "-SIGKILL"; false, *ret_sig untouched, for anything else. */
bool mgc_lab_signal_parse(const char *text, int *ret_sig);

#endif
