#include "coordinator/daily/install.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/utf16.h"
#include "common/plat/file.h"
#include "common/plat/process.h"

enum { PROGRAM_MS = 30000, ARGS_MAX = 10 };

const char *mgc_daily_distribution(void)
{
    const char *name = getenv("WSL_DISTRO_NAME");
    return name && *name ? name : NULL;
}

enum mgc_daily_place mgc_daily_default_place(void)
{
    if (mgc_daily_distribution())
        return MGC_DAILY_WINDOWS;
    return geteuid() == 0 ? MGC_DAILY_SYSTEM : MGC_DAILY_USER;
}

bool mgc_daily_ends_with_session(void)
{
    const struct passwd *user = getpwuid(geteuid());
    char path[MGC_PATH_MAX];
    if (!user)
        return false;
    snprintf(path, sizeof(path), "/var/lib/systemd/linger/%s", user->pw_name);
    return access(path, F_OK) != 0;
}

/* With its output where ours is; false unless it ends with 0. */
static bool run(const char *const *argv, struct mgc_error *err)
{
    struct mgc_process_spec spec = {.argv = argv, .inherit_stdio = true, .die_with_us = true};
    struct mgc_exit exit;
    char how[64];
    struct mgc_process *process = mgc_process_start(&spec, err);
    if (!process)
        return false;
    bool ended = mgc_process_wait(process, mgc_deadline_in_ms(PROGRAM_MS), &exit, err);
    mgc_process_free(process);
    if (!ended)
        return mgc_error_prefix(err, "%s %s", argv[0], argv[1]);
    return (exit.kind == MGC_EXIT_CODE && exit.value == 0) ||
           mgc_error_set(err, MGC_E_FAILED, "%s %s ended with %s", argv[0], argv[1],
               mgc_exit_text(&exit, how, sizeof(how)));
}

/* ---- systemd ---- */

static bool systemctl(enum mgc_daily_place place, const char *verb, const char *option,
    const char *unit, struct mgc_error *err)
{
    const char *argv[ARGS_MAX] = {"systemctl"};
    size_t n = 1;
    if (place == MGC_DAILY_USER)
        argv[n++] = "--user";
    argv[n++] = verb;
    if (option)
        argv[n++] = option;
    if (unit)
        argv[n++] = unit;
    return run(argv, err);
}

/* The last run may have failed, which is shown as long as nobody takes note; else there is nothing
 * to be forgotten, and systemctl complains. */
static void forget_failure(enum mgc_daily_place place, const char *plan)
{
    char service[128];
    snprintf(service, sizeof(service), "mgcoord-%s.service", plan);
    const char *const argv[] = {"systemctl", place == MGC_DAILY_USER ? "--user" : "--system",
        "reset-failed", service, NULL};
    struct mgc_process_spec spec = {.argv = argv, .die_with_us = true};
    struct mgc_exit exit;
    struct mgc_process *process = mgc_process_start(&spec, NULL);
    if (process)
        mgc_process_wait(process, mgc_deadline_in_ms(PROGRAM_MS), &exit, NULL);
    mgc_process_free(process);
}

static bool unit_dir(enum mgc_daily_place place, char ret_dir[MGC_PATH_MAX], struct mgc_error *err)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int len;
    if (place == MGC_DAILY_SYSTEM)
        len = snprintf(ret_dir, MGC_PATH_MAX, "/etc/systemd/system");
    else if (config && config[0] == '/')
        len = snprintf(ret_dir, MGC_PATH_MAX, "%s/systemd/user", config);
    else if (home && home[0] == '/')
        len = snprintf(ret_dir, MGC_PATH_MAX, "%s/.config/systemd/user", home);
    else
        return mgc_error_set(err, MGC_E_NOT_FOUND, "no home directory: set HOME");
    return (len > 0 && len < MGC_PATH_MAX) ||
           mgc_error_set(err, MGC_E_CONFIG, "the path of systemd's files is too long");
}

struct units {
    char service[MGC_PATH_MAX], timer[MGC_PATH_MAX];
    char timer_name[128];
};

static bool find_units(
    const char *plan, enum mgc_daily_place place, struct units *ret_units, struct mgc_error *err)
{
    char dir[MGC_PATH_MAX], name[128];
    if (!unit_dir(place, dir, err))
        return false;
    snprintf(name, sizeof(name), "mgcoord-%s.service", plan);
    snprintf(ret_units->timer_name, sizeof(ret_units->timer_name), "mgcoord-%s.timer", plan);
    return (mgc_path_join(ret_units->service, MGC_PATH_MAX, dir, name) &&
               mgc_path_join(ret_units->timer, MGC_PATH_MAX, dir, ret_units->timer_name)) ||
           mgc_error_set(err, MGC_E_CONFIG, "the path of systemd's files is too long");
}

static bool write_text(const char *path, const struct mgc_buf *text, struct mgc_error *err)
{
    char dir[MGC_PATH_MAX];
    snprintf(dir, sizeof(dir), "%s", path);
    *strrchr(dir, '/') = '\0';
    return mgc_dir_make(dir, 0755, err) && mgc_file_write(path, text->data, text->len, 0644, err);
}

static bool write_units(
    const struct mgc_daily *schedule, const struct units *units, struct mgc_error *err)
{
    struct mgc_buf service = {0}, timer = {0};
    bool ok = mgc_daily_service(schedule, &service) && mgc_daily_timer(schedule, &timer);
    if (!ok)
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the units");
    ok = ok && write_text(units->service, &service, err) && write_text(units->timer, &timer, err);
    mgc_buf_destroy(&service);
    mgc_buf_destroy(&timer);
    return ok;
}

