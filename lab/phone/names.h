/* The names of our Android commands: links in /system/bin, rows of mgphone-cmd's table. */
#ifndef MGC_LAB_PHONE_NAMES_H
#define MGC_LAB_PHONE_NAMES_H

/* NULL-ended; without run-as, which is a set-uid copy, and pidof, which only a phone
 * without namespaces has: elsewhere it is toybox's. */
extern const char *const mgl_command_names[];

#endif
