/* Somebody else at the same phone: a person with adb who stops the app or starts it, or a server
 * of it, while a cell runs. The phone's log tells: our own steps start each process once, after
 * they have stopped all there were.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/path.h"
#include "common/contract/app_log.h"
#include "common/plat/file.h"
#include "coordinator/verify/judge.h"
#include "coordinator/verify/metrics.h"
#include "coordinator/verify/phone_logs.h"

enum { MAIN, SERVICE, PROCESSES };

struct watch {
    const char *package;  /* of the cell */
    const char *packages; /* comma list: all that the cell stopped at its begin; NULL: only that */
    bool ours[PROCESSES]; /* a step of the cell starts it */
    bool runs;            /* the log has told of such a start */
    bool ended, stopped;  /* after that; stopped: by force, and before any had ended */
    char beside[512];     /* the first line on a start that is not ours; empty: none */
    char stop[512];       /* the line of `stopped` */
};

static bool is_listed(const char *packages, const char *package)
{
    size_t len = strlen(package);
    for (const char *at = packages; at && *at; at += strcspn(at, ",")) {
        at += strspn(at, ", ");
        if (strncmp(at, package, len) == 0 && (at[len] == '\0' || strchr(", ", at[len])))
            return true;
    }
    return false;
}

static void keep(char *into, size_t size, const char *line)
{
    if (!*into)
        snprintf(into, size, "%.*s", (int)strcspn(line, "\r\n"), line);
}

static void take_start(struct watch *watch, const struct mgc_app_line *app, const char *line)
{
    int which = *app->process ? SERVICE : MAIN;
    bool same = strcmp(app->package, watch->package) == 0;
    if (!same && !is_listed(watch->packages, app->package))
        return;
    if (!same || !watch->ours[which])
        keep(watch->beside, sizeof(watch->beside), line);
    else
        watch->runs = true; /* more than once: a step's further try, or Android's */
}

static void take_line(void *user, size_t log, const char *line)
{
    struct watch *watch = user;
    struct mgc_app_line app;
    (void)log;
    enum mgc_app_event event = mgc_app_line_parse(line, &app);
    if (event == MGC_APP_STARTED) {
        take_start(watch, &app, line);
        return;
    }
    if (event == MGC_APP_NONE || !watch->runs || strcmp(app.package, watch->package) != 0)
        return;
    if (event == MGC_APP_ENDED) {
        watch->ended = true;
    } else if (!watch->ended && !watch->stopped) {
        watch->stopped = true;
        keep(watch->stop, sizeof(watch->stop), line);
    }
}

static const struct mgc_step *step_of(const struct judge *judge, const char *kind)
{
    for (size_t i = 0; i < judge->cell->step_count; i++) {
        if (strcmp(judge->cell->steps[i].kind, kind) == 0)
            return &judge->cell->steps[i];
    }
    return NULL;
}

static const char *param_of(const struct mgc_step *step, const char *name)
{
    return step ? mgc_fields_get_str(&step->params, name) : NULL;
}

/* False: the cell starts nothing on the phone, or there is no log of it (which others name). */
static bool look(const struct judge *judge, const char *dir, struct watch *ret_watch)
{
    const struct mgc_step *server = step_of(judge, "host.server");
    const struct mgc_step *replay = step_of(judge, "host.replay");
    const char *log = judge->logs->files[MGC_LOG_PHONE].name;
    char path[MGC_PATH_MAX];
    *ret_watch = (struct watch){
        .package = param_of(replay ? replay : server, "package"),
        .packages = param_of(step_of(judge, "host.quiesce"), "packages"),
        .ours = {[MAIN] = replay != NULL, [SERVICE] = server != NULL},
    };
    return ret_watch->package && log && mgc_path_join(path, sizeof(path), dir, log) &&
           mgc_file_exists(path) && mgc_phone_log_read(path, 0, take_line, ret_watch, NULL);
}

static bool failed_by(const struct judge *judge, const char *step, const char *failure)
{
    const char *failed = judge->attempt->failed_step;
    const char *word = mgc_fields_get_str(mgc_facts_of_step(judge->attempt, step), "failure");
    return failed && strcmp(failed, step) == 0 && word && strcmp(word, failure) == 0;
}

/* What host.server heard until its process ended, so nothing of its own stop. When another step
 * failed first, that one's stop may be what ended it. */
static const char *stop_of_server(const struct judge *judge)
{
    const struct mgc_fields *facts = mgc_facts_of_step(judge->attempt, "server");
    const char *at = mgc_fields_get_str(facts, "system_lines"), *next;
    if (!at || !failed_by(judge, "server", "ended"))
        return NULL;
    while ((next = strstr(at, "Start proc")))
        at = next + 1;
    return strstr(at, "Force stopping");
}

/* An app that died by itself is stopped as well, by our step: then its end comes first. */
static const char *stop_of_app(const struct judge *judge, const struct watch *watch)
{
    const char *end = mgc_fields_get_str(mgc_facts_of_step(judge->attempt, "replay"), "end");
    return end && strcmp(end, "died") == 0 && watch->stopped ? watch->stop : NULL;
}

/* The cell had stopped the app, so an activity that is there already is somebody else's. */
static void take_activity(const struct judge *judge, struct watch *watch)
{
    const char *said = mgc_fields_get_str(mgc_facts_of_step(judge->attempt, "replay"), "am_output");
    if (said && failed_by(judge, "replay", "am-start") && strstr(said, "brought to the front"))
        keep(watch->beside, sizeof(watch->beside), said);
}

void mgc_judge_neighbours(struct judge *judge, const char *dir)
{
    static const char check[] = "nobody beside";
    const char *log = judge->logs->files[MGC_LOG_PHONE].name;
    struct watch watch;
    if (!look(judge, dir, &watch))
        return;
    take_activity(judge, &watch);
    const char *stop = stop_of_server(judge);
    stop = stop ? stop : stop_of_app(judge, &watch);
    bool alone = !stop && !*watch.beside;
    mgc_verdict_add(judge->verdict, check, alone ? MGC_CHECK_OK : MGC_CHECK_BAD, log, "%.300s",
        stop            ? stop
        : *watch.beside ? watch.beside
                        : "no other start or stop of the app");
    if (stop)
        mgc_reason_set(judge->verdict, MGC_REASON_APP_STOPPED,
            "somebody else had the app stopped while the cell ran: %.300s", stop);
    if (*watch.beside)
        mgc_reason_set(judge->verdict, MGC_REASON_APP_STARTED_BESIDE,
            "somebody else started the app or a server of it while the cell ran: %.300s",
            watch.beside);
}
