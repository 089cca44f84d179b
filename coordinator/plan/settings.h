/* Every setting of one plan on one site, with where it came from.
 *
 * Sources are bound one after the other in any order; of two values for one key the one with the
 * higher rank stays, of equal rank the later. The result is what site, plan, `plan show` and
 * run.json are made of.
 */
#ifndef MGC_PLAN_SETTINGS_H
#define MGC_PLAN_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "coordinator/plan/problems.h"
#include "coordinator/plan/schema.h"

enum mgc_rank { /* who wins: the later */
    MGC_RANK_BUILT_IN,
    MGC_RANK_SITE,
    MGC_RANK_PLAN,
    MGC_RANK_ENVIRONMENT,
    MGC_RANK_COMMAND_LINE,
};

struct mgc_setting {
    char *key;                        /* owned: "phone.port" */
    const struct mgc_schema_row *row; /* borrowed: static */
    enum mgc_rank rank;
    char *origin;    /* owned: "site.yaml:12", "environment GATEWAY", "--reps", "built-in" */
    char *text;      /* owned: as people write it; lists with ", " between */
    bool bad;        /* a problem was reported for it; kept so that it does not count as missing */
    int64_t integer; /* integers; durations in ms; booleans as 0 and 1 */
    char **items;    /* owned: texts of a list */
    int64_t *item_ints; /* owned: of MGC_KIND_INTS */
    size_t item_count;
};

/* A mapping that stood in a file: "workloads.openra" exists although all its keys have defaults,
 * and a key that is missing in it is reported with its line. */
struct mgc_section {
    char *key;    /* owned */
    char *origin; /* owned */
    bool bad;     /* no mapping: reported, nothing in it counts as missing */
};

struct mgc_settings {
    struct mgc_setting *items; /* owned; sorted by key */
    size_t count, cap;
    struct mgc_section *sections; /* owned; in the order of the files */
    size_t section_count, section_cap;
    bool no_memory; /* sticky; checked once, by mgc_settings_ok */
};

/* One source of values while it is bound. */
struct mgc_source {
    enum mgc_rank rank;
    const char *origin; /* of this value */
    const char *dir;    /* relative MGC_KIND_LOCAL paths start here; NULL or "": as they are */
};

void mgc_settings_destroy(struct mgc_settings *settings); /* takes NULL and zeroed */
void mgc_setting_destroy(struct mgc_setting *setting);    /* takes zeroed */
bool mgc_settings_ok(const struct mgc_settings *settings, struct mgc_error *err);

/* Check the text(s) against the row and put them under `key`. A bad value is a problem, also when
 * a better source has the key already; it is put with the mark `bad`. */
void mgc_settings_put(struct mgc_settings *settings, const struct mgc_schema_row *row,
    const char *key, const struct mgc_source *source, const char *const *texts, size_t count,
    struct mgc_problems *problems);
/* As put, for one text; a list's items are split at commas and spaces. */
void mgc_settings_put_text(struct mgc_settings *settings, const struct mgc_schema_row *row,
    const char *key, const struct mgc_source *source, const char *text,
    struct mgc_problems *problems);
/* For a value that is not even a text: the caller has reported it. */
void mgc_settings_put_bad(struct mgc_settings *settings, const struct mgc_schema_row *row,
    const char *key, const struct mgc_source *source);
void mgc_settings_add_section(
    struct mgc_settings *settings, const char *key, const struct mgc_source *source, bool bad);

/* NULL when absent. Borrowed until the next put. */
const struct mgc_setting *mgc_settings_get(const struct mgc_settings *settings, const char *key);
const struct mgc_setting *mgc_settings_getf(const struct mgc_settings *settings, const char *fmt,
    ...) __attribute__((format(printf, 2, 3)));
const struct mgc_section *mgc_settings_section(
    const struct mgc_settings *settings, const char *key);

/* NULL, or `fallback`, when absent. */
const char *mgc_setting_text(const struct mgc_setting *setting);
int64_t mgc_setting_int(const struct mgc_setting *setting, int64_t fallback);
/* "(secret)" for secrets. */
const char *mgc_setting_shown(const struct mgc_setting *setting);

#endif
