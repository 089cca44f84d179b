/* mgcoord schedule: a plan every day at a time of its own, by what this machine has for it. */
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/path.h"
#include "common/plat/host.h"
#include "coordinator/cmd/commands.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/options.h"
#include "coordinator/night/skipped.h"
#include "coordinator/daily/install.h"

enum { SKIPPED_SHOWN = 5 };

struct schedule_options {
    struct mgc_plan_options plan;
    const char *at, *user, *place;
};

static const char *const place_names[] = {"system", "user", "windows", NULL};

#define PLACE_OPTION                                                                               \
    {                                                                                              \
        "on", 0, "system|user|windows",                                                            \
            "whose timer: the system's (root's default), the user's own systemd, or a task of "    \
            "Windows (the default in WSL)",                                                        \
            mgc_cli_choice, offsetof(struct schedule_options, place), place_names                  \
    }

static enum mgc_daily_place place_of(const struct schedule_options *options)
{
    for (size_t i = 0; options->place && place_names[i]; i++) {
        if (strcmp(options->place, place_names[i]) == 0)
            return (enum mgc_daily_place)i;
    }
    return mgc_daily_default_place();
}

/* ---- install ---- */

/* What the scheduled command is made of; absolute, since nobody knows where it will start. */
struct command {
    char program[MGC_PATH_MAX], dir[PATH_MAX], plan[PATH_MAX], site[PATH_MAX];
    const char *argv[8];
};

static bool make_absolute(const char *path, char ret_path[PATH_MAX], struct mgc_error *err)
{
    return realpath(path, ret_path) || mgc_error_errno(err, errno, "find '%s'", path);
}

/* A built-in plan is named, a file is a path: what is no file is one of the former. */
static bool make_command(
    struct command *command, const char *plan, const struct mgc_site *site, struct mgc_error *err)
{
    size_t n = 0;
    if (!mgc_host_program(command->program, sizeof(command->program), err))
        return false;
    if (!getcwd(command->dir, sizeof(command->dir)))
        return mgc_error_errno(err, errno, "find the working directory");
    if (!make_absolute(site->file, command->site, err))
        return false;
    if (!strpbrk(plan, "/.") || !realpath(plan, command->plan))
        snprintf(command->plan, sizeof(command->plan), "%s", plan);
    command->argv[n++] = command->program;
    command->argv[n++] = "run";
    command->argv[n++] = command->plan;
    command->argv[n++] = "--site";
    command->argv[n++] = command->site;
    command->argv[n++] = "--quiet";
    return true;
}

/* Units are lines of text. */
static bool check_texts(const struct command *command, struct mgc_error *err)
{
    const char *const texts[] = {command->dir, command->plan, command->site};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        for (const char *p = texts[i]; *p; p++) {
            if ((unsigned char)*p < ' ')
                return mgc_error_set(err, MGC_E_USAGE,
                    "the path '%s' has a control character, which no timer can be given", texts[i]);
        }
    }
    return true;
}

/* Who runs it: the one whose keys and files it needs, also where root makes the timer. */
static const char *user_of(const struct schedule_options *options, enum mgc_daily_place place)
{
    const struct passwd *self;
    if (options->user || place == MGC_DAILY_USER)
        return options->user;
    if (place == MGC_DAILY_SYSTEM)
        return getenv("SUDO_USER");
    self = getpwuid(geteuid());
    return self ? self->pw_name : NULL;
}

static bool check_user(
    const struct schedule_options *options, enum mgc_daily_place place, struct mgc_error *err)
{
    if (!options->user)
        return true;
    if (place == MGC_DAILY_USER)
        return mgc_error_set(err, MGC_E_USAGE,
            "--user needs the system's timer: a user's own systemd runs as that user only");
    return getpwnam(options->user) ||
           mgc_error_set(err, MGC_E_USAGE, "--user: there is no user '%s' here", options->user);
}

static void tell_installed(const struct mgc_daily *schedule, enum mgc_daily_place place)
{
    printf("%s is carried out every day at %02d:%02d:%02d, local time, by %s", schedule->plan,
        schedule->at.hour, schedule->at.minute, schedule->at.second,
        place == MGC_DAILY_WINDOWS ? "a task of Windows" : "a systemd timer");
    printf("%s%s\n", schedule->user ? " as " : "", schedule->user ? schedule->user : "");
    if (place == MGC_DAILY_USER && mgc_daily_ends_with_session())
        printf("your systemd ends with your last session, and the timer with it; next: loginctl "
               "enable-linger\n");
}

