#include "lab/world/loopback.h"

#include <arpa/inet.h>
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
static bool port_is_free(const char *address, int port, struct mgc_error *err)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int one = 1;
    inet_pton(AF_INET, address, &here.sin_addr);
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
        "port %d of %s, which this lab needs (only one in loopback mode can run)", port, address);
}

static bool phone_has_room(const struct mgc_lab_phone *phone, struct mgc_error *err)
{
    return port_is_free(phone->address, MGC_LAB_ADB_PORT, err) &&
           port_is_free(phone->address, phone->port, err);
}

static bool ports_are_free(const struct mgc_lab_roster *roster, struct mgc_error *err)
{
    struct mgc_lab_phone phone;
    struct mgc_lab_pair pair;
    bool ok = port_is_free("127.0.0.1", mgc_lab_roster_bus_port(roster), err);
    for (int number = 1; ok && number <= roster->phones; number++) {
        mgc_lab_roster_phone(roster, number, &phone);
        ok = phone_has_room(&phone, err);
    }
    for (int number = 1; ok && number <= roster->pairs; number++) {
        mgc_lab_roster_pair(roster, number, &pair);
        ok = port_is_free("127.0.0.1", pair.adb_port, err);
    }
    return ok;
}

bool mgc_lab_loopback_settle(
    const struct mgc_lab_layout *layout, const struct mgc_lab_roster *roster, struct mgc_error *err)
{
    char faults[MGC_LAB_PATH_MAX + 16], adb_port[16];
    struct mgc_lab_pair first;
    snprintf(faults, sizeof faults, "%s/faults", layout->run);
    if (!ports_are_free(roster, err))
        return false;
    /* A killed lab may have left its socket and its faults. */
    if (!mgc_dir_remove(layout->run, err) || !mgc_dir_make(faults, 0755, err))
        return false;
    mgc_lab_roster_pair(roster, 1, &first);
    snprintf(adb_port, sizeof adb_port, "%d", first.adb_port);
    setenv("MGLAB_RUN", layout->run, 1);
    setenv("ANDROID_ADB_SERVER_PORT", adb_port, 1);
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
