#include "lab/phone/ids.h"

#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"

static bool ids_real;

/* Lines "INSIDE OUTSIDE COUNT". */
bool mgl_ids_map_covers(const char *map, unsigned id)
{
    while (*map) {
        unsigned inside, outside, count;
        if (sscanf(map, "%u %u %u", &inside, &outside, &count) == 3 && id >= inside &&
            id - inside < count)
            return true;
        const char *end = strchr(map, '\n');
        if (!end)
            return false;
        map = end + 1;
    }
    return false;
}

static bool file_covers(const char *path)
{
    char map[8192] = "";
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t len = fread(map, 1, sizeof(map) - 1, file);
    fclose(file);
    map[len] = 0;
    static const unsigned needed[] = {MGL_UID_SYSTEM, MGL_UID_SHELL, MGL_GID_READPROC, MGL_UID_APP,
        MGL_UID_APP + MGL_APPS_MAX - 1, MGL_GID_APP_SHARED, MGL_GID_APP_SHARED + MGL_APPS_MAX - 1};
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (!mgl_ids_map_covers(map, needed[i]))
            return false;
    return true;
}

bool mgl_ids_probe(void)
{
    ids_real = access(MGL_IDS_ONE_MARK, F_OK) != 0 && geteuid() == 0 &&
               file_covers("/proc/self/uid_map") && file_covers("/proc/self/gid_map");
    return ids_real;
}

bool mgl_ids_are_real(void)
{
    return ids_real;
}

void mgl_ids_set_real(bool real)
{
    ids_real = real;
}

uid_t mgl_identity_uid(enum mgl_identity identity)
{
    if (!ids_real)
        return geteuid(); /* root in a namespace, anybody without one */
    if (identity >= MGL_APP)
        return MGL_UID_APP + (uid_t)(identity - MGL_APP);
    return identity == MGL_SHELL ? MGL_UID_SHELL : MGL_UID_ROOT;
}

bool mgl_identity_take(enum mgl_identity identity)
{
    /* input, log, adb, sdcard_rw, sdcard_r, net_bt_admin, net_bt, inet, readproc. */
    static const gid_t shell[] = {1004, 1007, 1011, 1015, 1028, 3001, 3002, 3003, MGL_GID_READPROC};
    if (!ids_real || identity == MGL_ROOT)
        return true;
    /* inet, everybody, all_a123 and so on */
    const gid_t app[] = {3003, 9997, MGL_GID_APP_SHARED + (gid_t)(identity - MGL_APP)};
    const gid_t *groups = identity == MGL_SHELL ? shell : app;
    size_t count =
        identity == MGL_SHELL ? sizeof(shell) / sizeof(shell[0]) : sizeof(app) / sizeof(app[0]);
    uid_t uid = mgl_identity_uid(identity);
    return setgroups(count, groups) == 0 && setresgid(uid, uid, uid) == 0 &&
           setresuid(uid, uid, uid) == 0;
}
