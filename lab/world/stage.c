#include "lab/world/stage.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/path.h"

enum { PHONE_DEADLINE_MS = 10000, PHONE_RETRY_MS = 20 };
enum { HOME_LAB, HOME_PHONE, HOME_HOST, HOME_WSL };

static bool add_member(struct mgc_lab_stage *stage, struct mgc_lab_member *member, int home,
    const char *home_of, struct mgc_error *err)
{
    int len = snprintf(
        member->log_path, sizeof member->log_path, "%s/%s.log", stage->layout->log, member->name);
    if (len >= (int)sizeof member->log_path ||
        !mgc_path_join(stage->home[home], MGC_LAB_PATH_MAX, home_of, "home"))
        return mgc_error_set(err, MGC_E_USAGE, "the state path is too long");
    member->home = stage->home[home];
    return mgc_lab_member_add(&stage->members, &stage->world, member, err);
}

bool mgc_lab_stage_proxy(struct mgc_lab_stage *stage, struct mgc_error *err)
{
    if (!mgc_lab_layout_find(stage->layout, "mglab-proxy", stage->proxy_program, err))
        return false;
    /* Made here and handed over, so that the rules never point at a port where nobody listens. */
    int fd = mgc_lab_world_listen(&stage->world, MGC_LAB_PROXY, MGC_LAB_RELAY_PORT, err);
    if (fd < 0)
        return false;
    struct mgc_lab_member member = {.name = "proxy",
        .host = MGC_LAB_PROXY,
        .argv = {stage->proxy_program, "--listen-fd", "3"},
        .pass_fd = fd};
    return add_member(stage, &member, HOME_LAB, stage->layout->state, err) &&
           mgc_lab_world_set_proxy(&stage->world, MGC_LAB_PROXY_ACCEPT_ALL, err);
}

bool mgc_lab_stage_link(struct mgc_lab_stage *stage, const char *profile, struct mgc_error *err)
{
    if (!mgc_lab_layout_find(stage->layout, "mglab-link", stage->link_program, err) ||
        !mgc_lab_linkcontrol_open(&stage->linkcontrol, err))
        return false;
    struct mgc_lab_member member = {.name = "link",
        .host = MGC_LAB_LINK,
        .argv = {stage->link_program, "--profile", profile, "--control-fd", "3"},
        .pass_fd = stage->linkcontrol.remote_fd};
    return add_member(stage, &member, HOME_LAB, stage->layout->state, err) &&
           mgc_lab_linkcontrol_reload(&stage->linkcontrol, err);
}

bool mgc_lab_stage_phone(struct mgc_lab_stage *stage, const char *latency, struct mgc_error *err)
{
    if (!mgc_lab_layout_find(stage->layout, "mgphone", stage->phone_program, err) ||
        !mgc_lab_layout_find(stage->layout, "libMobileGLServer.so", stage->app_lib, err))
        return false;
    *strrchr(stage->app_lib, '/') = '\0';
    bool loopback = stage->world.loopback;
    struct mgc_lab_member member = {.name = "mgphone",
        .host = MGC_LAB_PHONE,
        .argv = {stage->phone_program, "--data", stage->layout->phone, "--listen",
            loopback ? "127.0.0.1:5555" : MGC_LAB_PHONE_USB ":5555", "--app-lib", stage->app_lib,
            "--run-dir", loopback ? stage->layout->run : "/run/mglab", "--latency",
            latency != NULL ? latency : "none", loopback ? "--no-namespaces" : NULL},
        .pass_fd = -1};
    return add_member(stage, &member, HOME_PHONE, stage->layout->phone, err);
}

bool mgc_lab_stage_adb(struct mgc_lab_stage *stage, struct mgc_error *err)
{
    struct mgc_lab_member member = {.name = "adb",
        .host = MGC_LAB_WINHOST,
        .argv = {"adb", "-P", MGC_LAB_LOOPBACK_ADB, "nodaemon", "server"},
        .pass_fd = -1};
    return add_member(stage, &member, HOME_LAB, stage->layout->state, err);
}

bool mgc_lab_stage_workers(struct mgc_lab_stage *stage, struct mgc_error *err)
{
    const struct {
        const char *name, *enrol, *state;
        enum mgc_lab_host host;
        int home;
    } rows[2] = {{"mgworker-host", "host.enrol", stage->layout->host, MGC_LAB_WINHOST, HOME_HOST},
        {"mgworker-wsl", "wsl.enrol", stage->layout->wsl, MGC_LAB_WSL, HOME_WSL}};
    for (int i = 0; i < 2; i++) {
        char *program = stage->worker_program[i], *enrol = stage->worker_enrol[i];
        if (!mgc_lab_layout_find(stage->layout, rows[i].name, program, err))
            return false;
        if (!mgc_path_join(enrol, MGC_LAB_PATH_MAX, stage->layout->enrol, rows[i].enrol))
            return mgc_error_set(err, MGC_E_USAGE, "the state path is too long");
        struct mgc_lab_member member = {.name = rows[i].name,
            .host = rows[i].host,
            .argv = {program, "--enrol", enrol, "--state", rows[i].state, "--locks",
                stage->layout->locks},
            .worker = true,
            .pass_fd = -1};
        if (!add_member(stage, &member, rows[i].home, rows[i].state, err))
            return false;
    }
    return true;
}

static bool phone_listens(const char *address)
{
    struct sockaddr_in phone = {.sin_family = AF_INET, .sin_port = htons(MGC_LAB_ADB_PORT)};
    inet_pton(AF_INET, address, &phone.sin_addr);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && connect(fd, (struct sockaddr *)&phone, sizeof phone) == 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

/* A listening port is no event that anybody tells, so it is tried; refusals come at once. */
static int await_phone(void *arg)
{
    int64_t deadline = mgc_deadline_in_ms(PHONE_DEADLINE_MS);
    while (!mgc_deadline_past(deadline)) {
        if (phone_listens(arg))
            return 0;
        mgc_sleep_ms(PHONE_RETRY_MS);
    }
    return 1;
}

pid_t mgc_lab_stage_await_phone(struct mgc_lab_stage *stage, struct mgc_error *err)
{
    return mgc_lab_spawn_call(&stage->world.hosts[MGC_LAB_WINHOST].place, await_phone,
        (void *)(stage->world.loopback ? "127.0.0.1" : MGC_LAB_PHONE_USB), err);
}

pid_t mgc_lab_stage_command(
    struct mgc_lab_stage *stage, char *const *command, struct mgc_error *err)
{
    struct mgc_lab_spawn spawn = {.place = stage->world.hosts[MGC_LAB_WSL].place,
        .argv = (const char *const *)command,
        .stdin_fd = -1,
        .output_fd = -1,
        .pass_fd = -1,
        .foreground = true};
    setenv("MGLAB_STATE", stage->layout->state, 1);
    setenv("MGLAB_SITE", stage->layout->site, 1);
    setenv("MGCOORD_SITE", stage->layout->site, 1); /* so that mgcoord needs no --site here */
    return mgc_lab_spawn(&spawn, err);
}
