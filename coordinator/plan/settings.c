#include "coordinator/plan/settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/parse.h"
#include "common/base/path.h"

enum { LIST_MAX = 64, LIST_TEXT_MAX = 4096 };

void mgc_setting_destroy(struct mgc_setting *setting)
{
    for (size_t i = 0; i < setting->item_count && setting->items; i++)
        free(setting->items[i]);
    free(setting->items);
    free(setting->item_ints);
    free(setting->key);
    free(setting->origin);
    free(setting->text);
    *setting = (struct mgc_setting){0};
}

void mgc_settings_destroy(struct mgc_settings *settings)
{
    if (!settings)
        return;
    for (size_t i = 0; i < settings->count; i++)
        mgc_setting_destroy(&settings->items[i]);
    for (size_t i = 0; i < settings->section_count; i++) {
        free(settings->sections[i].key);
        free(settings->sections[i].origin);
    }
    free(settings->items);
    free(settings->sections);
    *settings = (struct mgc_settings){0};
}

bool mgc_settings_ok(const struct mgc_settings *settings, struct mgc_error *err)
{
    return !settings->no_memory || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for settings");
}

/* ---- checking one value -------------------------------------------------------------------- */

static bool text_ok(const struct mgc_schema_row *row, const char *text)
{
    bool list = row->kind == MGC_KIND_TEXTS;
    size_t min = !list && row->max ? (size_t)row->min : 1;
    size_t max = !list && row->max ? (size_t)row->max : 1024;
    size_t len = strlen(text);
    return len >= min && len <= max && !strchr(text, '\n') && (!row->check || row->check(text));
}

static bool number_ok(const struct mgc_schema_row *row, const char *text, int64_t *ret)
{
    bool flag;
    switch (row->kind) {
    case MGC_KIND_BOOL:
        if (!mgc_parse_bool(text, &flag))
            return false;
        *ret = flag;
        return true;
    case MGC_KIND_DURATION:
        return mgc_parse_duration_ms(text, ret) && *ret >= row->min && *ret <= row->max;
    default:
        return mgc_parse_int(text, row->min, row->max, ret);
    }
}

static bool is_number(enum mgc_value_kind kind)
{
    return kind == MGC_KIND_INT || kind == MGC_KIND_BOOL || kind == MGC_KIND_DURATION ||
           kind == MGC_KIND_INTS;
}

static bool is_list(enum mgc_value_kind kind)
{
    return kind == MGC_KIND_TEXTS || kind == MGC_KIND_INTS;
}

/* "expected an integer from 1 to 65535", from the row's own words or its range. */
static void print_expected(const struct mgc_schema_row *row, struct mgc_buf *out)
{
    if (row->expected)
        mgc_buf_printf(out, "%s", row->expected);
    else if (row->kind == MGC_KIND_BOOL)
        mgc_buf_puts(out, "true or false");
    else if (row->kind == MGC_KIND_DURATION)
        mgc_buf_printf(out, "a duration such as 10s or 250ms, from %gs to %gs",
            (double)row->min / 1000, (double)row->max / 1000);
    else if (is_number(row->kind))
        mgc_buf_printf(
            out, "an integer from %lld to %lld", (long long)row->min, (long long)row->max);
    else
        mgc_buf_printf(out, "one line of text, up to %lld characters",
            row->max ? (long long)row->max : 1024LL);
}

static void report_bad(const struct mgc_schema_row *row, const char *key,
    const struct mgc_source *source, const char *text, struct mgc_problems *problems)
{
    struct mgc_buf expected = {0};
    print_expected(row, &expected);
    if (row->kind == MGC_KIND_SECRET)
        mgc_problem_add(problems, "%s: %s: expected %s (what was given is not shown)",
            source->origin, key, mgc_buf_text(&expected));
    else
        mgc_problem_add(problems, "%s: %s: expected %s, got '%.100s'", source->origin, key,
            mgc_buf_text(&expected), text);
    mgc_buf_destroy(&expected);
}