static void remove_units(const struct units *units)
{
    mgc_file_remove(units->timer, NULL);
    mgc_file_remove(units->service, NULL);
}

/* Restarted, not only started: one that is there already may have had another time. */
static bool install_units(
    const struct mgc_daily *schedule, enum mgc_daily_place place, struct mgc_error *err)
{
    struct units units;
    if (!find_units(schedule->plan, place, &units, err))
        return false;
    if (write_units(schedule, &units, err) && systemctl(place, "daemon-reload", NULL, NULL, err) &&
        systemctl(place, "enable", "--quiet", units.timer_name, err) &&
        systemctl(place, "restart", NULL, units.timer_name, err))
        return true;
    systemctl(place, "disable", "--quiet", units.timer_name, NULL);
    remove_units(&units);
    return false;
}

static bool take_away_units(const char *plan, enum mgc_daily_place place, struct mgc_error *err)
{
    struct units units;
    if (!find_units(plan, place, &units, err))
        return false;
    if (!mgc_file_exists(units.timer))
        return mgc_error_set(err, MGC_E_NOT_FOUND, "no schedule of the plan '%s': there is no '%s'",
            plan, units.timer);
    bool ok = systemctl(place, "disable", "--now", units.timer_name, err);
    /* When it last began, which the system keeps beyond the timer. */
    ok = systemctl(place, "clean", "--what=state", units.timer_name, ok ? err : NULL) && ok;
    forget_failure(place, plan);
    remove_units(&units);
    return systemctl(place, "daemon-reload", NULL, NULL, ok ? err : NULL) && ok;
}

/* ---- Windows ---- */

/* UTF-16 with its mark, as the Task Scheduler itself writes them. */
static bool write_utf16(const char *path, const char *text, struct mgc_error *err)
{
    static const unsigned char mark[] = {0xff, 0xfe};
    struct mgc_buf bytes = {0};
    size_t units = 0;
    uint16_t *wide = mgc_utf16_from_utf8(text, &units);
    if (!wide)
        return mgc_error_set(err, MGC_E_CONFIG, "the command line of the task is no text in UTF-8");
    mgc_buf_append(&bytes, mark, sizeof(mark));
    for (size_t i = 0; i < units; i++) {
        mgc_buf_putc(&bytes, (char)(wide[i] & 0xff));
        mgc_buf_putc(&bytes, (char)(wide[i] >> 8));
    }
    free(wide);
    bool ok = mgc_buf_ok(&bytes) ? mgc_file_write(path, bytes.data, bytes.len, 0600, err)
                                 : mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the task");
    mgc_buf_destroy(&bytes);
    return ok;
}

/* In a folder of our own, which can be listed as a whole. */
static void task_name(const char *plan, char *ret_name, size_t size)
{
    snprintf(ret_name, size, "mgcoord\\%s", plan);
}

/* The file is read from the standard share of the distribution, \\wsl.localhost\NAME\path: no
 * program has to translate it. */
static void windows_path(const char *distribution, const char *path, char *ret_path, size_t size)
{
    snprintf(ret_path, size, "\\\\wsl.localhost\\%s%s", distribution, path);
    for (char *p = ret_path; *p; p++)
        *p = *p == '/' ? '\\' : *p;
}

static bool create_task(const char *name, const char *file, struct mgc_error *err)
{
    char path[MGC_PATH_MAX + 128];
    windows_path(mgc_daily_distribution(), file, path, sizeof(path));
    const char *const argv[] = {"schtasks.exe", "/Create", "/TN", name, "/XML", path, "/F", NULL};
    return run(argv, err);
}

static bool install_task(const struct mgc_daily *schedule, struct mgc_error *err)
{
    char name[128], file[] = "/tmp/mgcoord-task-XXXXXX";
    struct mgc_buf text = {0};
    const char *distribution = mgc_daily_distribution();
    if (!distribution)
        return mgc_error_set(err, MGC_E_UNSUPPORTED,
            "no WSL here (WSL_DISTRO_NAME is not set), so there is no Windows to run a task");
    int fd = mkstemp(file);
    if (fd < 0)
        return mgc_error_errno(err, errno, "make '%s'", file);
    close(fd);
    task_name(schedule->plan, name, sizeof(name));
    bool ok = mgc_daily_task(schedule, distribution, &text)
                  ? write_utf16(file, mgc_buf_text(&text), err)
                  : mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the task");
    ok = ok && create_task(name, file, err);
    mgc_buf_destroy(&text);
    unlink(file);
    return ok;
}

static bool take_away_task(const char *plan, struct mgc_error *err)
{
    char name[128];
    task_name(plan, name, sizeof(name));
    const char *const argv[] = {"schtasks.exe", "/Delete", "/TN", name, "/F", NULL};
    return run(argv, err);
}

/* ---- both ---- */

bool mgc_daily_install(
    const struct mgc_daily *schedule, enum mgc_daily_place place, struct mgc_error *err)
{
    return place == MGC_DAILY_WINDOWS ? install_task(schedule, err)
                                      : install_units(schedule, place, err);
}

bool mgc_daily_remove(const char *plan, enum mgc_daily_place place, struct mgc_error *err)
{
    return place == MGC_DAILY_WINDOWS ? take_away_task(plan, err)
                                      : take_away_units(plan, place, err);
}

bool mgc_daily_list(enum mgc_daily_place place, struct mgc_error *err)
{
    static const char *const tasks[] = {"schtasks.exe", "/Query", "/TN", "mgcoord\\", NULL};
    if (place == MGC_DAILY_WINDOWS)
        return run(tasks, err);
    return systemctl(place, "list-timers", "--all", "mgcoord-*", err);
}
