/* Puts a schedule into place and takes it away: systemd's files and systemctl, or schtasks.exe.
 * Blocks, each program for at most half a minute. One thread.
 */
#ifndef MGC_DAILY_INSTALL_H
#define MGC_DAILY_INSTALL_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/base/path.h"
#include "coordinator/daily/daily.h"

enum mgc_daily_place {
    MGC_DAILY_SYSTEM,  /* root: /etc/systemd/system */
    MGC_DAILY_USER,    /* $XDG_CONFIG_HOME/systemd/user, the user's own systemd */
    MGC_DAILY_WINDOWS, /* a task of Windows, from within WSL */
};

/* Where a schedule of this user belongs on this machine. */
enum mgc_daily_place mgc_daily_default_place(void);

/* Is a distribution of WSL where we are; its name, NULL where it is none. */
const char *mgc_daily_distribution(void);

/* Replaces one of the same name. What failed half-way is taken away again. */
bool mgc_daily_install(
    const struct mgc_daily *schedule, enum mgc_daily_place place, struct mgc_error *err);
/* MGC_E_NOT_FOUND: there is none of that plan. */
bool mgc_daily_remove(const char *plan, enum mgc_daily_place place, struct mgc_error *err);
/* Lets the system's own program print what there is, on our standard output. */
bool mgc_daily_list(enum mgc_daily_place place, struct mgc_error *err);

/* The user's systemd ends with his last session, and the timer with it; false: it stays on
 * (loginctl enable-linger). Only of MGC_DAILY_USER. */
bool mgc_daily_ends_with_session(void);

#endif
