#include "coordinator/plan/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/base/path.h"
#include "common/plat/file.h"
#include "common/plat/host.h"
#include "coordinator/plan/bind.h"
#include "coordinator/plan/check.h"
#include "coordinator/plan/expand.h"
#include "coordinator/plan/phones.h"
#include "coordinator/plan/yaml_tree.h"

enum { TOKEN_LEN = 32, RUN_ID_MAX = 128 };

static const char *process_getenv(const char *name, void *user)
{
    (void)user;
    return getenv(name);
}

static const char *get_variable(const struct mgc_plan_request *request, const char *name)
{
    mgc_getenv *get = request->getenv ? request->getenv : process_getenv;
    const char *text = get(name, request->getenv_user);
    return text && *text ? text : NULL;
}

/* ---- finding and reading ------------------------------------------------------------------- */

static bool user_site_path(const struct mgc_plan_request *request, char *ret_path, size_t size)
{
    char dir[MGC_PATH_MAX];
    const char *config = get_variable(request, "XDG_CONFIG_HOME");
    const char *home = get_variable(request, "HOME");
    if (config)
        return mgc_path_join(ret_path, size, config, "mgcoord/site.yaml");
    return home && mgc_path_join(dir, sizeof(dir), home, ".config") &&
           mgc_path_join(ret_path, size, dir, "mgcoord/site.yaml");
}

static bool find_site(
    const struct mgc_plan_request *request, char *ret_path, size_t size, struct mgc_error *err)
{
    const char *given =
        request->site_path ? request->site_path : get_variable(request, "MGCOORD_SITE");
    if (given) {
        snprintf(ret_path, size, "%s", given);
        return true;
    }
    snprintf(ret_path, size, "site.yaml");
    if (mgc_file_exists(ret_path))
        return true;
    bool have_user = user_site_path(request, ret_path, size);
    if (have_user && mgc_file_exists(ret_path))
        return true;
    return mgc_error_set(err, MGC_E_CONFIG,
        "no site file: expected --site FILE, MGCOORD_SITE, ./site.yaml or %s; examples/site.yaml "
        "is one to start from; without hardware: mgcoord run PLAN --lab, whose lab has its own "
        "(~/.local/state/mglab/default/site.yaml)",
        have_user ? ret_path : "$XDG_CONFIG_HOME/mgcoord/site.yaml");
}

static void dir_of(const char *path, char *ret_dir, size_t size)
{
    size_t len = (size_t)(mgc_path_base(path) - path);
    if (len > 1)
        len--; /* without the separator, except for "/" */
    snprintf(ret_dir, size, "%.*s", (int)len, path);
}

static bool bind_text(const struct mgc_schema *schema, const char *text, size_t len,
    const char *file, const char *dir, enum mgc_rank rank, struct mgc_settings *settings,
    struct mgc_problems *problems, struct mgc_error *err)
{
    struct mgc_yaml_node root;
    if (!mgc_yaml_parse(text, len, file, &root, err))
        return false;
    mgc_bind(schema, &root, file, dir, rank, settings, problems);
    mgc_yaml_destroy(&root);
    return true;
}