/* ---- building a setting -------------------------------------------------------------------- */

static char *local_path(const struct mgc_source *source, const char *text)
{
    char path[MGC_PATH_MAX];
    if (text[0] == '/' || !source->dir || !*source->dir)
        return strdup(text);
    return mgc_path_join(path, sizeof(path), source->dir, text) ? strdup(path) : NULL;
}

static char *join_texts(const char *const *texts, size_t count)
{
    struct mgc_buf out = {0};
    mgc_buf_puts(&out, "");
    for (size_t i = 0; i < count; i++)
        mgc_buf_printf(&out, "%s%s", i ? ", " : "", texts[i]);
    char *text = count ? mgc_buf_steal(&out) : strdup("");
    mgc_buf_destroy(&out);
    return text;
}

static bool copy_items(struct mgc_setting *setting, const char *const *texts, size_t count)
{
    setting->items = calloc(count + 1, sizeof(*setting->items));
    setting->item_ints = calloc(count + 1, sizeof(*setting->item_ints));
    if (!setting->items || !setting->item_ints)
        return false;
    for (size_t i = 0; i < count; i++) {
        setting->items[i] = strdup(texts[i]);
        setting->item_count = i + 1;
        if (!setting->items[i])
            return false;
        if (setting->row->kind == MGC_KIND_INTS)
            number_ok(setting->row, texts[i], &setting->item_ints[i]);
    }
    return true;
}

/* Values are checked already. False: no memory, nothing owned. */
static bool build(struct mgc_setting *ret, const struct mgc_schema_row *row, const char *key,
    const struct mgc_source *source, const char *const *texts, size_t count)
{
    struct mgc_setting setting = {.row = row, .rank = source->rank};
    setting.key = strdup(key);
    setting.origin = strdup(source->origin);
    bool ok = true;
    if (is_list(row->kind)) {
        setting.text = join_texts(texts, count);
        ok = copy_items(&setting, texts, count);
    } else {
        setting.text =
            row->kind == MGC_KIND_LOCAL ? local_path(source, texts[0]) : strdup(texts[0]);
        if (is_number(row->kind))
            number_ok(row, texts[0], &setting.integer);
    }
    if (!ok || !setting.key || !setting.origin || !setting.text) {
        mgc_setting_destroy(&setting);
        return false;
    }
    *ret = setting;
    return true;
}

