/* Which runs there are, and which of them go. trash.c removes. */
#include "coordinator/night/retention.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/json/json.h"
#include "common/plat/file.h"
#include "coordinator/history/history.h"
#include "coordinator/night/trash.h"
#include "coordinator/restore/fleet.h"

enum { RUN_JSON_MAX = 64 * 1024 * 1024 }; /* a plan of 10,000 cells has 30 MB */

#define DAY_NS (24 * 3600 * MGC_NS_PER_S)

bool mgc_retention_read(const struct mgc_settings *settings, struct mgc_retention *ret_retention)
{
    const char *attempts = mgc_setting_text(mgc_settings_get(settings, "retention.attempts"));
    *ret_retention = (struct mgc_retention){
        .runs = mgc_setting_int(mgc_settings_get(settings, "retention.runs"), 0),
        .days = mgc_setting_int(mgc_settings_get(settings, "retention.days"), 0),
        .drop_attempts = attempts && strcmp(attempts, "drop") == 0,
    };
    return ret_retention->runs || ret_retention->days || ret_retention->drop_attempts;
}

const char *mgc_kept_text(enum mgc_kept kept)
{
    static const char *const texts[] = {
        [MGC_KEPT_NOT] = "nothing keeps it",
        [MGC_KEPT_MARKED] = "it is marked by its file 'keep'",
        [MGC_KEPT_LOCKED] = "somebody uses it",
        [MGC_KEPT_UNKNOWN] = "it is not in the history; 'mgcoord history import' brings it there",
    };
    return texts[kept];
}

void mgc_old_runs_destroy(struct mgc_old_runs *runs)
{
    if (!runs)
        return;
    free(runs->items);
    *runs = (struct mgc_old_runs){0};
}

void mgc_retention_choose(
    const struct mgc_retention *retention, int64_t now_wall_ns, struct mgc_old_runs *runs)
{
    bool limited = retention->runs || retention->days;
    for (size_t i = 0; i < runs->count; i++) {
        struct mgc_old_run *run = &runs->items[i];
        bool many =
            !retention->runs || (int64_t)i + 1 >= retention->runs; /* the present one is 0 */
        bool old = !retention->days || now_wall_ns - run->start_wall_ns > retention->days * DAY_NS;
        run->goes = limited && many && old;
    }
}

/* ---- looking ---- */

struct look {
    const char *results, *plan, *present;
    struct mgc_history *history;
    struct mgc_old_runs runs;
};

static bool is_real_directory(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool has(const char *dir, const char *name)
{
    char path[MGC_PATH_MAX];
    return mgc_path_join(path, sizeof(path), dir, name) && mgc_file_exists(path);
}

/* Not by mgc_lock_take, which would write its pid into somebody else's file. */
static bool is_held(const char *dir)
{
    char path[MGC_PATH_MAX];
    if (!mgc_path_join(path, sizeof(path), dir, "lock"))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool held = fd >= 0 ? flock(fd, LOCK_EX | LOCK_NB) != 0 : errno != ENOENT;
    if (fd >= 0)
        close(fd);
    return held;
}

static bool is_known(const struct look *look, const char *run_id)
{
    struct mgc_history_run run = {0};
    bool known = mgc_history_find(look->history, run_id, &run, NULL);
    mgc_history_run_destroy(&run);
    return known;
}

/* Each of several phones is a run of its own there. */
static bool are_known(const struct look *look, const struct mgc_fleet_list *list)
{
    bool known = true;
    for (size_t i = 0; known && i < list->count; i++) {
        char run_id[MGC_PATH_MAX];
        int len = snprintf(run_id, sizeof(run_id), "%s-%s", list->run_id, list->phones[i]);
        known = len < (int)sizeof(run_id) && is_known(look, run_id);
    }
    return known;
}

static enum mgc_kept what_keeps(
    const struct look *look, const char *dir, const char *run_id, const struct mgc_fleet_list *list)
{
    if (has(dir, "keep"))
        return MGC_KEPT_MARKED;
    if (has(dir, "control.sock") || is_held(dir))
        return MGC_KEPT_LOCKED;
    bool known = list->count ? are_known(look, list) : is_known(look, run_id);
    return known ? MGC_KEPT_NOT : MGC_KEPT_UNKNOWN;
}

/* The run.json of a run that mgcoord made here: one that was put here from elsewhere under another
 * name, or that cannot be read, is nobody's to remove. */
static bool read_run(const char *dir, const char *name, const char *plan, int64_t *ret_start_ns)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    json_t *doc = NULL;
    if (mgc_path_join(path, sizeof(path), dir, "run.json") &&
        mgc_file_read(path, RUN_JSON_MAX, &text, NULL))
        doc = mgc_json_parse(text.data, text.len, RUN_JSON_MAX, NULL);
    mgc_buf_destroy(&text);
    const json_t *of_plan = json_object_get(doc, "plan");
    const char *schema = json_string_value(json_object_get(doc, "schema"));
    const char *run_id = json_string_value(json_object_get(of_plan, "run_id"));
    const char *plan_name = json_string_value(json_object_get(of_plan, "name"));
    double start_s = json_number_value(json_object_get(doc, "start_wall_s"));
    bool ours = schema && strcmp(schema, "mgcoord-run-1") == 0 && run_id &&
                strcmp(run_id, name) == 0 && plan_name && strcmp(plan_name, plan) == 0 &&
                start_s > 0 && start_s < 9e9;
    *ret_start_ns = ours ? (int64_t)(start_s * 1e9) : 0;
    json_decref(doc);
    return ours;
}

