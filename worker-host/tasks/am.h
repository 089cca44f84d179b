/* The activity manager's answers. Pure; any thread.
 *
 * "am start" ends with code 0 also when it started nothing (on many releases), and its words go to
 * either stream; so both are looked at (contract section 3.1, step 3). */
#ifndef MGC_HOST_AM_H
#define MGC_HOST_AM_H

#include <stdbool.h>

#include "common/base/error.h"

/* `what`: "am start". MGC_E_FAILED repeats the words that say so. A warning that the activity was
 * only brought to the front is a failure: its new extras were not taken. */
bool mgc_am_judge(const char *serial, const char *what, int exit_code, const char *out,
    const char *err_text, struct mgc_error *err);

#endif
