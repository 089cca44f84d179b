/* Is the app there at all? What am, run-as and pm say of a missing one differs between releases and
 * is also said for other reasons, so the package manager is asked, once something failed. */
#ifndef MGC_HOST_INSTALLED_H
#define MGC_HOST_INSTALLED_H

#include "worker-host/tasks/common.h"

/* The phone says that it has no such app; false also when it says nothing. */
bool mgc_host_is_missing(struct mgc_task *task, const char *package);
/* A step on the app failed, as `err` says. When its package is not installed, err says that instead
 * (MGC_E_NOT_FOUND), and the fact failure is "not-installed". Returns false. */
bool mgc_host_installed_or(struct mgc_task *task, const char *package, struct mgc_error *err);
/* Say it: the package manager has been asked. Returns false. */
bool mgc_host_not_installed(struct mgc_task *task, const char *package, struct mgc_error *err);

#endif
