#include "coordinator/plan/phones.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/plan/plan.h"

static const char several[] = "phones.", single[] = "phone.", of_workers[] = "workers.";

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool mgc_phones_named(const struct mgc_settings *settings)
{
    if (mgc_settings_section(settings, "phones"))
        return true;
    for (size_t i = 0; i < settings->count; i++) {
        if (begins(settings->items[i].key, several))
            return true;
    }
    return false;
}

const char *mgc_phones_name(const struct mgc_section *section)
{
    const char *name = section->key + strlen(several);
    return begins(section->key, several) && !strchr(name, '.') ? name : NULL;
}

size_t mgc_phones_count(const struct mgc_settings *settings)
{
    size_t count = 0;
    for (size_t i = 0; i < settings->section_count; i++)
        count += mgc_phones_name(&settings->sections[i]) != NULL;
    return mgc_phones_named(settings) ? count : 1;
}

static bool has_phone(const struct mgc_settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->section_count; i++) {
        const char *known = mgc_phones_name(&settings->sections[i]);
        if (known && strcmp(known, name) == 0)
            return true;
    }
    return false;
}

/* NULL also for a value that was complained about already. */
static const struct mgc_setting *good(
    const struct mgc_settings *settings, const char *section, const char *key)
{
    const struct mgc_setting *setting = mgc_settings_getf(settings, "%s.%s", section, key);
    return setting && !setting->bad ? setting : NULL;
}

/* ---- which worker serves a phone ---- */

static bool has_role(const struct mgc_settings *settings, const char *worker, const char *role)
{
    const struct mgc_setting *setting = mgc_settings_getf(settings, "%s.role", worker);
    return setting && strcmp(setting->text, role) == 0;
}

static const char *worker_name(const struct mgc_settings *settings, size_t section)
{
    const char *key = settings->sections[section].key;
    return begins(key, of_workers) ? key + strlen(of_workers) : NULL;
}

/* Names of the workers with that role, with ", " between. */
static size_t list_workers(
    const struct mgc_settings *settings, const char *role, struct mgc_buf *out)
{
    size_t count = 0;
    mgc_buf_puts(out, "");
    for (size_t i = 0; i < settings->section_count; i++) {
        const char *name = worker_name(settings, i);
        if (name && has_role(settings, settings->sections[i].key, role))
            mgc_buf_printf(out, "%s%s", count++ ? ", " : "", name);
    }
    return count;
}

static void check_worker(const struct mgc_settings *settings, const struct mgc_section *phone,
    const char *role, struct mgc_problems *problems)
{
    char section[MGC_KEY_PATH_MAX];
    struct mgc_buf known = {0};
    const struct mgc_setting *given = mgc_settings_getf(settings, "%s.%s", phone->key, role);
    size_t count = list_workers(settings, role, &known);
    if (!given && count > 1 && mgc_phones_name(phone))
        mgc_problem_add(problems,
            "%s: %s.%s is missing: expected the worker with role %s that serves it, one of: %s",
            phone->origin, phone->key, role, role, mgc_buf_text(&known));
    if (given && !given->bad) {
        snprintf(section, sizeof(section), "%s%s", of_workers, given->text);
        if (!has_role(settings, section, role))
            mgc_problem_add(problems,
                "%s: %s: expected a worker with role %s, one of: %s, got '%.60s'", given->origin,
                given->key, role, count ? mgc_buf_text(&known) : "(none)", given->text);
    }
    mgc_buf_destroy(&known);
}

static void check_workers(const struct mgc_settings *settings, const struct mgc_section *phone,
    struct mgc_problems *problems)
{
    for (int role = 0; role < MGC_ROLE_COUNT; role++)
        check_worker(settings, phone, mgc_role_name((enum mgc_role)role), problems);
}

/* Slots are of what two cells that cross hosts would share: the client's processor and the radio.
 */
static void check_parallel(const struct mgc_settings *settings, struct mgc_problems *problems)
{
    for (size_t i = 0; i < settings->section_count; i++) {
        const struct mgc_setting *parallel =
            worker_name(settings, i) ? good(settings, settings->sections[i].key, "parallel") : NULL;
        if (parallel && has_role(settings, settings->sections[i].key, "host"))
            mgc_problem_add(problems,
                "%s: %s: expected at a worker with role wsl only: cells of one host worker's "
                "phones never wait for each other",
                parallel->origin, parallel->key);
    }
}

/* ---- phones beside each other ---- */

/* What stands for the only phone would be said of all of them. */
static void check_exclusive(const struct mgc_settings *settings, struct mgc_problems *problems)
{
    for (size_t i = 0; i < settings->count; i++) {
        const struct mgc_setting *setting = &settings->items[i];
        if (begins(setting->key, single) && setting->rank > MGC_RANK_BUILT_IN)
            mgc_problem_add(problems,
                "%s: %s: this site has several phones: expected phones.NAME.%s", setting->origin,
                setting->key, setting->key + strlen(single));
    }
}

