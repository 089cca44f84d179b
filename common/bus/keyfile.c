#include "common/bus/keyfile.h"

#include <string.h>

#include <sodium.h>
#include <zmq.h>

#include "common/bus/address.h"
#include "common/bus/keys.h"

enum { LINE_MAX_BYTES = 512 };

struct line {
    const char *path;
    unsigned number;
    const char *name;
    const char *value;
};

static bool at_line(const struct line *line, struct mgc_error *err)
{
    return mgc_error_prefix(err, "%s:%u", line->path, line->number);
}

static char *trim(char *text)
{
    static const char blank[] = " \t\r";
    text += strspn(text, blank);
    size_t len = strlen(text);
    while (len && strchr(blank, text[len - 1]))
        text[--len] = '\0';
    return text;
}

static bool store(struct mgc_keyfile_entry *entry, const struct line *line, struct mgc_error *err)
{
    if (entry->count == entry->max)
        return mgc_error_set(err, MGC_E_CONFIG, "expected at most %zu time%s", entry->max,
            entry->max == 1 ? "" : "s");
    if (!entry->check(line->value, err))
        return false;
    if (strlen(line->value) >= entry->size)
        return mgc_error_set(err, MGC_E_CONFIG, "expected at most %zu characters", entry->size - 1);
    strcpy(entry->into + entry->count * entry->size, line->value);
    entry->count++;
    return true;
}

static bool take_pair(
    const struct line *line, struct mgc_keyfile_entry *entries, size_t count, struct mgc_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(entries[i].name, line->name) != 0)
            continue;
        return store(&entries[i], line, err) || mgc_error_prefix(err, "%s", line->name);
    }
    return mgc_error_set(err, MGC_E_CONFIG, "'%s' is not known here", line->name);
}

static bool take_line(char *text, struct line *line, struct mgc_keyfile_entry *entries,
    size_t count, struct mgc_error *err)
{
    text = trim(text);
    if (!*text || *text == '#')
        return true;
    char *equals = strchr(text, '=');
    if (!equals)
        return mgc_error_set(err, MGC_E_CONFIG, "expected 'name = value'");
    *equals = '\0';
    line->name = trim(text);
    line->value = trim(equals + 1);
    return take_pair(line, entries, count, err);
}

static bool all_there(
    const char *path, const struct mgc_keyfile_entry *entries, size_t count, struct mgc_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (entries[i].count == 0)
            return mgc_error_set(err, MGC_E_CONFIG, "%s: no line '%s = ...', expected %s", path,
                entries[i].name, entries[i].max == 1 ? "one" : "at least one");
    }
    return true;
}

bool mgc_keyfile_parse(const char *text, const char *path, struct mgc_keyfile_entry *entries,
    size_t entry_count, struct mgc_error *err)
{
    struct line line = {.path = path};
    char copy[LINE_MAX_BYTES]; /* may hold a secret: wiped below */
    bool ok = true;
    while (ok && *text) {
        size_t len = strcspn(text, "\n");
        line.number++;
        if (len >= sizeof(copy)) {
            mgc_error_set(err, MGC_E_CONFIG, "expected a line below %zu bytes", sizeof(copy));
            ok = at_line(&line, err);
            break;
        }
        memcpy(copy, text, len);
        copy[len] = '\0';
        if (!text[len])
            mgc_error_set(err, MGC_E_CONFIG, "the file is cut off: its last line has no end");
        ok =
            (text[len] && take_line(copy, &line, entries, entry_count, err)) || at_line(&line, err);
        text += len + (text[len] == '\n');
    }
    sodium_memzero(copy, sizeof(copy));
    return ok && all_there(path, entries, entry_count, err);
}

bool mgc_keyfile_check_key(const char *value, struct mgc_error *err)
{
    unsigned char raw[32];
    bool ok = strlen(value) == MGC_KEY_SIZE - 1 && zmq_z85_decode(raw, value);
    sodium_memzero(raw, sizeof(raw));
    return ok || mgc_error_set(
                     err, MGC_E_CONFIG, "expected a key of %d characters in Z85", MGC_KEY_SIZE - 1);
}

bool mgc_keyfile_check_name(const char *value, struct mgc_error *err)
{
    size_t len = strlen(value);
    if (len > 0 && len < MGC_NAME_SIZE &&
        strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-") == len)
        return true;
    return mgc_error_set(
        err, MGC_E_CONFIG, "expected 1 to %d characters of a-z, 0-9 and '-'", MGC_NAME_SIZE - 1);
}

bool mgc_keyfile_check_role(const char *value, struct mgc_error *err)
{
    if (strcmp(value, "host") == 0 || strcmp(value, "wsl") == 0)
        return true;
    return mgc_error_set(err, MGC_E_CONFIG, "expected 'host' or 'wsl', found '%s'", value);
}

bool mgc_keyfile_check_state(const char *value, struct mgc_error *err)
{
    if (strcmp(value, "active") == 0 || strcmp(value, "revoked") == 0)
        return true;
    return mgc_error_set(err, MGC_E_CONFIG, "expected 'active' or 'revoked', found '%s'", value);
}

bool mgc_keyfile_check_address(const char *value, struct mgc_error *err)
{
    return mgc_address_parse(value, NULL, err);
}
