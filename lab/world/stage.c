#include "lab/world/stage.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/buf.h"
#include "common/base/path.h"
#include "common/plat/file.h"

enum { PHONE_DEADLINE_MS = 10000, PHONE_MORE_MS = 500, PHONE_RETRY_MS = 20 };

static bool too_long(struct mgc_error *err)
{
    return mgc_error_set(err, MGC_E_USAGE, "the state path is too long");
}

/* dir: of the member's own; its home is in it. */
static bool add_member(struct mgc_lab_stage *stage, struct mgc_lab_member *member, const char *dir,
    struct mgc_error *err)
{
    char home[MGC_LAB_PATH_MAX], tmp[MGC_LAB_PATH_MAX];
    int len = snprintf(
        member->log_path, sizeof member->log_path, "%s/%s.log", stage->layout->log, member->name);
    if (len >= (int)sizeof member->log_path || !mgc_path_join(home, sizeof home, dir, "home") ||
        !mgc_path_join(tmp, sizeof tmp, home, "tmp"))
        return too_long(err);
    member->home = home;
    return mgc_dir_make(tmp, 0755, err) &&
           mgc_lab_member_add(&stage->members, &stage->world, member, err);
}

bool mgc_lab_stage_proxy(struct mgc_lab_stage *stage, struct mgc_error *err)
{
    char program[MGC_LAB_PATH_MAX];
    if (!mgc_lab_layout_find(stage->layout, "mglab-proxy", program, err))
        return false;
    /* Made here and handed over, so that the rules never point at a port where nobody listens. */
    int fd = mgc_lab_world_listen(&stage->world, MGC_LAB_PROXY, MGC_LAB_RELAY_PORT, err);
    if (fd < 0)
        return false;
    struct mgc_lab_member member = {.name = "proxy",
        .host = MGC_LAB_PROXY,
        .argv = {program, "--listen-fd", "3"},
        .pass_fd = fd};
    return add_member(stage, &member, stage->layout->state, err) &&
           mgc_lab_world_set_proxy(&stage->world, MGC_LAB_PROXY_ACCEPT_ALL, err);
}

bool mgc_lab_stage_link(struct mgc_lab_stage *stage, const char *profile, struct mgc_error *err)
{
    char program[MGC_LAB_PATH_MAX];
    if (!mgc_lab_layout_find(stage->layout, "mglab-link", program, err) ||
        !mgc_lab_linkcontrol_open(&stage->linkcontrol, err))
        return false;
    struct mgc_lab_member member = {.name = "link",
        .host = MGC_LAB_LINK,
        .argv = {program, "--profile", profile, "--control-fd", "3"},
        .pass_fd = stage->linkcontrol.remote_fd};
    return add_member(stage, &member, stage->layout->state, err) &&
           mgc_lab_linkcontrol_reload(&stage->linkcontrol, err);
}

/* ---- phones ---- */

/* Several share a network, which needs no namespaces; each has its own processes and mounts all the
 * same, because a phone that saw another one's app would take it for its own. */
static const char *flatness(const struct mgc_lab_roster *roster)
{
    return roster->loopback && !mgc_lab_roster_several(roster) ? "--no-namespaces" : NULL;
}

struct phone_programs {
    char phone[MGC_LAB_PATH_MAX], app_lib[MGC_LAB_PATH_MAX];
};

static bool start_phone(struct mgc_lab_stage *stage, int number,
    const struct phone_programs *programs, const char *latency, struct mgc_error *err)
{
    const struct mgc_lab_roster *roster = stage->roster;
    struct mgc_lab_phone phone;
    char data[MGC_LAB_PATH_MAX], run[MGC_LAB_PATH_MAX];
    mgc_lab_roster_phone(roster, number, &phone);
    if (!mgc_lab_roster_dir(roster, stage->layout->phone, phone.name, data, err) ||
        !mgc_lab_roster_dir(roster, stage->run, phone.name, run, err))
        return false;
    struct mgc_lab_member member = {.name = phone.member,
        .host = MGC_LAB_PHONE,
        .argv = {programs->phone, "--data", data, "--listen", phone.adb, "--app-lib",
            programs->app_lib, "--run-dir", run, "--serialno", phone.serialno, "--latency",
            latency != NULL ? latency : "none", flatness(roster)},
        .pass_fd = -1};
    return add_member(stage, &member, data, err);
}

/* All phones are on one link and one cable: addresses beside the first one's. */
static bool add_addresses(struct mgc_lab_stage *stage, struct mgc_error *err)
{
    struct mgc_buf batch = {0};
    for (int number = 2; number <= stage->roster->phones; number++) {
        struct mgc_lab_phone phone;
        mgc_lab_roster_phone(stage->roster, number, &phone);
        mgc_buf_printf(&batch, "address add %s/24 dev wlan0\naddress add %.*s/24 dev usb0\n",
            phone.address, (int)strcspn(phone.adb, ":"), phone.adb);
    }
    bool ok = mgc_buf_ok(&batch)
                  ? mgc_lab_world_ip(&stage->world, MGC_LAB_PHONE, mgc_buf_text(&batch), err)
                  : mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for addresses");
    mgc_buf_destroy(&batch);
    return ok;
}

