#include "coordinator/legacy/parse.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/parse.h"

static const struct {
    const char *key, *name;
    bool number;
} meta_keys[] = {
    {"arm", "arm"},
    {"rep", "rep"},
    {"workload", "workload"},
    {"wl", "workload"},
    {"backend", "backend"},
    {"tag", "tag"},
    {"status", "status"},
    {"passed", "passed"},
    {"mode", "mode"},
    {"temp0", "temp0"},
    {"temp1", "temp1"},
    {"duration_s", "duration_s", true},
    {"dur", "duration_s", true},
    {"battery_temp_dc", "battery_temp_dc", true},
    {"listening_wait_s", "listening_wait_s", true},
};

/* A word that people can read: no blank, no control character, ASCII only. */
static bool is_word(const char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i++) {
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    }
    return len > 0 && len <= MGC_OLD_WORD_MAX;
}

static void take_pair(const char *key, const char *value, struct mgc_fields *meta)
{
    for (size_t i = 0; i < sizeof(meta_keys) / sizeof(meta_keys[0]); i++) {
        int64_t number;
        if (strcmp(meta_keys[i].key, key) != 0 || mgc_fields_get(meta, meta_keys[i].name))
            continue;
        if (!meta_keys[i].number && is_word(value))
            mgc_fields_set_str(meta, meta_keys[i].name, value);
        else if (meta_keys[i].number && mgc_parse_int(value, -100000, 10000000, &number))
            mgc_fields_set_int(meta, meta_keys[i].name, number);
    }
}

static void take_pairs(const char *line, size_t len, struct mgc_fields *meta)
{
    char pair[2 * MGC_OLD_WORD_MAX + 2];
    for (size_t at = 0; at < len;) {
        size_t end = at;
        while (end < len && line[end] != ' ' && line[end] != '\t')
            end++;
        if (end > at && end - at < sizeof(pair)) {
            memcpy(pair, line + at, end - at);
            pair[end - at] = '\0';
            char *equals = strchr(pair, '=');
            if (equals) {
                *equals = '\0';
                take_pair(pair, equals + 1, meta);
            }
        }
        at = end + 1;
    }
}

/* Length of the line that begins there, without its end. */
static size_t line_length(const char *text, size_t len, size_t *ret_next)
{
    const char *end = memchr(text, '\n', len);
    size_t line = end ? (size_t)(end - text) : len;
    *ret_next = line + (end != NULL);
    return line && text[line - 1] == '\r' ? line - 1 : line;
}

bool mgc_old_meta_parse(
    const char *text, size_t len, struct mgc_fields *ret_meta, struct mgc_error *err)
{
    size_t next;
    *ret_meta = (struct mgc_fields){0};
    if (len)
        take_pairs(text, line_length(text, len, &next), ret_meta);
    if (mgc_fields_get(ret_meta, "arm") && mgc_fields_get(ret_meta, "rep"))
        return true;
    mgc_fields_destroy(ret_meta);
    return mgc_error_set(
        err, MGC_E_PROTOCOL, "meta.txt: its first line has no arm= and rep=, as expected");
}

/* ---- verify.txt ----------------------------------------------------------------------------- */

static bool is_key(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!(text[i] >= 'A' && text[i] <= 'Z') && text[i] != '_')
            return false;
    }
    return len > 0 && len <= MGC_OLD_WORD_MAX;
}

static void take_line(const char *line, size_t len, struct mgc_fields *verify)
{
    char key[MGC_OLD_WORD_MAX + 1], value[MGC_OLD_LINE_MAX + 1];
    const char *equals = len ? memchr(line, '=', len) : NULL;
    size_t key_len = equals ? (size_t)(equals - line) : 0;
    if (!equals || !is_key(line, key_len) || verify->count >= MGC_OLD_KEYS_MAX)
        return;
    size_t value_len = len - key_len - 1;
    value_len = value_len < MGC_OLD_LINE_MAX ? value_len : MGC_OLD_LINE_MAX;
    memcpy(key, line, key_len);
    key[key_len] = '\0';
    memcpy(value, equals + 1, value_len);
    value[value_len] = '\0';
    for (size_t i = 0; i < value_len; i++)
        value[i] = value[i] ? value[i] : '?';
    if (!mgc_fields_get(verify, key))
        mgc_fields_set_str(verify, key, value);
}

bool mgc_old_verify_parse(
    const char *text, size_t len, struct mgc_fields *ret_verify, struct mgc_error *err)
{
    *ret_verify = (struct mgc_fields){0};
    for (size_t at = 0, next; at < len; at += next) {
        size_t line = line_length(text + at, len - at, &next);
        if (line > 4 && memcmp(text + at, "arm=", 4) == 0)
            take_pairs(text + at, line, ret_verify);
        else
            take_line(text + at, line, ret_verify);
    }
    if (ret_verify->count)
        return true;
    return mgc_error_set(err, MGC_E_PROTOCOL, "verify.txt: no line KEY=VALUE");
}