/* Keys that came without a section of a file: --set phones.NAME.port. */
static void check_known(const struct mgc_settings *settings, struct mgc_problems *problems)
{
    for (size_t i = 0; i < settings->count; i++) {
        const struct mgc_setting *setting = &settings->items[i];
        if (!begins(setting->key, several))
            continue;
        char name[MGC_KEY_PATH_MAX];
        const char *at = setting->key + strlen(several);
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "."), at);
        if (!has_phone(settings, name))
            mgc_problem_add(problems, "%s: %s: this site has no phone '%.60s'", setting->origin,
                setting->key, name);
    }
}

static bool is_same(const struct mgc_settings *settings, const struct mgc_section *one,
    const struct mgc_section *other, const char *key)
{
    const struct mgc_setting *a = good(settings, one->key, key);
    const struct mgc_setting *b = good(settings, other->key, key);
    if (!a && !b) /* both have what is built in, or nothing */
        return mgc_settings_getf(settings, "%s%s", single, key);
    return a && b && strcmp(a->text, b->text) == 0;
}

/* Two names for one phone: it would be measured by two runs at once. */
static void check_pair(const struct mgc_settings *settings, const struct mgc_section *one,
    const struct mgc_section *other, struct mgc_problems *problems)
{
    if (is_same(settings, one, other, "serial"))
        mgc_problem_add(problems, "%s: %s.serial: %s has the same: expected one phone each",
            good(settings, other->key, "serial")->origin, other->key, one->key);
    if (is_same(settings, one, other, "address") && is_same(settings, one, other, "port"))
        mgc_problem_add(problems,
            "%s: %s.address: %s has the same address and port: expected one phone each",
            good(settings, other->key, "address")->origin, other->key, one->key);
}

static void check_phones(const struct mgc_settings *settings, struct mgc_problems *problems)
{
    for (size_t i = 0; i < settings->section_count; i++) {
        const struct mgc_section *phone = &settings->sections[i];
        const char *name = mgc_phones_name(phone);
        if (!name)
            continue;
        if (strlen(name) > MGC_PHONE_NAME_MAX)
            mgc_problem_add(problems, "%s: phones.%.60s: expected a name of up to %d characters",
                phone->origin, name, MGC_PHONE_NAME_MAX);
        if (!phone->bad)
            check_workers(settings, phone, problems);
        for (size_t other = 0; other < i; other++) {
            if (mgc_phones_name(&settings->sections[other]))
                check_pair(settings, &settings->sections[other], phone, problems);
        }
    }
}

void mgc_phones_check(const struct mgc_settings *settings, struct mgc_problems *problems)
{
    const struct mgc_section *phone = mgc_settings_section(settings, "phone");
    const struct mgc_section *phones = mgc_settings_section(settings, "phones");
    check_parallel(settings, problems);
    if (!mgc_phones_named(settings)) {
        if (phone)
            check_workers(settings, phone, problems);
        return;
    }
    if (mgc_phones_count(settings) == 0 && phones && !phones->bad)
        mgc_problem_add(problems, "%s: phones: expected at least one, as in phones: {p1: {...}}",
            phones->origin);
    check_exclusive(settings, problems);
    check_known(settings, problems);
    check_phones(settings, problems);
}

/* ---- one of them ---- */

/* Which worker serves it in that role: as it says, or the only one. NULL: there is none. */
static const char *serving(
    const struct mgc_settings *settings, const char *phone_section, const char *role)
{
    const struct mgc_setting *given = good(settings, phone_section, role);
    const char *only = NULL;
    if (given)
        return given->text;
    for (size_t i = 0; i < settings->section_count; i++) {
        const char *name = worker_name(settings, i);
        if (!name || !has_role(settings, settings->sections[i].key, role))
            continue;
        if (only) /* of a site with one phone: mgc_check_site says that one is too many */
            return NULL;
        only = name;
    }
    return only;
}

struct picking {
    char phone[MGC_KEY_PATH_MAX];                   /* "phones.p1" or "phone" */
    char workers[MGC_ROLE_COUNT][MGC_KEY_PATH_MAX]; /* "workers.host1"; empty: all of that role */
};

static bool is_below(const char *key, const char *section)
{
    size_t len = strlen(section);
    return strncmp(key, section, len) == 0 && (!key[len] || key[len] == '.');
}

static bool is_dropped(
    const struct mgc_settings *settings, const struct picking *picking, const char *key)
{
    if (is_below(key, "phones"))
        return !is_below(key, picking->phone);
    if (!begins(key, of_workers))
        return false;
    for (int role = 0; role < MGC_ROLE_COUNT; role++) {
        char section[MGC_KEY_PATH_MAX];
        size_t len = strlen(of_workers) + strcspn(key + strlen(of_workers), ".");
        snprintf(section, sizeof(section), "%.*s", (int)len, key);
        if (picking->workers[role][0] &&
            has_role(settings, section, mgc_role_name((enum mgc_role)role)))
            return strcmp(section, picking->workers[role]) != 0;
    }
    return false;
}

