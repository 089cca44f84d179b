#include "common/json/json.h"

#include <stdlib.h>
#include <string.h>

#include "common/plat/file.h"

/* An error in the text, told so that a half-written file is not mistaken for a wrong one. */
static json_t *refuse(const json_error_t *at, size_t len, struct mgc_error *err)
{
    enum json_error_code code = json_error_code(at);
    if (code == json_error_premature_end_of_input) {
        mgc_error_set(err, MGC_E_PROTOCOL,
            "JSON ends too early at line %d, column %d (%zu bytes): half-written or truncated",
            at->line, at->column, len);
    } else if (code == json_error_out_of_memory) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a JSON document of %zu bytes", len);
    } else {
        mgc_error_set(err, MGC_E_PROTOCOL, "JSON is wrong at line %d, column %d: %s", at->line,
            at->column, at->text);
    }
    return NULL;
}

json_t *mgc_json_parse(const void *data, size_t len, size_t max, struct mgc_error *err)
{
    if (len > max) {
        mgc_error_set(err, MGC_E_NO_MEMORY, "JSON of %zu bytes is over the cap of %zu", len, max);
        return NULL;
    }
    if (len == 0) {
        mgc_error_set(err, MGC_E_PROTOCOL, "JSON is empty: half-written or truncated");
        return NULL;
    }
    json_error_t at;
    json_t *doc = json_loadb(data, len, JSON_REJECT_DUPLICATES, &at);
    return doc ? doc : refuse(&at, len, err);
}

/* Bytes of the UTF-8 sequence at `at`; 0 when there is none. Only as far as needed to find what
 * jansson refuses: it is asked for each sequence. */
static size_t sequence_at(const char *at)
{
    unsigned char first = (unsigned char)*at;
    size_t len = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (strnlen(at, len) < len)
        return 0;
    json_t *good = json_stringn(at, len);
    json_decref(good);
    return good ? len : 0;
}

json_t *mgc_json_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *string = json_string(text);
    if (string)
        return string;
    char *copy = strdup(text);
    for (char *at = copy; at && *at;) {
        size_t len = sequence_at(at);
        if (len == 0)
            *at = '?';
        at += len ? len : 1;
    }
    string = copy ? json_string(copy) : NULL;
    free(copy);
    return string;
}

bool mgc_json_write_file(const char *path, const json_t *doc, struct mgc_error *err)
{
    char *text = json_dumps(doc, JSON_INDENT(2));
    if (!text)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "%s: cannot turn the document into text", path);
    size_t len = strlen(text);
    text[len] = '\n'; /* in place of the terminator: a text file ends in a newline */
    bool ok = mgc_file_write(path, text, len + 1, 0644, err);
    free(text);
    return ok;
}
