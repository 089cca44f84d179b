#include "common/plat/win/quote.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE_MAX_UNITS = 32766 };

static void put_slashes(struct mgc_buf *line, size_t count)
{
    while (count--)
        mgc_buf_putc(line, '\\');
}

/* Backslashes are plain except in front of a quotation mark, our closing one included. */
static void put_word(struct mgc_buf *line, const char *word)
{
    if (*word && !strpbrk(word, " \t\n\v\"")) {
        mgc_buf_puts(line, word);
        return;
    }
    mgc_buf_putc(line, '"');
    size_t slashes = 0;
    for (const char *p = word; *p; p++) {
        if (*p == '\\') {
            slashes++;
            continue;
        }
        put_slashes(line, *p == '"' ? slashes * 2 + 1 : slashes);
        slashes = 0;
        mgc_buf_putc(line, *p);
    }
    put_slashes(line, slashes * 2);
    mgc_buf_putc(line, '"');
}

/* Windows drops dots and spaces at the end of a file name. */
static bool is_batch(const char *program)
{
    size_t len = strlen(program);
    while (len && (program[len - 1] == '.' || program[len - 1] == ' '))
        len--;
    return len >= 4 && (strncasecmp(program + len - 4, ".bat", 4) == 0 ||
                           strncasecmp(program + len - 4, ".cmd", 4) == 0);
}

static bool put_program(struct mgc_buf *line, const char *program, struct mgc_error *err)
{
    if (strchr(program, '"'))
        return mgc_error_set(
            err, MGC_E_USAGE, "start '%s': a program's name cannot hold a quotation mark", program);
    if (is_batch(program))
        return mgc_error_set(err, MGC_E_UNSUPPORTED,
            "start '%s': arguments cannot be passed safely to a batch file; name the program that "
            "it starts",
            program);
    return mgc_buf_printf(line, "\"%s\"", program);
}

bool mgc_win_command_line(struct mgc_buf *line, const char *const *argv, struct mgc_error *err)
{
    if (!put_program(line, argv[0], err))
        return false;
    for (size_t i = 1; argv[i]; i++) {
        mgc_buf_putc(line, ' ');
        put_word(line, argv[i]);
    }
    if (!mgc_buf_ok(line))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "start '%s': out of memory", argv[0]);
    if (line->len > LINE_MAX_UNITS) /* bytes: never fewer than units */
        return mgc_error_set(err, MGC_E_USAGE,
            "start '%s': the arguments take more than the %d characters that Windows allows",
            argv[0], LINE_MAX_UNITS);
    return true;
}

/* Length of the name; Windows itself has names that begin with '=' ("=C:=C:\dir"). */
static size_t name_length(const char *entry)
{
    return *entry ? 1 + strcspn(entry + 1, "=") : 0;
}

struct entry {
    const char *text; /* borrowed */
    size_t turn;      /* place in the list: the later one wins */
};

static int compare_names(const char *a, const char *b)
{
    size_t a_len = name_length(a), b_len = name_length(b);
    int order = strncasecmp(a, b, a_len < b_len ? a_len : b_len);
    return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int by_name(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    int order = compare_names(left->text, right->text);
    return order ? order : (left->turn > right->turn) - (left->turn < right->turn);
}

static bool put_entries(struct mgc_buf *block, const struct entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && compare_names(entries[i].text, entries[i + 1].text) == 0)
            continue;
        mgc_buf_append(block, entries[i].text, strlen(entries[i].text) + 1);
    }
    if (!count)
        mgc_buf_append(block, "", 1);
    return mgc_buf_append(block, "", 1);
}

bool mgc_win_environment(
    struct mgc_buf *block, const char *const *env, const char *more, struct mgc_error *err)
{
    size_t given = 0, count = 0;
    while (env[given])
        given++;
    struct entry *entries = calloc(given + 1, sizeof(*entries));
    if (!entries)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "environment: out of memory");
    bool ok = true;
    for (size_t i = 0; i <= given && ok; i++) {
        const char *text = i < given ? env[i] : more;
        if (!text)
            continue;
        entries[count] = (struct entry){text, count};
        count++;
        if (text[0] == '\0' || text[name_length(text)] != '=')
            ok = mgc_error_set(
                err, MGC_E_USAGE, "environment entry '%.80s': expected NAME=VALUE", text);
    }
    if (ok) {
        qsort(entries, count, sizeof(*entries), by_name);
        ok = put_entries(block, entries, count) ||
             mgc_error_set(err, MGC_E_NO_MEMORY, "environment: out of memory");
    }
    free(entries);
    return ok;
}
