#include "worker-host/helper/helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/device/errnum.h"
#include "worker-host/helper/link.h"

enum { REQUESTS_MAX = 32, STDERR_MAX = 2048, SHOWN_MAX = 300 };

struct request {
    uint32_t id; /* 0: free */
    mgc_helper_on *on;
    void *ctx;
    bool heard, begun, ended, failed;
    bool kept; /* a watch or sampling that goes on when its call has returned */
    struct mgc_error why;
};

struct mgc_helper {
    struct mgc_helper_link link; /* owned */
    char who[160], program[300];
    struct mgc_helper_facts facts;
    struct mgc_device_stream stream;
    struct mgc_buf out;  /* the message being sent */
    struct mgc_buf said; /* on stderr */
    struct request requests[REQUESTS_MAX];
    uint32_t last_id;
    bool welcomed;
    struct mgc_error broken; /* code MGC_OK: not */
};

/* --- what comes ------------------------------------------------------------------------------- */

/* The conversation is over: say so, now and in every later call. */
static bool broke(struct mgc_helper *helper, enum mgc_code code, const char *what)
{
    char shown[SHOWN_MAX];
    mgc_adb_wire_shown(mgc_buf_text(&helper->said), shown, sizeof(shown));
    return mgc_error_set(&helper->broken, code, "%s: %s %s%s%s", helper->who, helper->program, what,
        shown[0] ? ": " : "", shown);
}

static bool ended(struct mgc_helper *helper, int exit_code)
{
    char what[64];
    if (!helper->welcomed && exit_code == MGC_HELPER_EXIT_NONE)
        return broke(helper, MGC_E_NOT_FOUND, "is not on the phone (host.helper brings it)");
    snprintf(what, sizeof(what), "%s with exit code %d",
        helper->welcomed ? "ended" : "did not start: it ended", exit_code);
    return broke(helper, helper->welcomed ? MGC_E_LOST : MGC_E_FAILED, what);
}

static struct request *find(struct mgc_helper *helper, uint32_t id)
{
    for (size_t i = 0; id && i < REQUESTS_MAX; i++)
        if (helper->requests[i].id == id)
            return &helper->requests[i];
    return NULL;
}

static void take_failed(
    struct mgc_helper *helper, struct request *request, const struct mgc_device_failed *failed)
{
    enum mgc_code code = failed->code > MGC_OK && failed->code < MGC_CODE_COUNT
                             ? (enum mgc_code)failed->code
                             : MGC_E_FAILED;
    request->failed = true;
    mgc_error_set(&request->why, code, "%s: %s", helper->who, failed->text);
}

/* Of a request that nobody waits for any more: nothing to do. */
static void take(struct mgc_helper *helper, const struct mgc_device_msg *msg)
{
    struct request *request = find(helper, msg->id);
    if (!request)
        return;
    request->heard = true;
    if (msg->type == MGC_DEVICE_BEGUN) {
        request->begun = true;
        return;
    }
    bool end = msg->type == MGC_DEVICE_DONE || msg->type == MGC_DEVICE_FAILED;
    if (msg->type == MGC_DEVICE_FAILED)
        take_failed(helper, request, &msg->failed);
    request->ended |= end;
    if (request->on && (!end || (request->kept && request->begun)))
        request->on(request->ctx, msg);
    if (end && request->kept)
        request->id = 0;
}

static bool take_output(struct mgc_helper *helper, const struct mgc_adb_shell_piece *piece)
{
    struct mgc_device_msg msg;
    struct mgc_error why = {0};
    enum mgc_device_next next = MGC_DEVICE_BROKEN;
    if (mgc_device_stream_feed(&helper->stream, piece->data, piece->len, &why))
        while ((next = mgc_device_stream_next(&helper->stream, &msg, &why)) == MGC_DEVICE_MESSAGE)
            take(helper, &msg);
    if (next != MGC_DEVICE_BROKEN)
        return true;
    char what[MGC_ERROR_TEXT_MAX + 32];
    snprintf(
        what, sizeof(what), "%s: %s", helper->welcomed ? "went wrong" : "did not start", why.text);
    return broke(helper, helper->welcomed ? MGC_E_PROTOCOL : MGC_E_FAILED, what);
}

static bool fail_broken(const struct mgc_helper *helper, struct mgc_error *err)
{
    if (err)
        *err = helper->broken;
    return false;
}

