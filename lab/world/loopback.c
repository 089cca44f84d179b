#include "lab/world/loopback.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "lab/world/spawn.h"
#include "lab/world/hosts.h"
#include "lab/world/stage.h"

/* Asked before anything starts: later the phone or the server of another lab would answer in place
 * of ours, and nobody would notice. */
static bool port_is_free(unsigned port, struct mgc_error *err)
{
    struct sockaddr_in here = {.sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return mgc_error_errno(err, errno, "opening a socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    int rc = bind(fd, (struct sockaddr *)&here, sizeof here);
    int saved = errno;
    close(fd);
    if (rc == 0)
        return true;
    return mgc_error_errno(err, saved,
        "port %u of 127.0.0.1, which this lab needs (only one in loopback mode can run)", port);
}

bool mgc_lab_loopback_settle(const struct mgc_lab_layout *layout, struct mgc_error *err)
{
    char faults[MGC_LAB_PATH_MAX + 16];
    snprintf(faults, sizeof faults, "%s/faults", layout->run);
    static const unsigned ports[] = {
        MGC_LAB_ADB_PORT, MGC_LAB_SERVICE_PORT, MGC_LAB_BUS_PORT, MGC_LAB_LOOPBACK_ADB_PORT};
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        if (!port_is_free(ports[i], err))
            return false;
    }
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
