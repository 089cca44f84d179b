/* Who a process on the phone is: Android's user ids where this lab may use them.
 *
 * As root (or in a user namespace with a range of ids) the uids are real and the kernel keeps the
 * app's files from the shell. In a namespace with a single id everybody is root; the property
 * ro.mglab.uids says which of the two it is ("real", "none").
 */
#ifndef MGC_LAB_PHONE_IDS_H
#define MGC_LAB_PHONE_IDS_H

#include <stdbool.h>
#include <sys/types.h>

/* MGL_APP + n is the n-th installed app; each has a uid of its own, as on Android. */
enum { MGL_APPS_MAX = 8 };
enum mgl_identity { MGL_ROOT, MGL_SHELL, MGL_APP, MGL_APP_LAST = MGL_APP + MGL_APPS_MAX - 1 };

/* Android's fixed numbers (android_filesystem_config.h) and the first app's. */
enum {
    MGL_UID_ROOT = 0,
    MGL_UID_SYSTEM = 1000,
    MGL_UID_SHELL = 2000,
    MGL_GID_READPROC = 3009,
    MGL_UID_APP = 10123,
    MGL_GID_APP_SHARED = 50123,
};

/* A file that makes the phone one of a single id, whatever the machine allows; see flat.h. */
#define MGL_IDS_ONE_MARK "/system/etc/one-uid"

/* Are all ids above mapped in this user namespace? Read once from /proc/self/uid_map and gid_map;
 * call it before the phone's root is built. */
bool mgl_ids_probe(void);
/* What the probe (or the phone's property, in a command) said. */
bool mgl_ids_are_real(void);
void mgl_ids_set_real(bool real);

/* Pure: does the text of a uid_map cover `id`? */
bool mgl_ids_map_covers(const char *map, unsigned id);

/* 0 where uids are not real. */
uid_t mgl_identity_uid(enum mgl_identity identity);
/* Become that identity for good (groups, gid, uid). No-op where uids are not real. */
bool mgl_identity_take(enum mgl_identity identity);

#endif
