#include "common/task/journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "common/base/parse.h"
#include "common/base/path.h"
#include "common/plat/file.h"
#include "common/task/journal_internal.h"

const struct mgc_undo_kind *mgc_journal_undo_find(
    const struct mgc_journal *journal, const char *name)
{
    for (const struct mgc_undo_kind *kind = journal->undos; kind && kind->name; kind++) {
        if (strcmp(kind->name, name) == 0)
            return kind;
    }
    return NULL;
}

static bool entry_path(const struct mgc_journal *journal, uint64_t number, const char *ending,
    char *ret_path, size_t size)
{
    char name[64];
    snprintf(name, sizeof(name), "%08" PRIu64 ".%s", number, ending);
    return mgc_path_join(ret_path, size, journal->dir, name);
}

/* Takes over `entry`. */
static bool append(struct mgc_journal *journal, uint64_t number, struct mgc_entry *entry)
{
    if (journal->count == journal->cap) {
        size_t cap = journal->cap ? journal->cap * 2 : 16;
        struct mgc_journal_item *items = realloc(journal->items, cap * sizeof(*items));
        if (!items)
            return false;
        journal->items = items;
        journal->cap = cap;
    }
    journal->items[journal->count++] = (struct mgc_journal_item){.number = number, .entry = *entry};
    *entry = (struct mgc_entry){0};
    return true;
}

struct mgc_journal_item *mgc_journal_item(struct mgc_journal *journal, uint64_t number)
{
    for (size_t i = 0; i < journal->count; i++) {
        if (journal->items[i].number == number)
            return &journal->items[i];
    }
    return NULL;
}

static void forget(struct mgc_journal *journal, uint64_t number)
{
    pthread_mutex_lock(&journal->lock);
    struct mgc_journal_item *item = mgc_journal_item(journal, number);
    if (item) {
        mgc_entry_destroy(&item->entry);
        size_t after = (size_t)(journal->items + journal->count - (item + 1));
        memmove(item, item + 1, after * sizeof(*item));
        journal->count--;
    }
    pthread_mutex_unlock(&journal->lock);
}

static void set_aside(struct mgc_journal *journal, uint64_t number, const struct mgc_error *why)
{
    char from[MGC_PATH_MAX], to[MGC_PATH_MAX];
    struct mgc_error err = {0};
    journal->damaged++;
    mgc_debug("journal: %s; set aside", why->text);
    if (!entry_path(journal, number, "undo", from, sizeof(from)) ||
        !entry_path(journal, number, "damaged", to, sizeof(to)) || !mgc_file_rename(from, to, &err))
        mgc_debug("journal: %s", err.text);
}

static bool load_one(struct mgc_journal *journal, uint64_t number, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf text = {0};
    struct mgc_entry entry = {0};
    struct mgc_error why = {0};
    if (!entry_path(journal, number, "undo", path, sizeof(path)))
        return mgc_error_set(err, MGC_E_CONFIG, "path of journal '%s' is too long", journal->dir);
    bool ok = mgc_file_read(path, MGC_ENTRY_SIZE_MAX, &text, &why) &&
              mgc_entry_parse(mgc_buf_text(&text), text.len, path, &entry, &why);
    mgc_buf_destroy(&text);
    if (!ok) {
        set_aside(journal, number, &why);
        return true;
    }
    ok = append(journal, number, &entry);
    if (ok)
        journal->items[journal->count - 1].left = true;
    mgc_entry_destroy(&entry);
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "load journal: out of memory");
}

/* "00000012.undo" -> 12; anything else is not ours to judge. */
static bool number_of(const char *name, const char *ending, uint64_t *ret_number)
{
    char digits[24];
    int64_t number;
    size_t len = strcspn(name, ".");
    if (len == 0 || len >= sizeof(digits) || name[len] != '.' ||
        strcmp(name + len + 1, ending) != 0)
        return false;
    memcpy(digits, name, len);
    digits[len] = '\0';
    if (!mgc_parse_int(digits, 1, INT64_MAX, &number))
        return false;
    *ret_number = (uint64_t)number;
    return true;
}

/* What a writer that was killed has left of an entry: the change was not made yet. Nobody else
 * writes here now, so it goes; false for any other name. */
static bool remove_draft(const struct mgc_journal *journal, const char *name)
{
    char path[MGC_PATH_MAX];
    size_t digits = strspn(name, "0123456789");
    if (digits == 0 || strncmp(name + digits, ".undo.", strlen(".undo.")) != 0)
        return false;
    if (mgc_path_join(path, sizeof(path), journal->dir, name))
        mgc_file_remove(path, NULL);
    return true;
}

static int by_number(const void *a, const void *b)
{
    const struct mgc_journal_item *left = a, *right = b;
    return (left->number > right->number) - (left->number < right->number);
}

static bool load(struct mgc_journal *journal, struct mgc_error *err)
{
    struct mgc_dir_names names;
    uint64_t number = 0;
    bool ok = true;
    if (!mgc_dir_make(journal->dir, 0700, err) || !mgc_dir_list(journal->dir, &names, err))
        return false;
    for (size_t i = 0; ok && i < names.count; i++) {
        if (remove_draft(journal, names.names[i]))
            continue;
        if (number_of(names.names[i], "damaged", &number))
            journal->damaged++;
        else if (number_of(names.names[i], "undo", &number))
            ok = load_one(journal, number, err);
        else
            continue;
        if (number > journal->last)
            journal->last = number;
    }
    mgc_dir_names_destroy(&names);
    if (journal->count)
        qsort(journal->items, journal->count, sizeof(*journal->items), by_number);
    return ok;
}

