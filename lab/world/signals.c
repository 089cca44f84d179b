#include "lab/world/signals.h"

#include <signal.h>
#include <string.h>

#include "common/base/parse.h"

bool mgc_lab_signal_parse(const char *text, int *ret_sig)
{
    int64_t number;
    if (text[0] != '-' || text[1] == '-' || text[1] == '\0')
        return false;
    text++;
    if (mgc_parse_int(text, 1, NSIG - 1, &number)) {
        *ret_sig = (int)number;
        return true;
    }
    if (strncmp(text, "SIG", 3) == 0)
        text += 3;
    for (int sig = 1; sig < NSIG; sig++) {
        const char *name = sigabbrev_np(sig);
        if (name != NULL && strcmp(name, text) == 0) {
            *ret_sig = sig;
            return true;
        }
    }
    return false;
}
