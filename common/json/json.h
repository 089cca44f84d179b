/* JSON text to and from jansson's tree, with this project's errors, caps and atomic writes.
 *
 * Used by common/contract and by the coordinator's writers; nothing else includes jansson.h. Any
 * thread, one document at a time.
 */
#ifndef MGC_JSON_JSON_H
#define MGC_JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "common/base/error.h"

/* Parse one whole document (object or array) of at most `max` bytes; json_decref the result.
 * NULL: MGC_E_PROTOCOL names line and column, and says so when the text ends too early; a key
 * that stands twice in one object is an error too. */
json_t *mgc_json_parse(const void *data, size_t len, size_t max, struct mgc_error *err);

/* A string for foreign text: bytes that are no UTF-8, which jansson refuses, become '?'. JSON null
 * for NULL. */
json_t *mgc_json_text(const char *text);

/* Write the document, indented and with its keys in insertion order, through mgc_file_write:
 * readers see the old file or the new one. Mode 0644. */
bool mgc_json_write_file(const char *path, const json_t *doc, struct mgc_error *err);

#endif
