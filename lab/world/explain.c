#include "lab/world/explain.h"

#include <errno.h>
#include <string.h>

#define REMEDY_SUDO     "run it as root (sudo)"
#define REMEDY_LOOPBACK "; or use --loopback, a lab without networks of its own"
#define REMEDY_APPARMOR                                                                            \
    REMEDY_SUDO ", or let an AppArmor profile for this program say `userns,`, or set "             \
                "kernel.apparmor_restrict_unprivileged_userns=0"

bool mgc_lab_ns_explain(
    enum mgc_lab_ns_stage stage, int errnum, const char *what, struct mgc_error *err)
{
    const char *why = NULL;
    if (stage == MGC_LAB_NS_CLONE && errnum == ENOSPC)
        why = "user namespaces are off or used up; set user.max_user_namespaces above 0, "
              "or " REMEDY_SUDO;
    else if (stage == MGC_LAB_NS_CLONE && (errnum == EPERM || errnum == EACCES))
        why = "this kernel or container does not let this user make namespaces; " REMEDY_SUDO
              ", or give the container CAP_SYS_ADMIN";
    else if (errnum == EPERM || errnum == EACCES)
        why = "the user namespace was made but has no rights, as AppArmor does on "
              "Ubuntu; " REMEDY_APPARMOR;
    if (why == NULL)
        return mgc_error_errno(err, errnum, "%s", what);
    return mgc_error_set(
        err, MGC_E_UNSUPPORTED, "%s: %s (%s" REMEDY_LOOPBACK ")", what, strerror(errnum), why);
}