bool mgc_helper_pump(
    struct mgc_helper *helper, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_adb_shell_piece piece;
    struct mgc_error why = {0};
    if (helper->broken.code)
        return fail_broken(helper, err);
    if (!helper->link.next(helper->link.self, &piece, wait, &why)) {
        if (why.code != MGC_E_TIMEOUT && why.code != MGC_E_CANCELLED)
            helper->broken = why;
        if (err)
            *err = why;
        return false;
    }
    bool ok = true;
    if (piece.id == MGC_ADB_EXIT)
        ok = ended(helper, (unsigned char)piece.data[0]);
    else if (piece.id == MGC_ADB_STDERR)
        mgc_buf_append(&helper->said, piece.data, piece.len); /* past its cap: the begin will do */
    else
        ok = take_output(helper, &piece);
    return ok || fail_broken(helper, err);
}

/* --- requests --------------------------------------------------------------------------------- */

bool mgc_helper_send(struct mgc_helper *helper, const struct mgc_device_msg *msg,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_error why = {0};
    if (helper->broken.code)
        return fail_broken(helper, err);
    if (!mgc_device_put_message(&helper->out, msg)) {
        mgc_buf_clear(&helper->out);
        return mgc_error_set(err, MGC_E_USAGE, "%s: %s is too long for a message", helper->who,
            mgc_device_type_name(msg->type));
    }
    bool ok = helper->link.send(helper->link.self, helper->out.data, helper->out.len, wait, &why);
    mgc_buf_clear(&helper->out);
    if (ok)
        return true;
    /* Half a message may be on its way: this stream is of no more use. But a program that has ended
     * has left its words and its exit code, which say more than a send that failed. */
    while (why.code != MGC_E_TIMEOUT && why.code != MGC_E_CANCELLED &&
           mgc_helper_pump(helper, wait, NULL))
        continue;
    if (!helper->broken.code)
        helper->broken = why;
    return fail_broken(helper, err);
}

static struct request *add_request(struct mgc_helper *helper, const struct mgc_helper_call *call)
{
    for (size_t i = 0; i < REQUESTS_MAX; i++) {
        struct request *request = &helper->requests[i];
        if (request->id)
            continue;
        helper->last_id += helper->last_id == UINT32_MAX ? 2 : 1;
        *request = (struct request){
            .id = helper->last_id, .on = call->on, .ctx = call->ctx, .kept = call->ret_id};
        return request;
    }
    return NULL;
}

/* Ended, or with `ended` false, begun or at least answered. A request that has failed is over. */
static bool await(struct mgc_helper *helper, struct request *request, bool to_end,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    uint32_t id = request->id;
    bool kept = request->kept;
    while (request->id == id && !request->ended &&
           (to_end || (kept ? !request->begun : !request->heard)))
        if (!mgc_helper_pump(helper, wait, err))
            return false;
    if (request->failed && err)
        *err = request->why;
    return !request->failed;
}

static struct request *begin(struct mgc_helper *helper, struct mgc_helper_call *call,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct request *request = add_request(helper, call);
    if (!request) {
        mgc_error_set(err, MGC_E_BUSY, "%s: %d requests go on already", helper->who, REQUESTS_MAX);
        return NULL;
    }
    call->msg.id = request->id;
    if (mgc_helper_send(helper, &call->msg, wait, err))
        return request;
    request->id = 0;
    return NULL;
}

bool mgc_helper_begin(struct mgc_helper *helper, struct mgc_helper_call *call, uint32_t *ret_id,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct request *request = begin(helper, call, wait, err);
    if (!request)
        return false;
    *ret_id = call->msg.id;
    bool ok = await(helper, request, false, wait, err);
    if (!ok)
        request->id = 0; /* what still comes for it is dropped */
    return ok;
}

bool mgc_helper_end(
    struct mgc_helper *helper, uint32_t id, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct request *request = find(helper, id);
    bool ok = request && await(helper, request, true, wait, err);
    mgc_helper_forget(helper, id);
    return ok;
}

void mgc_helper_forget(struct mgc_helper *helper, uint32_t id)
{
    struct request *request = find(helper, id);
    if (request)
        request->id = 0;
}