static bool bind_file(const struct mgc_schema *schema, const char *path, enum mgc_rank rank,
    struct mgc_settings *settings, struct mgc_problems *problems, struct mgc_error *err)
{
    char dir[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    dir_of(path, dir, sizeof(dir));
    bool ok = mgc_file_read(path, MGC_YAML_BYTES_MAX, &text, err);
    if (!ok && err)
        err->code = MGC_E_CONFIG; /* a file that was named and is not there: exit 2, not 3 */
    ok = ok &&
         bind_text(schema, mgc_buf_text(&text), text.len, path, dir, rank, settings, problems, err);
    mgc_buf_destroy(&text);
    return ok;
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static bool unknown_plan(const char *name, struct mgc_error *err)
{
    struct mgc_buf known = {0};
    for (const struct mgc_plan_text *plan = mgc_plans_built_in; plan->name; plan++)
        mgc_buf_printf(&known, "%s%s", known.len ? ", " : "", plan->name);
    mgc_error_set(err, MGC_E_CONFIG,
        "no plan is called '%.100s': expected a built-in one (%s) or a file such as "
        "./plans/%.100s.yaml",
        name, mgc_buf_text(&known), name);
    mgc_buf_destroy(&known);
    return false;
}

/* ret_file: what messages call the plan. */
static bool bind_plan(const char *name, char *ret_file, size_t size, struct mgc_settings *settings,
    struct mgc_problems *problems, struct mgc_error *err)
{
    if (strchr(name, '/') || ends_with(name, ".yaml") || ends_with(name, ".yml")) {
        snprintf(ret_file, size, "%s", name);
        return bind_file(&mgc_schema_plan, name, MGC_RANK_PLAN, settings, problems, err);
    }
    for (const struct mgc_plan_text *plan = mgc_plans_built_in; plan->name; plan++) {
        if (strcmp(plan->name, name) != 0)
            continue;
        snprintf(ret_file, size, "built-in plan %s", name);
        return bind_text(&mgc_schema_plan, plan->text, strlen(plan->text), ret_file, NULL,
            MGC_RANK_PLAN, settings, problems, err);
    }
    return unknown_plan(name, err);
}

/* ---- all sources --------------------------------------------------------------------------- */

static bool put_default_keys_dir(
    struct mgc_settings *settings, struct mgc_problems *problems, struct mgc_error *err)
{
    char state[MGC_PATH_MAX], path[MGC_PATH_MAX];
    if (mgc_settings_get(settings, "keys"))
        return true;
    if (!mgc_host_state_dir(state, sizeof(state), err))
        return mgc_error_prefix(err, "default of keys");
    if (!mgc_path_join(path, sizeof(path), state, "keys"))
        return mgc_error_set(err, MGC_E_CONFIG, "path of the key directory is too long");
    struct mgc_source source = {MGC_RANK_BUILT_IN, "built-in", NULL};
    mgc_settings_put_text(
        settings, mgc_schema_find(&mgc_schema_site, "keys"), "keys", &source, path, problems);
    return true;
}

struct files {
    char site[MGC_PATH_MAX];
    char plan[MGC_PATH_MAX]; /* empty without a plan */
};

static bool collect(const struct mgc_plan_request *request, bool with_plan, struct files *ret_files,
    struct mgc_settings *settings, struct mgc_problems *problems, struct mgc_error *err)
{
    const struct mgc_bench *bench = mgc_bench_built_in();
    ret_files->plan[0] = '\0';
    mgc_source_built_in(bench, settings, problems);
    if (!find_site(request, ret_files->site, sizeof(ret_files->site), err) ||
        !bind_file(&mgc_schema_site, ret_files->site, MGC_RANK_SITE, settings, problems, err))
        return false;
    if (with_plan && !bind_plan(request->plan, ret_files->plan, sizeof(ret_files->plan), settings,
                         problems, err))
        return false;
    mgc_source_environment(bench, request->getenv ? request->getenv : process_getenv,
        request->getenv_user, settings, problems);
    mgc_source_overrides(request->overrides, request->override_count, settings, problems);
    return put_default_keys_dir(settings, problems, err) && mgc_settings_ok(settings, err);
}

static bool load_site(const struct mgc_plan_request *request, bool with_plan,
    struct mgc_site *ret_site, struct mgc_problems *problems, struct mgc_error *err)
{
    struct files files;
    struct mgc_settings settings = {0};
    const struct mgc_bench *bench = mgc_bench_built_in();
    struct mgc_site site = {0};
    size_t phones = 1;
    bool ok = collect(request, with_plan, &files, &settings, problems, err);
    if (!ok && err->code == MGC_E_CONFIG) { /* joins what was found before it */
        mgc_problem_add(problems, "%s", err->text);
        mgc_problems_none(problems, err);
    }
    if (ok) {
        mgc_check_required(&mgc_schema_site, files.site, &settings, problems);
        if (with_plan)
            mgc_check_required(&mgc_schema_plan, files.plan, &settings, problems);
        mgc_phones_check(&settings, problems);
        phones = mgc_phones_count(&settings);
        ok = !with_plan || problems->errors.total > 0 ||
             mgc_phones_pick(&settings, request->phone, err);
        mgc_check_site(bench, files.site, &settings, problems);
        mgc_check_notify(&settings, problems);
        ok = ok && mgc_problems_none(problems, err) && mgc_site_fill(&site, &settings, bench, err);
    }
    mgc_settings_destroy(&settings);
    if (!ok)
        return false;
    const char *phone = with_plan ? request->phone : NULL;
    site.file = strdup(files.site);
    site.phone.name = phone ? strdup(phone) : NULL;
    site.phone.of = phones;
    if (!site.file || (phone && !site.phone.name)) {
        mgc_site_destroy(&site);
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the site");
    }
    *ret_site = site;
    return true;
}

/* ---- the public ends ----------------------------------------------------------------------- */

/* "20261130T135200Z-crosshost-k3f9" */
static void make_run_id(const char *plan, char *ret_id, size_t size)
{
    char chance[5], stamp[32] = "";
    time_t now = (time_t)(mgc_wall_ns() / MGC_NS_PER_S);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc);
    mgc_random_text(chance, sizeof(chance) - 1);
    snprintf(ret_id, size, "%s-%s-%s", stamp, plan, chance);
}

static bool expand(const struct mgc_plan_request *request, const struct mgc_site *site,
    struct mgc_plan *ret_plan, struct mgc_problems *problems, struct mgc_error *err)
{
    char run_id[RUN_ID_MAX], token[TOKEN_LEN + 1];
    if (!mgc_random_init(err))
        return false;
    make_run_id(
        mgc_setting_text(mgc_settings_get(&site->settings, "plan")), run_id, sizeof(run_id));
    mgc_random_text(token, TOKEN_LEN);
    struct mgc_expand_ids ids = {
        .run_id = request->run_id ? request->run_id : run_id,
        .token = request->token ? request->token : token,
    };
    return mgc_expand(site, mgc_bench_built_in(), &ids, ret_plan, problems, err) ||
           mgc_problems_none(problems, err);
}

static bool load(const struct mgc_plan_request *request, bool with_plan, struct mgc_site *ret_site,
    struct mgc_plan *ret_plan, struct mgc_error *err)
{
    struct mgc_problems own = {0}, *problems = request->problems ? request->problems : &own;
    struct mgc_error own_err = {0}, *why = err ? err : &own_err;
    struct mgc_site site = {0};
    if (!load_site(request, with_plan, &site, problems, why))
        return false;
    if (with_plan && !expand(request, &site, ret_plan, problems, why)) {
        mgc_site_destroy(&site);
        return false;
    }
    *ret_site = site;
    return true;
}

bool mgc_plan_load(const struct mgc_plan_request *request, struct mgc_site *ret_site,
    struct mgc_plan *ret_plan, struct mgc_error *err)
{
    return load(request, true, ret_site, ret_plan, err);
}

bool mgc_site_load(
    const struct mgc_plan_request *request, struct mgc_site *ret_site, struct mgc_error *err)
{
    return load(request, false, ret_site, NULL, err);
}