/* Index of key, or of the place where it belongs. */
static size_t find(const struct mgc_settings *settings, const char *key, bool *ret_found)
{
    size_t low = 0, high = settings->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(settings->items[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_found = low < settings->count && strcmp(settings->items[low].key, key) == 0;
    return low;
}

static bool insert(struct mgc_settings *settings, size_t at, struct mgc_setting *setting)
{
    if (settings->count == settings->cap) {
        size_t cap = settings->cap ? settings->cap * 2 : 32;
        struct mgc_setting *items = realloc(settings->items, cap * sizeof(*items));
        if (!items)
            return false;
        settings->items = items;
        settings->cap = cap;
    }
    memmove(&settings->items[at + 1], &settings->items[at],
        (settings->count - at) * sizeof(*settings->items));
    settings->items[at] = *setting;
    settings->count++;
    return true;
}

static void store(struct mgc_settings *settings, const struct mgc_schema_row *row, const char *key,
    const struct mgc_source *source, const char *const *texts, size_t count, bool bad)
{
    bool found;
    size_t at = find(settings, key, &found);
    if (found && settings->items[at].rank > source->rank)
        return;
    struct mgc_setting setting;
    if (!build(&setting, row, key, source, texts, count)) {
        settings->no_memory = true;
        return;
    }
    setting.bad = bad;
    if (found) {
        mgc_setting_destroy(&settings->items[at]);
        settings->items[at] = setting;
    } else if (!insert(settings, at, &setting)) {
        mgc_setting_destroy(&setting);
        settings->no_memory = true;
    }
}

void mgc_settings_put(struct mgc_settings *settings, const struct mgc_schema_row *row,
    const char *key, const struct mgc_source *source, const char *const *texts, size_t count,
    struct mgc_problems *problems)
{
    bool bad = false;
    for (size_t i = 0; i < count && !bad; i++) {
        int64_t number;
        bad = is_number(row->kind) ? !number_ok(row, texts[i], &number) : !text_ok(row, texts[i]);
        if (bad)
            report_bad(row, key, source, texts[i], problems);
    }
    store(settings, row, key, source, texts, count, bad);
}

void mgc_settings_put_bad(struct mgc_settings *settings, const struct mgc_schema_row *row,
    const char *key, const struct mgc_source *source)
{
    const char *nothing = "";
    store(settings, row, key, source, &nothing, 1, true);
}

void mgc_settings_put_text(struct mgc_settings *settings, const struct mgc_schema_row *row,
    const char *key, const struct mgc_source *source, const char *text,
    struct mgc_problems *problems)
{
    if (!is_list(row->kind)) {
        mgc_settings_put(settings, row, key, source, &text, 1, problems);
        return;
    }
    char copy[LIST_TEXT_MAX];
    const char *items[LIST_MAX];
    size_t count = 0;
    bool fits = strlen(text) < sizeof(copy);
    strcpy(copy, fits ? text : "");
    char *rest = NULL;
    for (char *item = strtok_r(copy, ", \t", &rest); item; item = strtok_r(NULL, ", \t", &rest)) {
        if (count == LIST_MAX) {
            fits = false;
            break;
        }
        items[count++] = item;
    }
    if (fits && count > 0) {
        mgc_settings_put(settings, row, key, source, items, count, problems);
    } else {
        report_bad(row, key, source, text, problems);
        mgc_settings_put_bad(settings, row, key, source);
    }
}

void mgc_settings_add_section(
    struct mgc_settings *settings, const char *key, const struct mgc_source *source, bool bad)
{
    if (mgc_settings_section(settings, key))
        return;
    if (settings->section_count == settings->section_cap) {
        size_t cap = settings->section_cap ? settings->section_cap * 2 : 16;
        struct mgc_section *sections = realloc(settings->sections, cap * sizeof(*sections));
        if (!sections) {
            settings->no_memory = true;
            return;
        }
        settings->sections = sections;
        settings->section_cap = cap;
    }
    struct mgc_section section = {strdup(key), strdup(source->origin), bad};
    if (!section.key || !section.origin) {
        free(section.key);
        free(section.origin);
        settings->no_memory = true;
        return;
    }
    settings->sections[settings->section_count++] = section;
}

/* ---- reading ------------------------------------------------------------------------------- */

const struct mgc_setting *mgc_settings_get(const struct mgc_settings *settings, const char *key)
{
    bool found;
    size_t at = find(settings, key, &found);
    return found ? &settings->items[at] : NULL;
}

const struct mgc_setting *mgc_settings_getf(
    const struct mgc_settings *settings, const char *fmt, ...)
{
    char key[MGC_KEY_PATH_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(key, sizeof(key), fmt, args);
    va_end(args);
    return mgc_settings_get(settings, key);
}

const struct mgc_section *mgc_settings_section(const struct mgc_settings *settings, const char *key)
{
    for (size_t i = 0; i < settings->section_count; i++) {
        if (strcmp(settings->sections[i].key, key) == 0)
            return &settings->sections[i];
    }
    return NULL;
}

const char *mgc_setting_text(const struct mgc_setting *setting)
{
    return setting ? setting->text : NULL;
}

int64_t mgc_setting_int(const struct mgc_setting *setting, int64_t fallback)
{
    return setting ? setting->integer : fallback;
}

const char *mgc_setting_shown(const struct mgc_setting *setting)
{
    return setting->row->kind == MGC_KIND_SECRET ? "(secret)" : setting->text;
}
