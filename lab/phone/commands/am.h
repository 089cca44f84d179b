/* Parts of am that its files share. */
#ifndef MGC_LAB_PHONE_COMMANDS_AM_H
#define MGC_LAB_PHONE_COMMANDS_AM_H

#include "lab/phone/commands/commands.h"
#include "lab/phone/commands/intent.h"

enum { MGL_AM_REFUSED = 255 }; /* exit code of an exception */

mgl_command_main mgl_am_start;
mgl_command_main mgl_am_start_service;

/* "Starting: Intent { ... }" */
void mgl_am_print(const struct mgl_intent *intent, const char *verb);
/* Says that the activity manager is gone; returns the exit code. */
int mgl_am_dead(void);

#endif
