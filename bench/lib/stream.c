#include "bench/lib/stream.h"

#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/plat/file.h"

static void send_credit(void *user, struct mgc_msg *msg)
{
    struct mgc_stream *stream = user;
    mgc_fleet_send(stream->fleet, stream->worker, msg, NULL); /* the receiver repeats lost ones */
}

static void on_tick(void *user)
{
    struct mgc_stream *stream = user;
    int64_t now_ns = mgc_mono_ns();
    stream->timer = 0;
    if (!stream->receive)
        return;
    mgc_receive_tick(stream->receive, now_ns);
    stream->timer = mgc_loop_add_timer(mgc_fleet_loop(stream->fleet),
        mgc_deadline_min(mgc_receive_due(stream->receive), now_ns + MGC_NS_PER_S), on_tick, stream);
}

/* A large file takes its time to go, which is not what is measured: `left` may see to it. */
void mgc_stream_forget(struct mgc_stream *stream)
{
    if (!stream->receive)
        return;
    mgc_receive_free(stream->receive);
    stream->receive = NULL;
    if (stream->left)
        stream->left(stream->user, stream->number);
}

static bool next_dir(struct mgc_stream *stream, char ret_path[MGC_PATH_MAX], struct mgc_error *err)
{
    char name[24];
    snprintf(name, sizeof(name), "%zu", ++stream->number);
    return mgc_path_join(ret_path, MGC_PATH_MAX, stream->dir, name) &&
           mgc_dir_make(ret_path, 0700, err);
}

bool mgc_stream_make(struct mgc_stream *stream, int64_t size, struct mgc_error *err)
{
    struct mgc_fields params = {0};
    bool ok =
        mgc_fields_set_int(&params, "size", size) && mgc_dir_make(stream->dir, 0700, err) &&
        mgc_fleet_task(stream->fleet, stream->worker, stream->task_id, "bench.file", &params, err);
    mgc_fields_destroy(&params);
    return ok;
}

bool mgc_stream_begin(struct mgc_stream *stream, struct mgc_error *err)
{
    struct mgc_msg_result result = {
        .task_id = stream->task_id, .artifacts = &stream->artifact, .artifact_count = 1};
    char dir[MGC_PATH_MAX];
    mgc_stream_forget(stream);
    stream->done = false;
    if (!next_dir(stream, dir, err))
        return false;
    stream->receive = mgc_receive_new(&result, dir, send_credit, stream, mgc_mono_ns());
    if (!stream->receive)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "receive a file: out of memory");
    if (!stream->timer)
        on_tick(stream);
    return true;
}

static void take_result(struct mgc_stream *stream, const struct mgc_msg_result *result)
{
    if (result->code != MGC_OK || result->artifact_count != 1) {
        mgc_error_set(&stream->error, MGC_E_FAILED, "make a file: %s", result->text);
    } else {
        stream->artifact = result->artifacts[0];
        snprintf(stream->name, sizeof(stream->name), "%s", stream->artifact.name);
        stream->artifact.name = stream->name;
    }
    stream->ready = true;
    stream->ready_ns = mgc_mono_ns();
    mgc_fleet_wake(stream->fleet);
}

static void take_chunk(struct mgc_stream *stream, const struct mgc_msg *msg)
{
    mgc_receive_chunk(stream->receive, &msg->chunk, msg->body, msg->body_len, mgc_mono_ns());
    if (!mgc_receive_done(stream->receive))
        return;
    stream->done_ns = mgc_mono_ns();
    stream->error = *mgc_receive_error(stream->receive);
    stream->done = true;
    if (stream->forever && stream->error.code == MGC_OK)
        mgc_stream_begin(stream, &stream->error);
    else
        mgc_fleet_wake(stream->fleet);
}

bool mgc_stream_take(struct mgc_stream *stream, const struct mgc_msg *msg)
{
    if (msg->kind == MGC_MSG_EVENT && msg->event.task_id == stream->task_id)
        stream->written_ns = mgc_mono_ns();
    else if (msg->kind == MGC_MSG_RESULT && msg->result.task_id == stream->task_id)
        take_result(stream, &msg->result);
    else if (msg->kind == MGC_MSG_CHUNK && stream->receive)
        take_chunk(stream, msg);
    else
        return false;
    return true;
}

void mgc_stream_destroy(struct mgc_stream *stream)
{
    if (!stream->fleet)
        return;
    mgc_loop_remove_timer(mgc_fleet_loop(stream->fleet), stream->timer);
    mgc_stream_forget(stream);
}