bool mgc_helper_over(struct mgc_helper *helper, uint32_t id)
{
    mgc_socket socket = mgc_helper_socket(helper);
    const struct mgc_adb_wait now = {0, -1};
    bool ready;
    while (!helper->broken.code &&
           (mgc_helper_buffered(helper) || mgc_net_wait_readable(&socket, &ready, 1, 0, NULL)))
        if (!mgc_helper_pump(helper, &now, NULL))
            break;
    const struct request *request = find(helper, id);
    return helper->broken.code || !request || request->ended;
}

bool mgc_helper_do(struct mgc_helper *helper, struct mgc_helper_call *call,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct request *request = begin(helper, call, wait, err);
    if (!request)
        return false;
    uint32_t id = call->msg.id;
    bool ok = await(helper, request, !call->ret_id, wait, err);
    if (ok && call->ret_id)
        *call->ret_id = id;
    else if (request->id == id)
        request->id = 0;
    return ok;
}

bool mgc_helper_list(struct mgc_device_list *ret_list, struct mgc_buf *buf,
    const char *const *texts, struct mgc_error *err)
{
    *ret_list = (struct mgc_device_list){0};
    for (; texts && *texts; texts++)
        if (!mgc_device_list_add(ret_list, buf, *texts))
            return mgc_error_set(err, MGC_E_USAGE, "more than %d names", MGC_DEVICE_LIST_MAX);
    return true;
}

/* --- begin and end ---------------------------------------------------------------------------- */

static void on_welcome(void *ctx, const struct mgc_device_msg *msg)
{
    struct mgc_helper *helper = ctx;
    const struct mgc_device_welcome *welcome = &msg->welcome;
    if (msg->type != MGC_DEVICE_WELCOME)
        return;
    struct mgc_helper_facts *facts = &helper->facts;
    *facts = (struct mgc_helper_facts){.protocol = welcome->protocol,
        .pid = welcome->pid,
        .uid = welcome->uid,
        .mono_ns = welcome->mono_ns,
        .boottime_ns = welcome->boottime_ns,
        .has_pidfd = welcome->has_pidfd};
    snprintf(facts->build, sizeof(facts->build), "%s", welcome->build);
    snprintf(facts->abi, sizeof(facts->abi), "%s", welcome->abi);
    snprintf(facts->boot_id, sizeof(facts->boot_id), "%s", welcome->boot_id);
    helper->welcomed = true;
}

static bool say_hello(
    struct mgc_helper *helper, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_helper_call call = {
        .msg = {.type = MGC_DEVICE_HELLO,
            .hello = {MGC_DEVICE_PROTOCOL, MGC_DEVICE_PROTOCOL, MGC_VERSION}},
        .on = on_welcome,
        .ctx = helper};
    uint32_t id;
    bool ok =
        mgc_device_put_preamble(&helper->out) && mgc_helper_begin(helper, &call, &id, wait, err);
    if (ok)
        mgc_helper_forget(helper, id); /* WELCOME is all of the answer */
    if (ok && !helper->welcomed)
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "%s: %s did not say welcome", helper->who, helper->program);
    return ok;
}

struct mgc_helper *mgc_helper_new(const struct mgc_helper_link *link, const char *who,
    const char *program, const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    struct mgc_helper *helper = calloc(1, sizeof(*helper));
    if (!helper) {
        link->close(link->self);
        mgc_error_set(err, MGC_E_NO_MEMORY, "%s: no memory for a helper", who);
        return NULL;
    }
    helper->link = *link;
    mgc_buf_init(&helper->said, STDERR_MAX);
    snprintf(helper->who, sizeof(helper->who), "%s", who);
    snprintf(helper->program, sizeof(helper->program), "%s", program);
    if (say_hello(helper, wait, err))
        return helper;
    mgc_helper_free(helper);
    return NULL;
}

void mgc_helper_free(struct mgc_helper *helper)
{
    if (!helper)
        return;
    helper->link.close(helper->link.self);
    mgc_device_stream_destroy(&helper->stream);
    mgc_buf_destroy(&helper->out);
    mgc_buf_destroy(&helper->said);
    free(helper);
}

const struct mgc_helper_facts *mgc_helper_facts(const struct mgc_helper *helper)
{
    return &helper->facts;
}

mgc_socket mgc_helper_socket(const struct mgc_helper *helper)
{
    return helper->link.socket(helper->link.self);
}

bool mgc_helper_buffered(const struct mgc_helper *helper)
{
    return helper->broken.code || helper->link.buffered(helper->link.self);
}
