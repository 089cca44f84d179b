#include "coordinator/plan/sources.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct mgc_schema *const schemas[] = {&mgc_schema_site, &mgc_schema_plan};
enum { SCHEMA_COUNT = sizeof(schemas) / sizeof(schemas[0]) };

/* ---- built-in ------------------------------------------------------------------------------ */

static void put_workload(struct mgc_settings *settings, const struct mgc_bench_workload *workload,
    const char *name, int64_t value, const char *unit, struct mgc_problems *problems)
{
    char key[MGC_KEY_PATH_MAX], text[32];
    struct mgc_source source = {MGC_RANK_BUILT_IN, "built-in bench", NULL};
    snprintf(key, sizeof(key), "workloads.%s.%s", workload->name, name);
    snprintf(text, sizeof(text), "%" PRId64 "%s", value, unit);
    mgc_settings_put_text(
        settings, mgc_schema_find(&mgc_schema_site, key), key, &source, text, problems);
}

void mgc_source_built_in(
    const struct mgc_bench *bench, struct mgc_settings *settings, struct mgc_problems *problems)
{
    struct mgc_source source = {MGC_RANK_BUILT_IN, "built-in", NULL};
    for (size_t s = 0; s < SCHEMA_COUNT; s++) {
        for (size_t i = 0; i < schemas[s]->count; i++) {
            const struct mgc_schema_row *row = &schemas[s]->rows[i];
            if (row->fallback)
                mgc_settings_put_text(settings, row, row->key, &source, row->fallback, problems);
        }
    }
    for (size_t i = 0; i < bench->workload_count; i++) {
        const struct mgc_bench_workload *workload = &bench->workloads[i];
        put_workload(settings, workload, "frames", workload->frames, "", problems);
        put_workload(settings, workload, "target_call", workload->target_call, "", problems);
        put_workload(
            settings, workload, "timeout", workload->client_timeout_ms / 1000, "s", problems);
    }
}

/* ---- environment --------------------------------------------------------------------------- */

/* Replace the first `mark` of a pattern by a name, in capitals if asked. */
static void fill_in(char *ret_text, size_t size, const char *pattern, const char *mark,
    const char *name, bool capitals)
{
    const char *at = strstr(pattern, mark);
    if (!at) {
        snprintf(ret_text, size, "%s", pattern);
        return;
    }
    char word[64];
    snprintf(word, sizeof(word), "%s", name);
    for (char *c = word; *c; c++) {
        if (capitals)
            *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    }
    snprintf(ret_text, size, "%.*s%s%s", (int)(at - pattern), pattern, word, at + strlen(mark));
}

struct environment {
    mgc_getenv *get;
    void *user;
    struct mgc_settings *settings;
    struct mgc_problems *problems;
};

static void put_variable(
    const struct environment *env, const struct mgc_schema_row *row, const char *name)
{
    char variable[100], key[MGC_KEY_PATH_MAX], origin[120];
    fill_in(variable, sizeof(variable), row->env, "{}", name, true);
    fill_in(key, sizeof(key), row->key, "*", name, false);
    const char *text = env->get(variable, env->user);
    if (!text || !*text)
        return;
    /* $(cat FILE) is stripped, a service's EnvironmentFile is not. */
    char trimmed[1024];
    size_t len = strlen(text);
    while (len && isspace((unsigned char)text[len - 1]))
        len--;
    if (len < sizeof(trimmed)) {
        snprintf(trimmed, sizeof(trimmed), "%.*s", (int)len, text);
        text = trimmed;
    }
    snprintf(origin, sizeof(origin), "environment %s", variable);
    struct mgc_source source = {MGC_RANK_ENVIRONMENT, origin, NULL};
    mgc_settings_put_text(env->settings, row, key, &source, text, env->problems);
}

void mgc_source_environment(const struct mgc_bench *bench, mgc_getenv *get, void *user,
    struct mgc_settings *settings, struct mgc_problems *problems)
{
    struct environment env = {get, user, settings, problems};
    for (size_t s = 0; s < SCHEMA_COUNT; s++) {
        for (size_t i = 0; i < schemas[s]->count; i++) {
            const struct mgc_schema_row *row = &schemas[s]->rows[i];
            if (!row->env)
                continue;
            if (!strstr(row->env, "{}"))
                put_variable(&env, row, "");
            for (size_t w = 0; strstr(row->env, "{}") && w < bench->workload_count; w++)
                put_variable(&env, row, bench->workloads[w].name);
        }
    }
}

/* ---- command line -------------------------------------------------------------------------- */

void mgc_source_overrides(const struct mgc_override *overrides, size_t count,
    struct mgc_settings *settings, struct mgc_problems *problems)
{
    for (size_t i = 0; i < count; i++) {
        const struct mgc_override *override = &overrides[i];
        const struct mgc_schema_row *row = NULL;
        for (size_t s = 0; s < SCHEMA_COUNT && !row; s++)
            row = mgc_schema_find(schemas[s], override->key);
        if (!row) {
            mgc_problem_add(problems,
                "%s: unknown key '%.100s', expected one that `mgcoord plan schema` lists",
                override->origin, override->key);
            continue;
        }
        if (row->kind == MGC_KIND_SECRET) { /* anybody may read a command line */
            mgc_problem_add(problems,
                "%s: a secret is not taken from a command line, which other users can read; put it "
                "into the environment (%s) or the plan file ('%s')",
                override->origin, row->env ? row->env : "no variable", row->key);
            continue;
        }
        struct mgc_source source = {MGC_RANK_COMMAND_LINE, override->origin, NULL};
        mgc_settings_put_text(settings, row, override->key, &source, override->value, problems);
    }
}