struct mgc_journal *mgc_journal_open(const struct mgc_journal_config *config, struct mgc_error *err)
{
    struct mgc_journal *journal = calloc(1, sizeof(*journal));
    if (!journal) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "open journal: out of memory");
        return NULL;
    }
    pthread_mutex_init(&journal->lock, NULL);
    mgc_keylock_init(&journal->left);
    journal->undos = config->undos;
    journal->worker = config->worker;
    journal->dir = strdup(config->dir);
    journal->boot_id = strdup(config->boot_id);
    if (!journal->dir || !journal->boot_id) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "open journal: out of memory");
        mgc_journal_free(journal);
        return NULL;
    }
    if (!load(journal, err)) {
        mgc_error_prefix(err, "open journal '%s'", journal->dir);
        mgc_journal_free(journal);
        return NULL;
    }
    return journal;
}

void mgc_journal_free(struct mgc_journal *journal)
{
    if (!journal)
        return;
    for (size_t i = 0; i < journal->count; i++)
        mgc_entry_destroy(&journal->items[i].entry);
    free(journal->items);
    free(journal->dir);
    free(journal->boot_id);
    mgc_keylock_destroy(&journal->left);
    pthread_mutex_destroy(&journal->lock);
    free(journal);
}

static bool entry_make(const struct mgc_journal *journal, uint64_t task_id, const char *label,
    const char *undo, const struct mgc_fields *before, struct mgc_entry *ret_entry)
{
    *ret_entry = (struct mgc_entry){.task_id = task_id};
    ret_entry->undo = strdup(undo);
    ret_entry->label = strdup(label ? label : "");
    ret_entry->boot_id = strdup(journal->boot_id);
    return ret_entry->undo && ret_entry->label && ret_entry->boot_id &&
           (!before || mgc_fields_copy(&ret_entry->before, before));
}

/* The lock is held over the write, so that numbers on disk and in the list grow together. */
static bool write_and_append(struct mgc_journal *journal, struct mgc_entry *entry,
    const struct mgc_buf *text, uint64_t *ret_entry, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    pthread_mutex_lock(&journal->lock);
    uint64_t number = journal->last + 1;
    if (!entry_path(journal, number, "undo", path, sizeof(path))) {
        pthread_mutex_unlock(&journal->lock);
        return mgc_error_set(err, MGC_E_CONFIG, "path of journal '%s' is too long", journal->dir);
    }
    bool ok = mgc_file_write(path, mgc_buf_text(text), text->len, 0600, err);
    if (ok) {
        journal->last = number;
        ok = append(journal, number, entry) ||
             mgc_error_set(err, MGC_E_NO_MEMORY, "write undo journal: out of memory");
    }
    if (!ok) /* the change is not made: a next start must not undo it */
        mgc_file_remove(path, NULL);
    pthread_mutex_unlock(&journal->lock);
    if (ok && ret_entry)
        *ret_entry = number;
    return ok;
}

bool mgc_journal_add(struct mgc_journal *journal, uint64_t task_id, const char *label,
    const char *undo, const struct mgc_fields *before, uint64_t *ret_entry, struct mgc_error *err)
{
    struct mgc_entry entry = {0};
    struct mgc_buf text = {0};
    bool ok = false;
    if (!mgc_journal_undo_find(journal, undo))
        return mgc_error_set(
            err, MGC_E_UNSUPPORTED, "undo journal: no undo kind \"%s\" in this program", undo);
    if (!entry_make(journal, task_id, label, undo, before, &entry))
        mgc_error_set(err, MGC_E_NO_MEMORY, "undo journal: out of memory");
    else if (!mgc_entry_format(&entry, &text))
        mgc_error_set(err, MGC_E_FAILED,
            "undo journal: entry \"%s\" is too large or has a value that cannot be written", undo);
    else
        ok = write_and_append(journal, &entry, &text, ret_entry, err);
    mgc_buf_destroy(&text);
    mgc_entry_destroy(&entry);
    return ok;
}

bool mgc_journal_drop(struct mgc_journal *journal, uint64_t number, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!entry_path(journal, number, "undo", path, sizeof(path)))
        return mgc_error_set(err, MGC_E_CONFIG, "path of journal '%s' is too long", journal->dir);
    if (!mgc_file_remove(path, err))
        return false;
    forget(journal, number);
    return true;
}

uint64_t *mgc_journal_numbers_of(struct mgc_journal *journal, uint64_t task_id, size_t *ret_count)
{
    pthread_mutex_lock(&journal->lock);
    uint64_t *numbers = calloc(journal->count + 1, sizeof(*numbers));
    size_t count = 0;
    for (size_t i = 0; numbers && i < journal->count; i++) {
        if (task_id == 0 || journal->items[i].entry.task_id == task_id)
            numbers[count++] = journal->items[i].number;
    }
    pthread_mutex_unlock(&journal->lock);
    *ret_count = count;
    return numbers;
}

bool mgc_journal_place_of(struct mgc_journal *journal, uint64_t number, const char *param,
    bool only_left, char *ret_place, size_t size)
{
    pthread_mutex_lock(&journal->lock);
    struct mgc_journal_item *item = mgc_journal_item(journal, number);
    const char *place =
        item && (item->left || !only_left) ? mgc_fields_get_str(&item->entry.before, param) : NULL;
    bool ok = place && strlen(place) < size;
    if (ok)
        strcpy(ret_place, place);
    pthread_mutex_unlock(&journal->lock);
    return ok;
}

size_t mgc_journal_count(const struct mgc_journal *journal)
{
    struct mgc_journal *writable = (struct mgc_journal *)journal; /* for its lock only */
    pthread_mutex_lock(&writable->lock);
    size_t count = journal->count;
    pthread_mutex_unlock(&writable->lock);
    return count;
}

size_t mgc_journal_damaged(const struct mgc_journal *journal)
{
    return journal->damaged;
}
