#include "lab/world/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/plat/file.h"
#include "common/plat/process.h"
#include "lab/world/control.h"
#include "lab/world/identity.h"
#include "lab/world/stage.h"

bool mgc_lab_target_write(const struct mgc_lab_layout *layout, pid_t pid,
    const struct mgc_lab_roster *roster, struct mgc_error *err)
{
    char text[128];
    struct mgc_lab_identity identity = {.pid = pid, .roster = *roster};
    if (!mgc_process_start_time(pid, &identity.start_ticks))
        return mgc_error_set(err, MGC_E_LOST, "the lab's first process is gone");
    mgc_lab_identity_print(&identity, text, sizeof text);
    return mgc_file_write(layout->lab_json, text, strlen(text), 0644, err);
}

void mgc_lab_target_remove(const struct mgc_lab_layout *layout)
{
    mgc_file_remove(layout->lab_json, NULL);
}

static bool no_lab(const struct mgc_lab_layout *layout, struct mgc_error *err)
{
    return mgc_error_set(err, MGC_E_NOT_FOUND, "no lab runs on %s%s", layout->state,
        mgc_file_exists(layout->lab_json) ? "; the one that ran there was killed" : "");
}

static bool read_identity(const struct mgc_lab_layout *layout,
    struct mgc_lab_identity *ret_identity, struct mgc_error *err)
{
    struct mgc_buf text = {0};
    if (!mgc_file_exists(layout->lab_json))
        return errno == EACCES
                   ? mgc_error_set(err, MGC_E_DENIED,
                         "the lab of %s: no permission to look there; next: ask as the user who "
                         "started it",
                         layout->state)
                   : no_lab(layout, err);
    bool ok = mgc_file_read(layout->lab_json, MGC_LAB_IDENTITY_BYTES, &text, err) &&
              (mgc_lab_identity_parse(mgc_buf_text(&text), text.len, ret_identity, err) ||
                  mgc_error_prefix(err, "%s", layout->lab_json));
    mgc_buf_destroy(&text);
    return ok;
}

/* Whoever is in a lab was told where its state directory is. */
static struct mgc_lab_roster roster_inside(void)
{
    struct mgc_lab_layout layout;
    struct mgc_lab_identity identity = {.roster = {.phones = 1, .pairs = 1}};
    const char *state = getenv("MGLAB_STATE");
    if (state != NULL && mgc_lab_layout_fill(&layout, state, NULL, NULL))
        read_identity(&layout, &identity, NULL);
    return identity.roster;
}

bool mgc_lab_target_find(
    const char *state, struct mgc_lab_target *ret_target, struct mgc_error *err)
{
    struct mgc_lab_layout layout;
    struct mgc_lab_identity identity;
    uint64_t ticks = 0;
    if (state == NULL && access(MGC_LAB_CONTROL_PATH, F_OK) == 0) {
        *ret_target = (struct mgc_lab_target){.pid = 1,
            .roster = roster_inside(),
            .inside = true,
            .control_path = MGC_LAB_CONTROL_PATH};
        return true;
    }
    if (!mgc_lab_layout_fill(&layout, state != NULL ? state : getenv("MGLAB_STATE"), NULL, err) ||
        !read_identity(&layout, &identity, err))
        return false;
    if (!mgc_process_start_time(identity.pid, &ticks) || ticks != identity.start_ticks)
        return no_lab(&layout, err);
    *ret_target = (struct mgc_lab_target){.pid = identity.pid};
    strcpy(ret_target->state, layout.state);
    ret_target->roster = identity.roster;
    if (!identity.roster.loopback)
        snprintf(ret_target->control_path, sizeof ret_target->control_path, "/proc/%d/root%s",
            (int)identity.pid, MGC_LAB_CONTROL_PATH);
    else if (!mgc_lab_control_short(layout.run, ret_target->control_path, err))
        return false;
    if (access(ret_target->control_path, F_OK) == 0)
        return true;
    if (errno == EACCES || errno == EPERM)
        return mgc_error_set(
            err, MGC_E_DENIED, "the lab on %s belongs to another user", layout.state);
    return no_lab(&layout, err); /* it is just starting or just ending */
}

void mgc_lab_target_export(const struct mgc_lab_target *target)
{
    struct mgc_lab_layout layout;
    struct mgc_lab_pair pair;
    char port[16];
    if (target->inside || !mgc_lab_layout_fill(&layout, target->state, NULL, NULL))
        return; /* who is in the lab has them */
    setenv("MGLAB_STATE", layout.state, 1);
    setenv("MGLAB_SITE", layout.site, 1);
    setenv("MGCOORD_SITE", layout.site, 1);
    mgc_lab_roster_pair(&target->roster, 1, &pair);
    snprintf(port, sizeof port, "%d", pair.adb_port);
    if (pair.adb_port != 0)
        setenv("ANDROID_ADB_SERVER_PORT", port, 1);
}
