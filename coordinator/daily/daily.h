/* A run that comes every day at a time of its own: as a systemd timer with its service, or as a
 * task of Windows that starts it inside WSL, because a timer of a distribution does not start the
 * distribution. Only texts here, pure; install.h puts them into place.
 */
#ifndef MGC_DAILY_DAILY_H
#define MGC_DAILY_DAILY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"
#include "common/base/error.h"

struct mgc_day_time {
    int hour, minute, second; /* of this machine's local time */
};

/* "02:00" or "02:00:30". */
bool mgc_day_time_parse(const char *text, struct mgc_day_time *ret_time, struct mgc_error *err);

struct mgc_daily {    /* texts are borrowed */
    const char *plan; /* its name: units and task are called mgcoord-PLAN */
    struct mgc_day_time at;
    const char *const *argv; /* the whole command, argv[0] an absolute path; ended by NULL */
    const char *dir;         /* working directory, absolute */
    const char *user;        /* who runs it; NULL: whose timer it is */
};

/* systemd.service(5), systemd.timer(5). The timer is persistent: a night that was missed because
 * the machine was off is made up for when it is on again. False: no memory. */
bool mgc_daily_service(const struct mgc_daily *schedule, struct mgc_buf *out);
bool mgc_daily_timer(const struct mgc_daily *schedule, struct mgc_buf *out);

/* A task of the Windows Task Scheduler (schema 1.2, UTF-8 text) that runs the command by wsl.exe in
 * that distribution, also later when the time was missed. It runs while the user is logged on: WSL
 * of the Microsoft Store cannot be reached from a session without one. False: no memory. */
bool mgc_daily_task(
    const struct mgc_daily *schedule, const char *distribution, struct mgc_buf *out);

/* One argument of a command line in a unit: quoted, with '%' and '$' kept as they are
 * (systemd.service(5), "Command lines"). */
bool mgc_daily_quote_unit(const char *text, struct mgc_buf *out);
/* One argument of a Windows command line (CommandLineToArgvW's rules). */
bool mgc_daily_quote_windows(const char *text, struct mgc_buf *out);

#endif