bool mgc_lab_stage_phones(struct mgc_lab_stage *stage, const char *latency, struct mgc_error *err)
{
    struct phone_programs programs;
    if (!mgc_lab_layout_find(stage->layout, "mgphone", programs.phone, err) ||
        !mgc_lab_layout_find(stage->layout, "libMobileGLServer.so", programs.app_lib, err))
        return false;
    *strrchr(programs.app_lib, '/') = '\0';
    bool ok = stage->roster->loopback || !mgc_lab_roster_several(stage->roster) ||
              add_addresses(stage, err);
    for (int number = 1; ok && number <= stage->roster->phones; number++)
        ok = start_phone(stage, number, &programs, latency, err);
    return ok;
}

static bool phone_listens(const struct mgc_lab_phone *phone)
{
    char address[MGC_LAB_NAME_SIZE];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(MGC_LAB_ADB_PORT)};
    snprintf(address, sizeof address, "%.*s", (int)strcspn(phone->adb, ":"), phone->adb);
    inet_pton(AF_INET, address, &to.sin_addr);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

int mgc_lab_stage_await_ms(const struct mgc_lab_roster *roster)
{
    return PHONE_DEADLINE_MS + (roster->phones - 1) * PHONE_MORE_MS;
}

/* A listening port is no event that anybody tells, so it is tried; refusals come at once. */
static int await_phones(void *arg)
{
    const struct mgc_lab_roster *roster = arg;
    struct mgc_lab_phone phone;
    int64_t deadline = mgc_deadline_in_ms(mgc_lab_stage_await_ms(roster));
    for (int number = 1; number <= roster->phones; number++) {
        mgc_lab_roster_phone(roster, number, &phone);
        while (!phone_listens(&phone)) {
            if (mgc_deadline_past(deadline))
                return number;
            mgc_sleep_ms(PHONE_RETRY_MS);
        }
    }
    return 0;
}

pid_t mgc_lab_stage_await_phones(struct mgc_lab_stage *stage, struct mgc_error *err)
{
    return mgc_lab_spawn_call(
        &stage->world.hosts[MGC_LAB_WINHOST].place, await_phones, (void *)stage->roster, err);
}

/* ---- pairs ---- */

static bool start_adb(
    struct mgc_lab_stage *stage, const struct mgc_lab_pair *pair, struct mgc_error *err)
{
    char port[16];
    snprintf(port, sizeof port, "%d", pair->adb_port);
    struct mgc_lab_member member = {.name = pair->adb,
        .host = MGC_LAB_WINHOST,
        .argv = {"adb", "-P", port, "nodaemon", "server"},
        .pass_fd = -1,
        .adb_port = pair->adb_port};
    return add_member(stage, &member, stage->layout->state, err);
}

bool mgc_lab_stage_adb(struct mgc_lab_stage *stage, struct mgc_error *err)
{
    bool ok = true;
    for (int number = 1; ok && number <= stage->roster->pairs; number++) {
        struct mgc_lab_pair pair;
        mgc_lab_roster_pair(stage->roster, number, &pair);
        ok = start_adb(stage, &pair, err);
    }
    return ok;
}

struct worker {
    const char *program, *name, *dir;
    enum mgc_lab_host host;
    int adb_port;
};

static bool start_worker(
    struct mgc_lab_stage *stage, const struct worker *worker, struct mgc_error *err)
{
    char program[MGC_LAB_PATH_MAX], enrol[MGC_LAB_PATH_MAX], state[MGC_LAB_PATH_MAX];
    char member_name[MGC_LAB_NAME_SIZE * 2];
    int len = snprintf(enrol, sizeof enrol, "%s/%s.enrol", stage->layout->enrol, worker->name);
    if (len >= (int)sizeof enrol)
        return too_long(err);
    if (!mgc_lab_layout_find(stage->layout, worker->program, program, err) ||
        !mgc_lab_roster_dir(stage->roster, worker->dir, worker->name, state, err))
        return false;
    snprintf(member_name, sizeof member_name, "mgworker-%s", worker->name);
    struct mgc_lab_member member = {.name = member_name,
        .host = worker->host,
        .argv = {program, "--enrol", enrol, "--state", state, "--locks", stage->layout->locks},
        .worker = true,
        .pass_fd = -1,
        .adb_port = worker->adb_port};
    return add_member(stage, &member, state, err);
}

bool mgc_lab_stage_workers(struct mgc_lab_stage *stage, struct mgc_error *err)
{
    bool ok = true;
    for (int number = 1; ok && number <= stage->roster->pairs; number++) {
        struct mgc_lab_pair pair;
        mgc_lab_roster_pair(stage->roster, number, &pair);
        const struct worker host = {
            "mgworker-host", pair.host, stage->layout->host, MGC_LAB_WINHOST, pair.adb_port};
        const struct worker wsl = {"mgworker-wsl", pair.wsl, stage->layout->wsl, MGC_LAB_WSL, 0};
        ok = start_worker(stage, &host, err) && start_worker(stage, &wsl, err);
    }
    return ok;
}

pid_t mgc_lab_stage_command(
    struct mgc_lab_stage *stage, const struct mgc_lab_first_spec *spec, struct mgc_error *err)
{
    struct mgc_lab_spawn spawn = {.place = stage->world.hosts[MGC_LAB_WSL].place,
        .argv = (const char *const *)spec->command,
        .stdin_fd = -1,
        .output_fd = -1,
        .pass_fd = -1,
        .foreground = true,
        .hold_signals = spec->hold_signals,
        .nohup = spec->nohup};
    setenv("MGLAB_STATE", stage->layout->state, 1);
    setenv("MGLAB_SITE", stage->layout->site, 1);
    setenv("MGCOORD_SITE", stage->layout->site, 1); /* so that mgcoord needs no --site here */
    return mgc_lab_spawn(&spawn, err);
}