/* "phones.p1.port": "phone.port". NULL: no memory. */
static char *picked_key(const struct picking *picking, const char *key)
{
    char renamed[MGC_KEY_PATH_MAX];
    size_t len = strlen(picking->phone);
    if (!is_below(key, picking->phone))
        return strdup(key);
    snprintf(renamed, sizeof(renamed), "phone%s", key + len);
    return strdup(renamed);
}

static int compare_settings(const void *a, const void *b)
{
    const struct mgc_setting *one = a, *other = b;
    return strcmp(one->key, other->key);
}

/* In place: what is kept moves to the front. The built-in value of a key stands before the phone's
 * own in the order of keys, and gives way to it. */
static bool pick_settings(
    struct mgc_settings *settings, const struct picking *picking, const bool *dropped)
{
    size_t kept = 0;
    bool ok = true;
    for (size_t i = 0; i < settings->count; i++) {
        struct mgc_setting setting = settings->items[i];
        char *key = dropped[i] ? NULL : picked_key(picking, setting.key);
        size_t at = 0;
        ok = ok && (dropped[i] || key);
        if (!key) {
            mgc_setting_destroy(&setting);
            continue;
        }
        bool renamed = strcmp(key, setting.key) != 0;
        free(setting.key);
        setting.key = key;
        if (renamed)
            setting.row = mgc_schema_find(&mgc_schema_site, key);
        while (renamed && at < kept && strcmp(settings->items[at].key, key) != 0)
            at++;
        if (renamed && at < kept)
            mgc_setting_destroy(&settings->items[at]);
        settings->items[renamed && at < kept ? at : kept++] = setting;
    }
    settings->count = kept;
    qsort(settings->items, kept, sizeof(*settings->items), compare_settings);
    return ok;
}

static bool pick_sections(struct mgc_settings *settings, const struct picking *picking)
{
    size_t kept = 0;
    bool ok = true;
    for (size_t i = 0; i < settings->section_count; i++) {
        struct mgc_section section = settings->sections[i];
        bool drop =
            strcmp(section.key, "phones") == 0 || is_dropped(settings, picking, section.key);
        char *key = drop ? NULL : picked_key(picking, section.key);
        ok = ok && (drop || key);
        free(section.key);
        section.key = key;
        if (key)
            settings->sections[kept++] = section;
        else
            free(section.origin);
    }
    settings->section_count = kept;
    return ok;
}

static bool apply(struct mgc_settings *settings, const struct picking *picking)
{
    bool *dropped = calloc(settings->count + 1, sizeof(*dropped));
    for (size_t i = 0; dropped && i < settings->count; i++)
        dropped[i] = is_dropped(settings, picking, settings->items[i].key);
    bool ok =
        dropped && pick_sections(settings, picking) && pick_settings(settings, picking, dropped);
    free(dropped);
    return ok;
}

static bool find_phone(
    const struct mgc_settings *settings, const char *phone, struct mgc_error *err)
{
    struct mgc_buf known = {0};
    bool named = mgc_phones_named(settings);
    if (phone ? has_phone(settings, phone) : !named)
        return true;
    mgc_buf_puts(&known, "");
    for (size_t i = 0; i < settings->section_count; i++) {
        const char *name = mgc_phones_name(&settings->sections[i]);
        if (name)
            mgc_buf_printf(&known, "%s%s", known.len ? ", " : "", name);
    }
    if (!named)
        mgc_error_set(err, MGC_E_CONFIG,
            "phone '%.60s': this site has one phone without a name, under `phone`", phone);
    else
        mgc_error_set(err, MGC_E_CONFIG, "%s%.60s%s: expected one of the site's phones: %s",
            phone ? "phone '" : "no phone", phone ? phone : "", phone ? "'" : "",
            mgc_buf_text(&known));
    mgc_buf_destroy(&known);
    return false;
}

bool mgc_phones_pick(struct mgc_settings *settings, const char *phone, struct mgc_error *err)
{
    struct picking picking = {.phone = "phone"};
    if (!find_phone(settings, phone, err))
        return false;
    if (phone)
        snprintf(picking.phone, sizeof(picking.phone), "%s%s", several, phone);
    for (int role = 0; role < MGC_ROLE_COUNT; role++) {
        const char *name = serving(settings, picking.phone, mgc_role_name((enum mgc_role)role));
        if (name)
            snprintf(
                picking.workers[role], sizeof(picking.workers[role]), "%s%s", of_workers, name);
    }
    return apply(settings, &picking) ||
           mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the settings of a phone");
}
