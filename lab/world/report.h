/* What the lab's first process tells the `mglab run` that made it: one packet at the end;
 * before that one with `up`, when a lab without a command is ready.
 * The other way go single bytes, each the number of a signal for the command.
 */
#ifndef MGC_LAB_REPORT_H
#define MGC_LAB_REPORT_H

#include "common/base/error.h"

/* The lab could not be built, as timeout(1) and docker use it; 126 and 127 are the shell's. */
enum { MGC_LAB_EXIT_BROKEN = 125, MGC_LAB_EXIT_NOT_RUN = 126, MGC_LAB_EXIT_NOT_FOUND = 127 };

struct mgc_lab_report {
    bool up;                       /* it runs, and another report will follow */
    int exit_code;                 /* of mglab run */
    int interrupted;               /* the signal that came before the command ran; 0: none */
    char text[MGC_ERROR_TEXT_MAX]; /* to be printed; "" when there is nothing to say */
};

#endif
