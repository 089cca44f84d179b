#include "coordinator/cmd/options.h"

#include <stdio.h>
#include <string.h>

#include "coordinator/cmd/exit_code.h"
#include "coordinator/plan/lane.h"

enum { OVERRIDES_MAX = 100, TEXT_MAX = 4096 };

const struct mgc_cli_range mgc_reps_range = {1, 100};

/* The options as overrides of settings; texts that had to be put together live here. */
struct overrides {
    struct mgc_override items[OVERRIDES_MAX];
    size_t count;
    char text[TEXT_MAX];
    size_t used;
};

int mgc_cmd_fail(const struct mgc_error *err)
{
    fprintf(stderr, "mgcoord: %s\n", err->text);
    switch (err->code) {
    case MGC_E_USAGE:
    case MGC_E_CONFIG:
        return MGC_EXIT_USAGE;
    case MGC_E_CANCELLED:
        return MGC_EXIT_INTERRUPTED;
    default:
        return MGC_EXIT_INFRASTRUCTURE;
    }
}

int mgc_cmd_parse(const struct mgc_cli *cli, int argc, char **argv, void *options,
    char ***ret_operands, int *ret_count)
{
    struct mgc_error err = {0};
    switch (mgc_cli_parse_args(cli, argc, argv, options, ret_operands, ret_count, &err)) {
    case MGC_CLI_RUN:
        return -1;
    case MGC_CLI_HELP:
        mgc_cli_print_help(cli, stdout);
        return MGC_EXIT_OK;
    case MGC_CLI_BAD:
        break;
    }
    return mgc_cmd_fail(&err);
}

/* ---- options to overrides ------------------------------------------------------------------ */

static bool add(struct overrides *to, const char *key, const char *value, const char *origin,
    struct mgc_error *err)
{
    if (to->count == OVERRIDES_MAX)
        return mgc_error_set(err, MGC_E_USAGE, "too many options");
    to->items[to->count++] = (struct mgc_override){key, value, origin};
    return true;
}

/* Copy `len` bytes and a terminator; NULL when the room is used up. */
static const char *keep(struct overrides *to, const char *text, size_t len, struct mgc_error *err)
{
    if (to->used + len + 1 > sizeof(to->text)) {
        mgc_error_set(err, MGC_E_USAGE, "options are too long");
        return NULL;
    }
    char *copy = memcpy(to->text + to->used, text, len);
    copy[len] = '\0';
    to->used += len + 1;
    return copy;
}

/* --workload a --workload b,c is "a,b,c". */
static bool add_list(struct overrides *to, const struct mgc_cli_strings *list, const char *key,
    const char *origin, struct mgc_error *err)
{
    if (list->count == 0)
        return true;
    const char *joined = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const char *text = keep(to, list->items[i], strlen(list->items[i]), err);
        if (!text)
            return false;
        if (i == 0)
            joined = text;
        else
            to->text[text - to->text - 1] = ','; /* where the one before ended */
    }
    return add(to, key, joined, origin, err);
}

/* The matrix measures with one present credit. */
static bool add_one_credit(
    struct overrides *to, const struct mgc_cli_strings *credits, struct mgc_error *err)
{
    return credits->count != 1 || strpbrk(credits->items[0], ", ") ||
           add(to, "lanes.matrix.credit", credits->items[0], "--credit", err);
}

static bool add_set(struct overrides *to, const char *text, struct mgc_error *err)
{
    char origin[256];
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return mgc_error_set(err, MGC_E_USAGE,
            "option --set '%s': expected KEY=VALUE such as phone.port=40614", text);
    const char *key = keep(to, text, (size_t)(equals - text), err);
    if (!key)
        return false;
    snprintf(origin, sizeof(origin), "--set %.200s", key);
    const char *kept = keep(to, origin, strlen(origin), err);
    return kept && add(to, key, equals + 1, kept, err);
}

static bool add_options(
    const struct mgc_plan_options *options, struct overrides *to, struct mgc_error *err)
{
    if (!add_list(to, &options->workloads, "lanes.crosshost.workloads", "--workload", err) ||
        !add_list(to, &options->workloads, "lanes.matrix.workloads", "--workload", err) ||
        !add_list(to, &options->credits, "lanes.crosshost.credits", "--credit", err) ||
        !add_one_credit(to, &options->credits, err) ||
        !add_list(to, &options->arms, "lanes.matrix.arms", "--arm", err))
        return false;
    if (options->mode && !add(to, "lanes.matrix.mode", options->mode, "operand MODE", err))
        return false;
    if (options->reps) {
        char reps[24];
        int len = snprintf(reps, sizeof(reps), "%lld", (long long)options->reps);
        const char *text = keep(to, reps, (size_t)len, err);
        if (!text || !add(to, "lanes.crosshost.reps", text, "--reps", err) ||
            !add(to, "lanes.matrix.reps", text, "--reps", err) ||
            !add(to, "lanes.netbench.reps", text, "--reps", err))
            return false;
    }
    if (options->short_form && !add(to, "lanes.netbench.short", "true", "--short", err))
        return false;
    for (size_t i = 0; i < options->sets.count; i++) {
        if (!add_set(to, options->sets.items[i], err))
            return false;
    }
    return true;
}