/* The same of a run on several phones; *ret_list is to be destroyed then. */
static bool read_fleet(const char *dir, const char *name, const char *plan,
    struct mgc_fleet_list *ret_list, int64_t *ret_start_ns)
{
    if (!mgc_fleet_list_read(dir, ret_list, NULL))
        return false;
    *ret_start_ns = ret_list->start_wall_ns;
    if (strcmp(ret_list->run_id, name) == 0 && strcmp(ret_list->plan, plan) == 0 && *ret_start_ns)
        return true;
    mgc_fleet_list_destroy(ret_list);
    return false;
}

static bool add_run(struct look *look, const char *name, struct mgc_error *err)
{
    char dir[MGC_PATH_MAX];
    struct mgc_old_run run = {0};
    struct mgc_fleet_list list = {0};
    if (!mgc_trash_is_run_id(name) || strcmp(name, look->present) == 0 ||
        !mgc_path_join(dir, sizeof(dir), look->results, name) || !is_real_directory(dir) ||
        (!read_run(dir, name, look->plan, &run.start_wall_ns) &&
            !read_fleet(dir, name, look->plan, &list, &run.start_wall_ns)))
        return true;
    snprintf(run.run_id, sizeof(run.run_id), "%s", name);
    run.kept = what_keeps(look, dir, name, &list);
    run.several = list.count > 0;
    mgc_fleet_list_destroy(&list);
    struct mgc_old_run *items = realloc(look->runs.items, (look->runs.count + 1) * sizeof(*items));
    if (!items)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the old runs");
    look->runs.items = items;
    items[look->runs.count++] = run;
    return true;
}

static int newest_first(const void *a, const void *b)
{
    const struct mgc_old_run *one = a, *other = b;
    if (one->start_wall_ns != other->start_wall_ns)
        return one->start_wall_ns < other->start_wall_ns ? 1 : -1;
    return strcmp(other->run_id, one->run_id);
}

static bool look_through(struct look *look, struct mgc_error *err)
{
    struct mgc_dir_names names = {0};
    bool ok = mgc_dir_list(look->results, &names, err);
    for (size_t i = 0; ok && i < names.count; i++)
        ok = add_run(look, names.names[i], err);
    mgc_dir_names_destroy(&names);
    if (ok && look->runs.count)
        qsort(look->runs.items, look->runs.count, sizeof(*look->runs.items), newest_first);
    return ok;
}

bool mgc_retention_look(const char *results, const char *plan, const char *present_run_id,
    const struct mgc_retention *retention, struct mgc_old_runs *ret_runs, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct look look = {.results = results, .plan = plan, .present = present_run_id};
    if (!mgc_path_join(path, sizeof(path), results, MGC_HISTORY_FILE))
        return mgc_error_set(err, MGC_E_CONFIG, "'%s': path is too long", results);
    look.history = mgc_history_open(path, MGC_HISTORY_READ, err);
    bool ok = look.history && look_through(&look, err);
    mgc_history_close(look.history);
    if (!ok) {
        mgc_old_runs_destroy(&look.runs);
        return false;
    }
    mgc_retention_choose(retention, mgc_wall_ns(), &look.runs);
    *ret_runs = look.runs;
    return true;
}

/* ---- letting go ---- */

static void tell(
    mgc_retention_tell *fn, void *user, const char *run_id, const char *what, const char *why)
{
    struct mgc_buf text = {0};
    mgc_buf_printf(&text, "run '%s' %s%s", run_id, what, why);
    fn(user, mgc_buf_text(&text));
    mgc_buf_destroy(&text);
}

static bool let_go(const char *results, const struct mgc_retention *retention,
    const struct mgc_old_run *run, mgc_retention_tell *fn, void *user, struct mgc_error *err)
{
    size_t dropped = 0;
    if (run->goes && run->kept != MGC_KEPT_NOT) {
        tell(fn, user, run->run_id,
            "stays although it is over the limit: ", mgc_kept_text(run->kept));
        return true;
    }
    if (run->goes) {
        if (!mgc_trash_run(results, run->run_id, err))
            return false;
        tell(fn, user, run->run_id, "was removed", "");
        return true;
    }
    if (!retention->drop_attempts || run->kept != MGC_KEPT_NOT || run->several)
        return true;
    if (!mgc_trash_attempts(results, run->run_id, &dropped, err))
        return false;
    if (dropped)
        tell(fn, user, run->run_id, "lost its superseded attempts", "");
    return true;
}

bool mgc_retention_apply(const char *results, const char *plan, const char *present_run_id,
    const struct mgc_retention *retention, mgc_retention_tell *fn, void *user,
    struct mgc_error *err)
{
    struct mgc_old_runs runs = {0};
    bool ok = mgc_trash_empty(results, err) &&
              mgc_retention_look(results, plan, present_run_id, retention, &runs, err);
    for (size_t i = 0; ok && i < runs.count; i++)
        ok = let_go(results, retention, &runs.items[i], fn, user, err);
    mgc_old_runs_destroy(&runs);
    return ok || mgc_error_prefix(err, "retention");
}
