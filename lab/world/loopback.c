#include "lab/world/loopback.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "lab/world/spawn.h"
#include "lab/world/stage.h"

bool mgc_lab_loopback_settle(const struct mgc_lab_layout *layout, struct mgc_error *err)
{
    char faults[MGC_LAB_PATH_MAX + 16];
    snprintf(faults, sizeof faults, "%s/faults", layout->run);
    /* A killed lab may have left its socket and its faults. */
    if (!mgc_dir_remove(layout->run, err) || !mgc_dir_make(faults, 0755, err))
        return false;
    setenv("MGLAB_RUN", layout->run, 1);
    setenv("ANDROID_ADB_SERVER_PORT", MGC_LAB_LOOPBACK_ADB, 1);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    mgc_lab_spawn_tie();
    return true;
}

/* Orphans of the killed become our children, so it ends when there are none. */
static bool kill_children(void)
{
    int pid;
    bool found = false;
    FILE *file = fopen("/proc/thread-self/children", "re");
    while (file != NULL && fscanf(file, "%d", &pid) == 1) {
        kill(pid, SIGKILL);
        found = true;
    }
    if (file != NULL)
        fclose(file);
    return found;
}

void mgc_lab_loopback_end(const struct mgc_lab_layout *layout)
{
    while (kill_children() && (waitpid(-1, NULL, 0) > 0 || errno == EINTR))
        ;
    mgc_dir_remove(layout->run, NULL);
}
