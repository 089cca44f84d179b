#include "coordinator/cmd/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/cmd/exit_code.h"
#include "coordinator/plan/lane.h"

enum { OVERRIDES_MAX = 100, TEXT_MAX = 4096 };

const struct mgc_cli_range mgc_reps_range = {1, 1000};

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

/* `overrides` get what the request borrows. */
static bool make_request(const struct mgc_plan_options *options, const char *plan,
    struct overrides *overrides, struct mgc_plan_request *ret_request, struct mgc_error *err)
{
    if (!add_recorded(options->recorded, overrides, err) || !add_options(options, overrides, err))
        return false;
    *ret_request = (struct mgc_plan_request){
        .plan = plan,
        .site_path = options->site,
        .phone = options->phone,
        .overrides = overrides->items,
        .override_count = overrides->count,
        .getenv = options->recorded ? mgc_recorded_getenv : NULL,
        .getenv_user = options->recorded,
        .run_id = options->run_id,
    };
    return true;
}

static int end_load(bool ok, const struct mgc_problems *problems, const struct mgc_error *err)
{
    print_list(&problems->warnings, "warning: ");
    if (ok)
        return MGC_EXIT_OK;
    if (problems->errors.total == 0)
        return mgc_cmd_fail(err);
    print_list(&problems->errors, "");
    return MGC_EXIT_USAGE;
}

static bool takes_options(const struct mgc_plan_options *options, const char *plan,
    const struct mgc_site *site, struct mgc_error *err)
{
    return (!options->mode || takes_mode(options, plan, site, err)) &&
           takes_credits(options, plan, site, err) && takes_short(options, plan, site, err);
}

static int load(const struct mgc_plan_options *options, const char *plan, struct mgc_site *ret_site,
    struct mgc_plan *ret_plan)
{
    struct overrides overrides = {0};
    struct mgc_problems problems = {0};
    struct mgc_error err = {0};
    struct mgc_plan_request request;
    if (!make_request(options, plan, &overrides, &request, &err))
        return mgc_cmd_fail(&err);
    request.problems = &problems;
    bool ok = plan ? mgc_plan_load(&request, ret_site, ret_plan, &err)
                   : mgc_site_load(&request, ret_site, &err);
    if (ok && plan && !takes_options(options, plan, ret_site, &err)) {
        mgc_plan_destroy(ret_plan);
        mgc_site_destroy(ret_site);
        ok = false;
    }
    return end_load(ok, &problems, &err);
}

/* ---- the phones ---- */

void mgc_phone_plans_destroy(struct mgc_phone_plans *plans)
{
    for (size_t i = 0; i < plans->count; i++) {
        mgc_plan_destroy(&plans->items[i].plan);
        mgc_site_destroy(&plans->items[i].site);
    }
    free(plans->items);
    *plans = (struct mgc_phone_plans){0};
}

struct names {
    char text[TEXT_MAX];
    const char *items[OVERRIDES_MAX];
    size_t count;
};

static bool has_name(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], name) == 0)
            return true;
    }
    return false;
}

/* --phone a --phone b,c */
static bool take_names(
    const struct mgc_cli_strings *list, struct names *names, struct mgc_error *err)
{
    size_t used = 0;
    for (size_t i = 0; i < list->count; i++) {
        int len = snprintf(names->text + used, sizeof(names->text) - used, "%s,", list->items[i]);
        used += (size_t)len;
        if (used >= sizeof(names->text))
            return mgc_error_set(err, MGC_E_USAGE, "option --phone: too many names");
    }
    char *rest = NULL;
    for (char *name = strtok_r(names->text, ", ", &rest); name;
         name = strtok_r(NULL, ", ", &rest)) {
        if (names->count == OVERRIDES_MAX)
            return mgc_error_set(err, MGC_E_USAGE, "option --phone: too many names");
        if (!has_name(names, name))
            names->items[names->count++] = name;
    }
    return true;
}

/* Those that were asked for, in the site's order; one that it does not have last, so that loading
 * it says so. NULL stands for the only phone. */
static size_t choose(
    const struct mgc_site *site, const struct names *names, const char **ret_chosen)
{
    size_t count = 0;
    for (size_t i = 0; i < site->phone_name_count; i++) {
        if (names->count == 0 || has_name(names, site->phone_names[i]))
            ret_chosen[count++] = site->phone_names[i];
    }
    for (size_t i = 0; i < names->count; i++) {
        size_t known = 0;
        while (known < site->phone_name_count &&
               strcmp(site->phone_names[known], names->items[i]) != 0)
            known++;
        if (known == site->phone_name_count)
            ret_chosen[count++] = names->items[i];
    }
    if (count == 0)
        ret_chosen[count++] = NULL;
    return count;
}

/* All have the run's id in common, which the first one brings. */
static bool load_each(struct mgc_plan_request *request, const char *const *phones, size_t count,
    struct mgc_phone_plans *plans, struct mgc_error *err)
{
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        struct mgc_phone_plan *one = &plans->items[plans->count];
        request->phone = phones[i];
        if (!mgc_plan_load(request, &one->site, &one->plan, err)) {
            ok = false;
            continue;
        }
        plans->count++;
        if (!request->run_id)
            request->run_id = one->plan.part_of;
    }
    return ok;
}

/* A site that is not right has no names; what is wrong is said when the plan is loaded. */
static bool load_all(const struct mgc_plan_options *options, struct mgc_plan_request *request,
    struct mgc_phone_plans *plans, struct mgc_error *err)
{
    struct names names = {0};
    struct mgc_site site = {0};
    struct mgc_problems *problems = request->problems;
    request->problems = NULL;
    mgc_site_load(request, &site, NULL);
    request->problems = problems;
    size_t most = site.phone_name_count + OVERRIDES_MAX + 1;
    const char **chosen = calloc(most, sizeof(*chosen));
    plans->items = calloc(most, sizeof(*plans->items));
    bool ok = (chosen && plans->items) ||
              mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the phones' plans");
    ok = ok && take_names(&options->phones, &names, err) &&
         load_each(request, chosen, choose(&site, &names, chosen), plans, err) &&
         takes_options(options, request->plan, &plans->items[0].site, err);
    free(chosen);
    mgc_site_destroy(&site);
    return ok;
}

int mgc_plan_options_load_all(
    const struct mgc_plan_options *options, const char *plan, struct mgc_phone_plans *ret_plans)
{
    struct overrides overrides = {0};
    struct mgc_problems problems = {0};
    struct mgc_error err = {0};
    struct mgc_plan_request request;
    *ret_plans = (struct mgc_phone_plans){0};
    if (!make_request(options, plan, &overrides, &request, &err))
        return mgc_cmd_fail(&err);
    request.problems = &problems;
    bool ok = load_all(options, &request, ret_plans, &err);
    if (!ok)
        mgc_phone_plans_destroy(ret_plans);
    return end_load(ok, &problems, &err);
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