static int install_plan(const struct schedule_options *options, const char *plan_name,
    const struct mgc_site *site, const struct mgc_plan *plan)
{
    struct mgc_error err = {0};
    struct command command = {0};
    enum mgc_daily_place place = place_of(options);
    struct mgc_daily schedule = {.plan = plan->name,
        .argv = command.argv,
        .dir = command.dir,
        .user = user_of(options, place)};
    if (!mgc_day_time_parse(options->at, &schedule.at, &err) || !check_user(options, place, &err) ||
        !make_command(&command, plan_name, site, &err) || !check_texts(&command, &err) ||
        !mgc_daily_install(&schedule, place, &err))
        return mgc_cmd_fail(&err);
    tell_installed(&schedule, place);
    return MGC_EXIT_OK;
}

static int install(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        {"at", 0, "HH:MM[:SS]", "when, in local time", mgc_cli_string,
            offsetof(struct schedule_options, at), NULL},
        MGC_SITE_OPTION(struct schedule_options, plan),
        {"user", 0, "NAME", "who runs it (default: who asks, also by sudo)", mgc_cli_string,
            offsetof(struct schedule_options, user), NULL},
        PLACE_OPTION,
        {0},
    };
    static const struct mgc_cli cli = {.program = "mgcoord schedule install",
        .synopsis = "[options] PLAN --at HH:MM",
        .summary = "Carry out a plan every day; the plan is checked now. A time that was missed "
                   "because the machine was off is made up for.",
        .options = rows,
        .min_operands = 1,
        .max_operands = 1,
        .notes = "While another run is on, it does not begin: 'mgcoord schedule list' says so, and "
                 "the plan's 'notify' is told. An earlier schedule of a plan of that name is "
                 "replaced."};
    struct schedule_options options = {0};
    struct mgc_phone_plans plans;
    struct mgc_error err = {0};
    char **operands;
    int count, code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (code >= 0)
        return code;
    if (!options.at) {
        mgc_error_set(&err, MGC_E_USAGE, "expected --at HH:MM; see %s --help", cli.program);
        return mgc_cmd_fail(&err);
    }
    code = mgc_plan_options_load_all(&options.plan, operands[0], &plans);
    if (code != MGC_EXIT_OK)
        return code;
    /* All phones have the same files, and the plan has one name. */
    code = install_plan(&options, operands[0], &plans.items[0].site, &plans.items[0].plan);
    mgc_phone_plans_destroy(&plans);
    return code;
}

/* ---- list, remove ---- */

static bool print_skipped(const char *results, struct mgc_error *err)
{
    struct mgc_buf lines = {0};
    bool ok = mgc_skipped_print(results, NULL, SKIPPED_SHOWN, &lines, err);
    if (ok && lines.len)
        printf("\nlast runs that could not begin:\n%s", mgc_buf_text(&lines));
    mgc_buf_destroy(&lines);
    return ok;
}

static int list(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        MGC_SITE_OPTION(struct schedule_options, plan), PLACE_OPTION, {0}};
    static const struct mgc_cli cli = {.program = "mgcoord schedule list",
        .synopsis = "[options]",
        .summary = "Show what is scheduled, and the last runs that could not begin.",
        .options = rows};
    struct schedule_options options = {0};
    struct mgc_site site;
    struct mgc_error err = {0};
    char **operands;
    int count, code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (code >= 0)
        return code;
    fflush(stdout);
    if (!mgc_daily_list(place_of(&options), &err))
        return mgc_cmd_fail(&err);
    if (!mgc_site_options_try(&options.plan, &site))
        return MGC_EXIT_OK;
    code = print_skipped(site.results, &err) ? MGC_EXIT_OK : mgc_cmd_fail(&err);
    mgc_site_destroy(&site);
    return code;
}

/* It becomes part of a file's name. */
static bool check_name(const char *name, struct mgc_error *err)
{
    return (*name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name)) ||
           mgc_error_set(err, MGC_E_USAGE,
               "'%s' is no name of a plan: expected lower-case letters, digits and '-'", name);
}

static int take_away(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {PLACE_OPTION, {0}};
    static const struct mgc_cli cli = {.program = "mgcoord schedule remove",
        .synopsis = "[options] NAME",
        .summary = "Take a schedule away, by the name that the plan gives itself. A run that is on "
                   "goes on.",
        .options = rows,
        .min_operands = 1,
        .max_operands = 1};
    struct schedule_options options = {0};
    struct mgc_error err = {0};
    char **operands;
    int count, code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (code >= 0)
        return code;
    if (!check_name(operands[0], &err) || !mgc_daily_remove(operands[0], place_of(&options), &err))
        return mgc_cmd_fail(&err);
    printf("%s is not scheduled any more\n", operands[0]);
    return MGC_EXIT_OK;
}

int mgc_cmd_schedule(int argc, char **argv)
{
    static const struct mgc_cli_command commands[] = {
        {"install", "carry out a plan every day", install},
        {"list", "show what is scheduled, and what could not begin", list},
        {"remove", "take a schedule away", take_away},
        {0},
    };
    return mgc_cli_dispatch(
        "mgcoord schedule", "Let runs begin by themselves.", MGC_VERSION, commands, argc, argv);
}
