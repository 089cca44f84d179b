#include "lab/world/members.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "lab/world/env.h"
#include "lab/world/status.h"

static bool start(struct mgc_lab_member *member, struct mgc_lab_world *world, struct mgc_error *err)
{
    struct mgc_lab_env env = {0};
    struct mgc_lab_spawn spawn = {.place = world->hosts[member->host].place,
        .argv = member->argv,
        .cwd = member->home,
        .stdin_fd = -1,
        .pass_fd = member->pass_fd};
    spawn.output_fd = open(member->log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (spawn.output_fd < 0)
        return mgc_error_errno(err, errno, "%s", member->log_path);
    pid_t pid = -1;
    char adb_port[16];
    snprintf(adb_port, sizeof adb_port, "%d", member->adb_port);
    if (mgc_lab_env_service(&env, member->home, member->adb_port ? adb_port : NULL, err)) {
        spawn.env = (const char *const *)env.items;
        pid = mgc_lab_spawn(&spawn, err);
    }
    mgc_lab_env_destroy(&env);
    close(spawn.output_fd);
    if (pid < 0)
        return false;
    member->pid = pid;
    member->restart_at_ns = MGC_NEVER;
    mgc_info("%s started in %s as %d", member->name, mgc_lab_host_name(member->host), (int)pid);
    return true;
}

/* Never freed: the lab ends with this process. */
static bool keep_strings(struct mgc_lab_member *member)
{
    bool ok = (member->name = strdup(member->name)) != NULL;
    ok = (member->home = strdup(member->home)) != NULL && ok;
    for (int i = 0; member->argv[i] != NULL; i++)
        ok = (member->argv[i] = strdup(member->argv[i])) != NULL && ok;
    return ok;
}

bool mgc_lab_member_add(struct mgc_lab_members *members, struct mgc_lab_world *world,
    const struct mgc_lab_member *member, struct mgc_error *err)
{
    if (members->count == MGC_LAB_MEMBER_MAX)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "the lab has no room for %s", member->name);
    struct mgc_lab_member *slot = &members->items[members->count];
    *slot = *member;
    slot->restart_at_ns = MGC_NEVER;
    if (!keep_strings(slot))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a member");
    if (!start(slot, world, err))
        return false;
    members->count++;
    return true;
}

struct mgc_lab_member *mgc_lab_member_ended(
    struct mgc_lab_members *members, pid_t pid, int wait_status)
{
    char text[64];
    for (size_t i = 0; i < members->count; i++) {
        struct mgc_lab_member *member = &members->items[i];
        if (member->pid != pid)
            continue;
        member->pid = 0;
        member->last_status = wait_status;
        if (!members->stopping)
            member->restart_at_ns = mgc_deadline_in_ms(
                member->worker ? members->worker_restart_ms : MGC_LAB_RESTART_MS);
        mgc_info("%s ended with %s%s", member->name,
            mgc_lab_exit_text(wait_status, text, sizeof text),
            members->stopping ? "" : ", it is started again");
        return member;
    }
    return NULL;
}

void mgc_lab_members_restart(struct mgc_lab_members *members, struct mgc_lab_world *world)
{
    struct mgc_error err = {0};
    for (size_t i = 0; i < members->count; i++) {
        struct mgc_lab_member *member = &members->items[i];
        if (member->pid != 0 || !mgc_deadline_past(member->restart_at_ns))
            continue;
        member->restarts++;
        if (start(member, world, &err))
            continue;
        mgc_warn("%s: %s, trying again", member->name, err.text);
        member->restart_at_ns = mgc_deadline_in_ms(MGC_LAB_RESTART_MS);
    }
}

int64_t mgc_lab_members_next(const struct mgc_lab_members *members)
{
    int64_t next = MGC_NEVER;
    for (size_t i = 0; i < members->count; i++)
        next = mgc_deadline_min(next, members->items[i].restart_at_ns);
    return next;
}

void mgc_lab_members_stop(struct mgc_lab_members *members)
{
    members->stopping = true;
    for (size_t i = 0; i < members->count; i++) {
        members->items[i].restart_at_ns = MGC_NEVER;
        if (members->items[i].pid != 0)
            kill(members->items[i].pid, SIGTERM);
    }
}

bool mgc_lab_members_running(const struct mgc_lab_members *members)
{
    for (size_t i = 0; i < members->count; i++) {
        if (members->items[i].pid != 0)
            return true;
    }
    return false;
}

bool mgc_lab_member_signal(
    struct mgc_lab_members *members, const char *name, int sig, struct mgc_error *err)
{
    for (size_t i = 0; i < members->count; i++) {
        const struct mgc_lab_member *member = &members->items[i];
        if (strcmp(member->name, name) != 0)
            continue;
        if (member->pid == 0)
            return mgc_error_set(err, MGC_E_LOST, "%s is not running at this moment", name);
        if (kill(member->pid, sig) < 0)
            return mgc_error_errno(err, errno, "signal %d to %s", sig, name);
        return true;
    }
    return mgc_error_set(err, MGC_E_NOT_FOUND, "the lab has no member \"%s\"", name);
}

bool mgc_lab_members_status(const struct mgc_lab_members *members, struct mgc_buf *out)
{
    for (size_t i = 0; i < members->count; i++) {
        const struct mgc_lab_member *member = &members->items[i];
        const struct mgc_lab_status_row row = {
            .host = member->host, .pid = member->pid, .restarts = member->restarts};
        if (!mgc_lab_status_line(&row, member->name, out))
            return false;
    }
    return mgc_buf_ok(out);
}
