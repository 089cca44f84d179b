#include "common/task/journal.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/parse.h"
#include "common/base/path.h"
#include "common/plat/file.h"
#include "common/task/entry.h"

/* Longest text that names a place (a phone's serial, an address). */
enum { PLACE_MAX = 256 };

struct item {
    uint64_t number; /* ascending in the list */
    struct mgc_entry entry;
    struct mgc_error failed; /* of its last undo in this process; MGC_OK: none */
    bool left;               /* its task is over, or was of an earlier process */
};

struct mgc_journal {
    char *dir;
    char *boot_id;
    const struct mgc_undo_kind *undos;
    void *worker;
    pthread_mutex_t lock;
    struct item *items; /* owned; guarded by lock, like all below */
    size_t count, cap;
    uint64_t last; /* highest number used */
    size_t damaged;
    bool replay_stopped;
    pthread_mutex_t left_lock; /* held while a task undoes what others left; before `lock` */
};

static const struct mgc_undo_kind *undo_find(const struct mgc_journal *journal, const char *name)
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
        struct item *items = realloc(journal->items, cap * sizeof(*items));
        if (!items)
            return false;
        journal->items = items;
        journal->cap = cap;
    }
    journal->items[journal->count++] = (struct item){.number = number, .entry = *entry};
    *entry = (struct mgc_entry){0};
    return true;
}

static struct item *item_find(struct mgc_journal *journal, uint64_t number)
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
    struct item *item = item_find(journal, number);
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

