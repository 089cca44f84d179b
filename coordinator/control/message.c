#include "coordinator/control/message.h"

#include <stdlib.h>
#include <string.h>

static const char *const request_names[] = {
    [MGC_CONTROL_HOSTS] = "hosts",
    [MGC_CONTROL_WATCH] = "watch",
    [MGC_CONTROL_KEYS] = "keys",
    [MGC_CONTROL_CANCEL] = "cancel",
};
enum { REQUEST_COUNT = sizeof(request_names) / sizeof(request_names[0]) };

const char *mgc_control_request_name(enum mgc_control_request request)
{
    return request_names[request];
}

bool mgc_control_request_parse(
    const char *line, size_t len, enum mgc_control_request *ret_request, struct mgc_error *err)
{
    json_t *doc = mgc_json_parse(line, len, MGC_CONTROL_REQUEST_MAX, err);
    if (!doc)
        return mgc_error_prefix(err, "control request");
    const char *name = json_string_value(json_object_get(doc, "request"));
    bool known = false;
    for (int i = 0; name && i < REQUEST_COUNT && !known; i++) {
        known = strcmp(name, request_names[i]) == 0;
        if (known)
            *ret_request = (enum mgc_control_request)i;
    }
    if (!name)
        mgc_error_set(err, MGC_E_PROTOCOL, "control request: key 'request' is missing");
    else if (!known)
        mgc_error_set(err, MGC_E_UNSUPPORTED,
            "control request '%.40s' is not known to this build: expected hosts, watch, keys or "
            "cancel",
            name);
    json_decref(doc);
    return known;
}

static enum mgc_code code_named(const char *name)
{
    for (int code = 1; name && code < MGC_CODE_COUNT; code++) {
        if (strcmp(mgc_code_name((enum mgc_code)code), name) == 0)
            return (enum mgc_code)code;
    }
    return MGC_E_FAILED;
}

static void read_refusal(const json_t *doc, struct mgc_error *err)
{
    const char *text = json_string_value(json_object_get(doc, "text"));
    mgc_error_set(err, code_named(json_string_value(json_object_get(doc, "code"))), "%s",
        text && *text ? text : "the coordinator refused without a word");
}

json_t *mgc_control_answer_parse(const char *line, size_t len, struct mgc_error *err)
{
    json_t *doc = mgc_json_parse(line, len, MGC_CONTROL_ANSWER_MAX, err);
    if (!doc) {
        mgc_error_prefix(err, "answer of the coordinator");
        return NULL;
    }
    const json_t *ok = json_object_get(doc, "ok");
    if (json_is_true(ok) || json_is_string(json_object_get(doc, "event")))
        return doc;
    if (json_is_false(ok))
        read_refusal(doc, err);
    else
        mgc_error_set(err, MGC_E_PROTOCOL, "answer of the coordinator: key 'ok' is missing");
    json_decref(doc);
    return NULL;
}

/* Takes the reference. JSON texts have no newline of their own. */
static bool put_line(struct mgc_buf *out, json_t *doc)
{
    char *text = doc ? json_dumps(doc, JSON_COMPACT) : NULL;
    json_decref(doc);
    bool ok = text && mgc_buf_puts(out, text) && mgc_buf_putc(out, '\n');
    free(text);
    return ok;
}

bool mgc_control_put_request(struct mgc_buf *out, enum mgc_control_request request)
{
    return put_line(out, json_pack("{s:s}", "request", request_names[request]));
}

bool mgc_control_put_answer(struct mgc_buf *out, json_t *body)
{
    if (body && !json_object_get(body, "ok") && !json_object_get(body, "event"))
        json_object_set_new(body, "ok", json_true());
    return put_line(out, body);
}

bool mgc_control_put_refusal(struct mgc_buf *out, const struct mgc_error *why)
{
    json_t *body = json_object();
    json_object_set_new(body, "ok", json_false());
    json_object_set_new(body, "code", json_string(mgc_code_name(why->code)));
    json_object_set_new(body, "text", mgc_json_text(why->text));
    return put_line(out, body);
}