/* In the order of their keys, which does not matter: every key is there once. */
static bool add_recorded(
    const struct mgc_recorded *recorded, struct overrides *to, struct mgc_error *err)
{
    for (size_t i = 0; recorded && i < recorded->count; i++) {
        const struct mgc_override *item = &recorded->items[i];
        if (!add(to, item->key, item->value, item->origin, err))
            return false;
    }
    return true;
}

/* ---- loading ------------------------------------------------------------------------------- */

static void print_list(const struct mgc_problem_list *list, const char *prefix)
{
    size_t kept = mgc_problem_count(list);
    for (size_t i = 0; i < kept; i++)
        fprintf(stderr, "mgcoord: %s%s\n", prefix, list->text[i]);
    if (list->total > kept)
        fprintf(stderr, "mgcoord: %sand %zu more\n", prefix, list->total - kept);
}

static bool takes_mode(const struct mgc_plan_options *options, const char *plan,
    const struct mgc_site *site, struct mgc_error *err)
{
    return mgc_lane_in_plan(&site->settings, "matrix") ||
           mgc_error_set(err, MGC_E_USAGE,
               "'%.100s': plan %.100s has no matrix lane, so no mode is expected after it",
               options->mode, plan);
}

static bool takes_credits(const struct mgc_plan_options *options, const char *plan,
    const struct mgc_site *site, struct mgc_error *err)
{
    const struct mgc_cli_strings *credits = &options->credits;
    bool several = credits->count > 1 || (credits->count && strpbrk(credits->items[0], ", "));
    return !several || mgc_lane_in_plan(&site->settings, "crosshost") ||
           mgc_error_set(err, MGC_E_USAGE,
               "--credit: plan %.100s has no crosshost lane, so it measures with one credit: "
               "expected one number",
               plan);
}

static bool takes_short(const struct mgc_plan_options *options, const char *plan,
    const struct mgc_site *site, struct mgc_error *err)
{
    return !options->short_form || mgc_lane_in_plan(&site->settings, "netbench") ||
           mgc_error_set(err, MGC_E_USAGE,
               "--short: plan %.100s has no netbench lane, so there is no link test to be short",
               plan);
}

static int load(const struct mgc_plan_options *options, const char *plan, struct mgc_site *ret_site,
    struct mgc_plan *ret_plan)
{
    struct overrides overrides = {0};
    struct mgc_problems problems = {0};
    struct mgc_error err = {0};
    if (!add_recorded(options->recorded, &overrides, &err) ||
        !add_options(options, &overrides, &err))
        return mgc_cmd_fail(&err);
    struct mgc_plan_request request = {
        .plan = plan,
        .site_path = options->site,
        .overrides = overrides.items,
        .override_count = overrides.count,
        .getenv = options->recorded ? mgc_recorded_getenv : NULL,
        .getenv_user = options->recorded,
        .run_id = options->run_id,
        .problems = &problems,
    };
    bool ok = plan ? mgc_plan_load(&request, ret_site, ret_plan, &err)
                   : mgc_site_load(&request, ret_site, &err);
    if (ok && plan && options->mode && !takes_mode(options, plan, ret_site, &err)) {
        mgc_plan_destroy(ret_plan);
        mgc_site_destroy(ret_site);
        ok = false;
    }
    if (ok && plan &&
        !(takes_credits(options, plan, ret_site, &err) &&
            takes_short(options, plan, ret_site, &err))) {
        mgc_plan_destroy(ret_plan);
        mgc_site_destroy(ret_site);
        ok = false;
    }
    print_list(&problems.warnings, "warning: ");
    if (ok)
        return MGC_EXIT_OK;
    if (problems.errors.total == 0)
        return mgc_cmd_fail(&err);
    print_list(&problems.errors, "");
    return MGC_EXIT_USAGE;
}

int mgc_plan_options_load(const struct mgc_plan_options *options, const char *plan,
    struct mgc_site *ret_site, struct mgc_plan *ret_plan)
{
    return load(options, plan, ret_site, ret_plan);
}

int mgc_site_options_load(const struct mgc_plan_options *options, struct mgc_site *ret_site)
{
    return load(options, NULL, ret_site, NULL);
}

bool mgc_site_options_try(const struct mgc_plan_options *options, struct mgc_site *ret_site)
{
    struct overrides overrides = {0};
    struct mgc_problems problems = {0};
    struct mgc_error err = {0};
    struct mgc_plan_request request = {
        .site_path = options->site, .overrides = overrides.items, .problems = &problems};
    return mgc_site_load(&request, ret_site, &err);
}
