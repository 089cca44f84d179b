#include "coordinator/night/notify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/path.h"
#include "common/plat/process.h"

extern char **environ;

enum { GRACE_MS = 2000, LOG_MAX = 16 * 1024 * 1024 };

/* ---- environment ---- */

enum { OURS = 5 };

struct environment {
    const char **items;
    char ours[OURS][2 * MGC_PATH_MAX];
};

/* Not handed on: what an earlier mgcoord above us set, and a secret that the command has no use
 * for and might print. */
static bool is_dropped(const char *entry)
{
    static const char *const names[] = {
        "MGC_RUN_ID=", "MGC_RUN_DIR=", "MGC_EXIT=", "MGC_SUMMARY=", "MGC_REPORT=", "TOKEN="};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strncmp(entry, names[i], strlen(names[i])) == 0)
            return true;
    }
    return false;
}

static void fill_ours(struct environment *env, const struct mgc_notification *notification)
{
    const char *dir = notification->dir ? notification->dir : "";
    const char *report = notification->report ? notification->report : "";
    size_t size = sizeof(env->ours[0]);
    snprintf(env->ours[0], size, "MGC_RUN_ID=%s", notification->run_id);
    snprintf(env->ours[1], size, "MGC_RUN_DIR=%s", dir);
    snprintf(env->ours[2], size, "MGC_EXIT=%d", notification->exit_code);
    snprintf(env->ours[3], size, "MGC_SUMMARY=%s", notification->summary);
    snprintf(env->ours[4], size, "MGC_REPORT=%s", report);
}

static bool make_environment(
    struct environment *env, const struct mgc_notification *notification, struct mgc_error *err)
{
    size_t count = 0, n = 0;
    while (environ && environ[count])
        count++;
    env->items = calloc(count + OURS + 1, sizeof(*env->items));
    if (!env->items)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for its environment");
    for (size_t i = 0; i < count; i++) {
        if (!is_dropped(environ[i]))
            env->items[n++] = environ[i];
    }
    fill_ours(env, notification);
    for (size_t i = 0; i < OURS; i++)
        env->items[n++] = env->ours[i];
    return true;
}

/* ---- running it ---- */

static bool run(const struct mgc_setting *command, const char *const *env, const char *log,
    int64_t timeout_ms, struct mgc_error *err)
{
    struct mgc_process_spec spec = {
        .argv = (const char *const *)command->items, /* ended by NULL: settings.h */
        .env = env,
        .stdout_path = log,
        .stderr_path = log,
        .inherit_stdio = !log,
        .file_size_max = LOG_MAX,
        .no_core = true,
        .die_with_us = true,
    };
    struct mgc_exit exit;
    struct mgc_process *process = mgc_process_start(&spec, err);
    if (!process)
        return false;
    bool ended = mgc_process_wait(process, mgc_deadline_in_ms(timeout_ms), &exit, err);
    if (!ended && err->code == MGC_E_TIMEOUT)
        mgc_error_set(err, MGC_E_TIMEOUT, "it was ended, since it took longer than %g s",
            (double)timeout_ms / 1000);
    mgc_process_stop(process, GRACE_MS);
    mgc_process_free(process);
    if (!ended)
        return false;
    char how[64];
    return (exit.kind == MGC_EXIT_CODE && exit.value == 0) ||
           mgc_error_set(
               err, MGC_E_FAILED, "it ended with %s", mgc_exit_text(&exit, how, sizeof(how)));
}

/* Who looks into the log in the morning sees it there, too. */
static void tell_log(const char *log, const struct mgc_error *err)
{
    FILE *file = log ? fopen(log, "ae") : NULL;
    if (!file)
        return;
    fprintf(file, "mgcoord: %s\n", err->text);
    fclose(file);
}

bool mgc_notify(const struct mgc_settings *settings, const struct mgc_notification *notification,
    struct mgc_error *err)
{
    const struct mgc_setting *command = mgc_settings_get(settings, "notify");
    int64_t timeout_ms = mgc_setting_int(mgc_settings_get(settings, "notify_timeout"), 0);
    char path[MGC_PATH_MAX];
    struct environment env = {0};
    struct mgc_error failure = {0};
    if (!command || command->item_count == 0)
        return true;
    bool has_log =
        notification->dir && mgc_path_join(path, sizeof(path), notification->dir, "notify.log");
    const char *log = has_log ? path : NULL;
    bool ok = make_environment(&env, notification, &failure) &&
              run(command, env.items, log, timeout_ms, &failure);
    free(env.items);
    if (ok)
        return true;
    mgc_error_prefix(&failure, "notification command '%s'", command->items[0]);
    tell_log(log, &failure);
    if (err)
        *err = failure;
    return false;
}

bool mgc_notify_check(const struct mgc_settings *settings, struct mgc_error *err)
{
    const struct mgc_setting *command = mgc_settings_get(settings, "notify");
    if (!command || command->item_count == 0 || command->items[0][0] != '/' ||
        access(command->items[0], X_OK) == 0)
        return true;
    return mgc_error_errno(
        err, errno, "%s: notify: program '%s'", command->origin, command->items[0]);
}
