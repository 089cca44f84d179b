/* The phone's file system: a root of its own in a mount namespace that ends with the phone.
 *
 *   /system/bin   links to toybox applets, sh (mksh), our Android commands; nothing else on PATH
 *   /system/xbin  empty, or su
 *   /system/etc   passwd and group with Android's names; /etc is a link to it
 *   /data /sdcard bound from the host's data directory
 *   /sys          clocks, temperatures, battery: sys/state.h
 *   /dev          null, zero, random, terminals, socket/; /proc of the phone's PID namespace
 *   /usr/lib ...  the host's libraries, read-only, for toybox and the app's programs
 *   /run/mglab    the lab's fault files
 *
 * There is no /tmp and no /usr/bin: phones have none. */
#ifndef MGC_LAB_PHONE_ROOT_H
#define MGC_LAB_PHONE_ROOT_H

#include <stdbool.h>

#include "common/base/error.h"
#include "lab/phone/options.h"

/* Build it and make it this process's root. Called once by the phone's PID 1, inside its own mount
 * and PID namespaces, after mgl_ids_probe. On false the process is to end: mounts may be half
 * made, and go with its namespace. */
bool mgl_root_enter(const struct mgl_options *options, struct mgc_error *err);

/* Build it only; it is the current directory then. With mgl_mounts_record nothing is mounted. */
bool mgl_root_build(const struct mgl_options *options, struct mgc_error *err);

/* Another /proc/sys/kernel/random/boot_id, as after a restart. The current directory is the
 * phone's root. */
bool mgl_root_new_boot_id(struct mgc_error *err);

#endif