static int by_number(const void *a, const void *b)
{
    const struct item *left = a, *right = b;
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
    pthread_mutex_init(&journal->left_lock, NULL);
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
    pthread_mutex_destroy(&journal->left_lock);
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
    if (!undo_find(journal, undo))
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

/* A copy, so that the undo can run without the lock. */
static bool copy_out(struct mgc_journal *journal, uint64_t number, char **ret_undo,
    struct mgc_fields *ret_before, struct mgc_error *err)
{
    pthread_mutex_lock(&journal->lock);
    struct item *item = item_find(journal, number);
    bool found = item != NULL;
    bool ok = found && (*ret_undo = strdup(item->entry.undo)) &&
              mgc_fields_copy(ret_before, &item->entry.before);
    pthread_mutex_unlock(&journal->lock);
    if (ok)
        return true;
    if (!found)
        return mgc_error_set(
            err, MGC_E_NOT_FOUND, "undo journal: there is no entry %" PRIu64, number);
    return mgc_error_set(err, MGC_E_NO_MEMORY, "undo journal: out of memory");
}

void mgc_journal_note_failure(
    struct mgc_journal *journal, uint64_t number, const struct mgc_error *why)
{
    pthread_mutex_lock(&journal->lock);
    struct item *item = item_find(journal, number);
    if (item)
        item->failed = *why;
    pthread_mutex_unlock(&journal->lock);
}

/* False: not to be tried now, with why. */
static bool may_begin(
    struct mgc_journal *journal, uint64_t number, int64_t until_ns, struct mgc_error *ret_why)
{
    pthread_mutex_lock(&journal->lock);
    const struct item *item = item_find(journal, number);
    if (item)
        *ret_why = item->failed;
    pthread_mutex_unlock(&journal->lock);
    if (ret_why->code != MGC_OK)
        return false;
    return !mgc_deadline_past(until_ns) ||
           mgc_error_set(ret_why, MGC_E_TIMEOUT,
               "entry %" PRIu64 ": no time is left for its undo while the task must stop", number);
}

bool mgc_journal_undo(struct mgc_journal *journal, uint64_t number, struct mgc_error *err)
{
    char *undo = NULL;
    struct mgc_fields before = {0};
    struct mgc_error why = {.code = MGC_E_FAILED, .text = "it did not say why"}, local = {0};
    err = err ? err : &local;
    bool ok = copy_out(journal, number, &undo, &before, err);
    if (ok) {
        const struct mgc_undo_kind *kind = undo_find(journal, undo);
        if (!kind)
            ok = mgc_error_set(err, MGC_E_UNSUPPORTED,
                "undo %s (entry %" PRIu64 "): this program has no such undo", undo, number);
        else if (!kind->undo(&before, journal->worker, &why))
            ok = mgc_error_set(
                err, why.code, "undo %s (entry %" PRIu64 "): %s", undo, number, why.text);
    }
    ok = ok && mgc_journal_drop(journal, number, err);
    if (!ok)
        mgc_journal_note_failure(journal, number, err);
    mgc_fields_destroy(&before);
    free(undo);
    return ok;
}

/* Numbers of a task's entries (task_id 0: of all), oldest first; owned. */
static uint64_t *numbers_of(struct mgc_journal *journal, uint64_t task_id, size_t *ret_count)
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

static void count_outcome(struct mgc_undo_report *report, bool ok, const struct mgc_error *why)
{
    if (ok) {
        report->done++;
    } else if (report->failed++ == 0) {
        snprintf(report->text, sizeof(report->text), "%s", why->text);
    }
}

static void mark_left(struct mgc_journal *journal, uint64_t number)
{
    pthread_mutex_lock(&journal->lock);
    struct item *item = item_find(journal, number);
    if (item)
        item->left = true;
    pthread_mutex_unlock(&journal->lock);
}

void mgc_journal_undo_task(struct mgc_journal *journal, uint64_t task_id, int64_t begin_until_ns,
    struct mgc_undo_report *ret_report)
{
    size_t count;
    *ret_report = (struct mgc_undo_report){0};
    uint64_t *numbers = numbers_of(journal, task_id, &count);
    if (!numbers)
        count_outcome(ret_report, false, &(struct mgc_error){.text = "undo: out of memory"});
    while (count-- > 0 && numbers) {
        struct mgc_error why = {0};
        bool ok = may_begin(journal, numbers[count], begin_until_ns, &why) &&
                  mgc_journal_undo(journal, numbers[count], &why);
        count_outcome(ret_report, ok, &why);
        mark_left(journal, numbers[count]);
    }
    free(numbers);
}

/* Copy of a text of the entry's `before`; false when there is none. */
static bool place_of(struct mgc_journal *journal, uint64_t number, const char *param,
    bool only_left, char *ret_place, size_t size)
{
    pthread_mutex_lock(&journal->lock);
    struct item *item = item_find(journal, number);
    const char *place =
        item && (item->left || !only_left) ? mgc_fields_get_str(&item->entry.before, param) : NULL;
    bool ok = place && strlen(place) < size;
    if (ok)
        strcpy(ret_place, place);
    pthread_mutex_unlock(&journal->lock);
    return ok;
}

bool mgc_journal_undo_left(
    struct mgc_journal *journal, const char *param, const char *value, struct mgc_error *err)
{
    size_t count;
    bool ok = true;
    pthread_mutex_lock(&journal->left_lock);
    uint64_t *numbers = numbers_of(journal, 0, &count);
    while (ok && numbers && count-- > 0) {
        char place[PLACE_MAX];
        struct mgc_error why = {0};
        if (!place_of(journal, numbers[count], param, true, place, sizeof(place)) ||
            strcmp(place, value) != 0)
            continue;
        ok = mgc_journal_undo(journal, numbers[count], &why) ||
             mgc_error_set(err, why.code == MGC_E_LOST ? MGC_E_LOST : MGC_E_BUSY,
                 "what an earlier task changed there is not taken back yet: %s", why.text);
    }
    free(numbers);
    pthread_mutex_unlock(&journal->left_lock);
    return ok;
}

/* Task, undo kind and boot of an entry, for the report; false when it is gone, or not wanted. */
static bool describe(struct mgc_journal *journal, uint64_t number, uint64_t *ret_task,
    char *ret_undo, size_t size, bool *ret_other_boot)
{
    pthread_mutex_lock(&journal->lock);
    struct item *item = journal->replay_stopped ? NULL : item_find(journal, number);
    if (item) {
        *ret_task = item->entry.task_id;
        snprintf(ret_undo, size, "%s", item->entry.undo);
        *ret_other_boot = strcmp(item->entry.boot_id, journal->boot_id) != 0;
    }
    pthread_mutex_unlock(&journal->lock);
    return item != NULL;
}

/* Places that were found away in one pass: each with a line end in front and behind. */
static bool is_away(struct mgc_journal *journal, uint64_t number, const struct mgc_buf *away)
{
    char line[PLACE_MAX + 2] = "\n";
    if (!away->len || !place_of(journal, number, MGC_JOURNAL_PLACE, false, line + 1, PLACE_MAX))
        return false;
    strcat(line, "\n");
    return strstr(mgc_buf_text(away), line);
}

static void note_away(struct mgc_journal *journal, uint64_t number, struct mgc_buf *away)
{
    char place[PLACE_MAX];
    if (place_of(journal, number, MGC_JOURNAL_PLACE, false, place, sizeof(place)))
        mgc_buf_printf(away, "\n%s\n", place);
}

/* As mgc_journal_undo; a place that is away costs its deadline once in a pass, not per entry. */
static bool undo_in_pass(
    struct mgc_journal *journal, uint64_t number, struct mgc_buf *away, struct mgc_error *ret_why)
{
    if (is_away(journal, number, away))
        return mgc_error_set(ret_why, MGC_E_LOST, "not tried: its device is away");
    if (mgc_journal_undo(journal, number, ret_why))
        return true;
    if (ret_why->code == MGC_E_LOST)
        note_away(journal, number, away);
    return false;
}

/* One pass, newest first; on the last one failures are told too. Returns how many failed. */
static size_t replay_pass(
    struct mgc_journal *journal, bool last, mgc_journal_each *each, void *user)
{
    size_t count, failed = 0;
    struct mgc_buf away = {0};
    uint64_t *numbers = numbers_of(journal, 0, &count);
    while (numbers && count-- > 0) {
        uint64_t task_id;
        char undo[64];
        bool other_boot;
        struct mgc_error why = {0};
        if (!describe(journal, numbers[count], &task_id, undo, sizeof(undo), &other_boot))
            continue;
        bool ok = undo_in_pass(journal, numbers[count], &away, &why);
        failed += !ok;
        if (each && (ok || last))
            each(user, task_id, undo, other_boot, ok ? NULL : &why);
    }
    mgc_buf_destroy(&away);
    free(numbers);
    return failed;
}

void mgc_journal_replay(
    struct mgc_journal *journal, int tries, int64_t pause_ms, mgc_journal_each *each, void *user)
{
    for (int i = 1; i <= tries; i++) {
        if (i > 1)
            mgc_sleep_ms(pause_ms); /* for a network that is just coming up */
        if (replay_pass(journal, i == tries, each, user) == 0)
            return;
    }
}

/* Does the entry's `before` have that text? */
static bool is_about(struct mgc_journal *journal, uint64_t number, const char *value)
{
    bool found = false;
    pthread_mutex_lock(&journal->lock);
    const struct item *item = item_find(journal, number);
    for (size_t i = 0; item && i < item->entry.before.count; i++) {
        const struct mgc_value *text = &item->entry.before.items[i].value;
        found |= text->type == MGC_VALUE_STRING && strcmp(text->string, value) == 0;
    }
    pthread_mutex_unlock(&journal->lock);
    return found;
}

void mgc_journal_give_up(
    struct mgc_journal *journal, const char *value, mgc_journal_each *each, void *user)
{
    size_t count;
    uint64_t *numbers = numbers_of(journal, 0, &count);
    while (numbers && count-- > 0) {
        uint64_t task_id;
        char undo[64];
        bool other_boot;
        struct mgc_error why = {0};
        if (!is_about(journal, numbers[count], value) ||
            !describe(journal, numbers[count], &task_id, undo, sizeof(undo), &other_boot))
            continue;
        bool ok = mgc_journal_drop(journal, numbers[count], &why);
        if (each)
            each(user, task_id, undo, other_boot, ok ? NULL : &why);
    }
    free(numbers);
}

void mgc_journal_stop_replay(struct mgc_journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    journal->replay_stopped = true;
    pthread_mutex_unlock(&journal->lock);
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
