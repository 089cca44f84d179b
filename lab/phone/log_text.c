#include "lab/phone/log_text.h"

#include <ctype.h>
#include <string.h>

static const char letters[] = "VDIWEFS"; /* from MGL_LOG_VERBOSE on */

bool mgl_log_prio_parse(char letter, enum mgl_log_prio *ret_prio)
{
    const char *at = letter ? strchr(letters, toupper((unsigned char)letter)) : NULL;
    if (!at)
        return false;
    *ret_prio = (enum mgl_log_prio)(MGL_LOG_VERBOSE + (at - letters));
    return true;
}

char mgl_log_prio_letter(enum mgl_log_prio prio)
{
    if (prio < MGL_LOG_VERBOSE || prio > MGL_LOG_SILENT)
        return '?';
    return letters[prio - MGL_LOG_VERBOSE];
}
