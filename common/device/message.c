#include "common/device/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum field_type { END, U16, U32, I64, TEXT, LIST, BYTES };

struct field {
    unsigned char type;
    unsigned char offset; /* in struct mgc_device_msg */
};
enum { FIELDS_MAX = 12 };
_Static_assert(sizeof(struct mgc_device_msg) <= 255, "an offset in it is one byte");

struct row {
    enum mgc_device_type type;
    const char *name;
    struct field fields[FIELDS_MAX];
};

#define AT(kind, member)                                                                           \
    {                                                                                              \
        kind, offsetof(struct mgc_device_msg, member)                                              \
    }

static const struct row rows[] = {
    {MGC_DEVICE_HELLO, "hello",
        {AT(U16, hello.protocol_min), AT(U16, hello.protocol_max), AT(TEXT, hello.build)}},
    {MGC_DEVICE_CANCEL, "cancel", {AT(U32, cancel.request)}},
    {MGC_DEVICE_CLOCK, "clock", {AT(I64, clock.t1_ns)}},
    {MGC_DEVICE_REMOVE, "remove", {AT(TEXT, remove.dir), AT(LIST, remove.names)}},
    {MGC_DEVICE_WATCH, "watch",
        {AT(TEXT, watch.dir), AT(LIST, watch.names), AT(TEXT, watch.package), AT(U32, watch.pid),
            AT(U32, watch.scan_ms)}},
    {MGC_DEVICE_READ, "read",
        {AT(TEXT, read.dir), AT(LIST, read.names), AT(I64, read.max_bytes),
            AT(U16, read.hash_only)}},
    {MGC_DEVICE_PUT, "put",
        {AT(TEXT, put.path), AT(I64, put.total_bytes), AT(U16, put.mode), AT(BYTES, put.sha256)}},
    {MGC_DEVICE_PUT_DATA, "put-data", {AT(BYTES, put_data.data)}},
    {MGC_DEVICE_SAMPLE, "sample",
        {AT(U32, sample.period_ms), AT(U32, sample.rows_max), AT(LIST, sample.nodes)}},
    {MGC_DEVICE_PROCS, "procs", {AT(TEXT, procs.package)}},
    {MGC_DEVICE_SAMPLE_NOW, "sample-now",
        {AT(U32, sample_now.request), AT(U32, sample_now.rows), AT(U32, sample_now.gap_ms)}},
    {MGC_DEVICE_WELCOME, "welcome",
        {AT(U16, welcome.protocol), AT(TEXT, welcome.build), AT(TEXT, welcome.abi),
            AT(TEXT, welcome.boot_id), AT(U32, welcome.pid), AT(U32, welcome.uid),
            AT(I64, welcome.mono_ns), AT(I64, welcome.boottime_ns), AT(U16, welcome.has_pidfd)}},
    {MGC_DEVICE_DONE, "done", {{END, 0}}},
    {MGC_DEVICE_FAILED, "failed",
        {AT(U16, failed.code), AT(U32, failed.errnum), AT(TEXT, failed.text)}},
    {MGC_DEVICE_BEGUN, "begun", {{END, 0}}},
    {MGC_DEVICE_CLOCK_REPLY, "clock-reply",
        {AT(I64, clock_reply.t1_ns), AT(I64, clock_reply.t2_ns), AT(I64, clock_reply.t3_ns)}},
    {MGC_DEVICE_REMOVED, "removed",
        {AT(TEXT, removed.name), AT(U16, removed.state), AT(U32, removed.errnum),
            AT(I64, removed.size_bytes), AT(I64, removed.mtime_ns)}},
    {MGC_DEVICE_FILE, "file",
        {AT(U16, file.what), AT(TEXT, file.name), AT(I64, file.size_bytes), AT(I64, file.mtime_ns),
            AT(I64, file.inode), AT(I64, file.mono_ns)}},
    {MGC_DEVICE_PROC, "proc",
        {AT(U16, proc.what), AT(U32, proc.pid), AT(U32, proc.ppid), AT(U32, proc.uid),
            AT(I64, proc.start_ticks), AT(I64, proc.mono_ns), AT(TEXT, proc.comm),
            AT(TEXT, proc.cmdline)}},
    {MGC_DEVICE_FILE_HEAD, "file-head",
        {AT(U16, file_head.index), AT(U16, file_head.state), AT(U32, file_head.errnum),
            AT(I64, file_head.size_bytes), AT(I64, file_head.mtime_ns)}},
    {MGC_DEVICE_FILE_DATA, "file-data", {AT(U16, file_data.index), AT(BYTES, file_data.data)}},
    {MGC_DEVICE_FILE_END, "file-end",
        {AT(U16, file_end.index), AT(U16, file_end.state), AT(U32, file_end.errnum),
            AT(I64, file_end.size_bytes), AT(BYTES, file_end.sha256)}},
    {MGC_DEVICE_PUT_READY, "put-ready", {AT(I64, put_ready.have_bytes)}},
    {MGC_DEVICE_ROW, "row",
        {AT(U32, row.row), AT(U32, row.missed), AT(I64, row.due_ns), AT(I64, row.begin_ns),
            AT(I64, row.end_ns), AT(LIST, row.values)}},
    {MGC_DEVICE_SAMPLE_END, "sample-end",
        {AT(U32, sample_end.rows), AT(U32, sample_end.missed), AT(U32, sample_end.dropped),
            AT(I64, sample_end.user_us), AT(I64, sample_end.sys_us)}},
    {MGC_DEVICE_SINK, "sink",
        {AT(U32, sink.port), AT(U32, sink.lifetime_ms), AT(BYTES, sink.token)}},
    {MGC_DEVICE_SINK_READY, "sink-ready", {AT(U32, sink_ready.port)}},
    {MGC_DEVICE_SINK_TOLD, "sink-told",
        {AT(U16, sink_told.what), AT(U32, sink_told.address), AT(U32, sink_told.port),
            AT(I64, sink_told.mono_ns)}},
    {MGC_DEVICE_SINK_END, "sink-end",
        {AT(U32, sink_end.sessions), AT(U32, sink_end.refused), AT(I64, sink_end.received_bytes),
            AT(I64, sink_end.sent_bytes)}},
    {MGC_DEVICE_SINK_HELLO, "sink-hello",
        {AT(BYTES, sink_hello.token), AT(I64, sink_hello.session), AT(U16, sink_hello.stream)}},
    {MGC_DEVICE_SINK_RUN, "sink-run",
        {AT(U16, sink_run.way), AT(U16, sink_run.streams), AT(U32, sink_run.duration_ms),
            AT(U32, sink_run.interval_ms), AT(TEXT, sink_run.congestion)}},
    {MGC_DEVICE_SINK_STOP, "sink-stop", {{END, 0}}},
    {MGC_DEVICE_SINK_SEEN, "sink-seen",
        {AT(U32, sink_seen.address), AT(U32, sink_seen.port), AT(U32, sink_seen.mss),
            AT(U16, sink_seen.wscale), AT(U16, sink_seen.timestamps), AT(I64, sink_seen.mono_ns)}},
    {MGC_DEVICE_SINK_OVER, "sink-over", {{END, 0}}},
    {MGC_DEVICE_SINK_STREAM, "sink-stream",
        {AT(U16, sink_stream.stream), AT(I64, sink_stream.bytes), AT(I64, sink_stream.heard_bytes),
            AT(I64, sink_stream.retransmits), AT(TEXT, sink_stream.congestion)}},
    {MGC_DEVICE_SINK_INTERVAL, "sink-interval",
        {AT(U32, sink_interval.index), AT(I64, sink_interval.bytes)}},
    {MGC_DEVICE_SINK_RESULT, "sink-result",
        {AT(U32, sink_result.intervals), AT(I64, sink_result.first_ns),
            AT(I64, sink_result.window_ns), AT(I64, sink_result.window_bytes)}},
};

static const struct row *find(unsigned type)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].type == type)
            return &rows[i];
    return NULL;
}

const char *mgc_device_type_name(unsigned type)
{
    static _Thread_local char text[24];
    const struct row *row = find(type);
    if (row)
        return row->name;
    snprintf(text, sizeof(text), "message %u", type);
    return text;
}

const char *mgc_device_state_name(unsigned state)
{
    static const char *const names[] = {
        NULL, "present", "absent", "unusable", "too-large", "changed", "no-file"};
    return state > 0 && state < sizeof(names) / sizeof(names[0]) ? names[state] : "unknown";
}

const char *mgc_device_sink_what_name(unsigned what)
{
    static const char *const names[] = {NULL, "began", "ended", "stranger", "busy", "garbage"};
    return what > 0 && what < sizeof(names) / sizeof(names[0]) ? names[what] : "unknown";
}

/* --- lists and values ------------------------------------------------------------------------- */

const char *mgc_device_list_next(const struct mgc_device_list *list, const char *text)
{
    if (list->count == 0)
        return NULL;
    if (!text)
        return list->data;
    text += strlen(text) + 1;
    return text < list->data + list->size ? text : NULL;
}

bool mgc_device_list_add(struct mgc_device_list *list, struct mgc_buf *buf, const char *text)
{
    if (list->count >= MGC_DEVICE_LIST_MAX || !mgc_buf_append(buf, text, strlen(text) + 1))
        return false;
    list->data = buf->data;
    list->size = (uint32_t)buf->len;
    list->count++;
    return true;
}

bool mgc_device_value(const char *item, const char **ret_text, int *ret_errnum)
{
    if (item[0] == '=') {
        *ret_text = item + 1;
        return true;
    }
    *ret_errnum = item[0] == '!' ? atoi(item + 1) : 0;
    return false;
}

/* --- encode ----------------------------------------------------------------------------------- */

static bool put_number(struct mgc_buf *out, uint64_t value, size_t bytes)
{
    unsigned char data[8];
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(value >> (8 * i));
    return mgc_buf_append(out, data, bytes);
}

static bool put_text(struct mgc_buf *out, const char *text)
{
    size_t len = text ? strlen(text) : 0;
    return len <= UINT16_MAX && put_number(out, len, 2) &&
           mgc_buf_append(out, text ? text : "", len + 1);
}

static bool put_run(struct mgc_buf *out, const void *data, uint32_t size)
{
    return put_number(out, size, 4) && (size == 0 || mgc_buf_append(out, data, size));
}

static bool put_field(struct mgc_buf *out, enum field_type type, const void *field)
{
    const struct mgc_device_list *list = field;
    const struct mgc_device_bytes *bytes = field;
    switch (type) {
    case U16:
        return put_number(out, *(const uint16_t *)field, 2);
    case U32:
        return put_number(out, *(const uint32_t *)field, 4);
    case I64:
        return put_number(out, (uint64_t) * (const int64_t *)field, 8);
    case TEXT:
        return put_text(out, *(const char *const *)field);
    case LIST:
        return put_number(out, list->count, 2) && put_run(out, list->data, list->size);
    case BYTES:
        return put_run(out, bytes->data, bytes->size);
    case END:
        break;
    }
    return false;
}

bool mgc_device_encode(struct mgc_buf *out, const struct mgc_device_msg *msg)
{
    const struct row *row = find(msg->type);
    size_t before = out->len;
    bool ok = row;
    for (size_t i = 0; ok && i < FIELDS_MAX && row->fields[i].type != END; i++)
        ok = put_field(
            out, row->fields[i].type, (const char *)(const void *)msg + row->fields[i].offset);
    if (ok && out->len - before <= MGC_DEVICE_PAYLOAD_MAX)
        return true;
    out->len = before;
    return false;
}

/* --- decode ----------------------------------------------------------------------------------- */

struct cursor {
    const unsigned char *at, *end;
};

static bool take_number(struct cursor *cursor, size_t bytes, uint64_t *ret_value)
{
    if ((size_t)(cursor->end - cursor->at) < bytes)
        return false;
    *ret_value = 0;
    for (size_t i = 0; i < bytes; i++)
        *ret_value |= (uint64_t)cursor->at[i] << (8 * i);
    cursor->at += bytes;
    return true;
}

static const void *take_run(struct cursor *cursor, uint64_t size)
{
    const void *data = cursor->at;
    if ((uint64_t)(cursor->end - cursor->at) < size)
        return NULL;
    cursor->at += size;
    return data;
}

static bool take_text(struct cursor *cursor, const char **ret_text)
{
    uint64_t len;
    const char *text = take_number(cursor, 2, &len) ? take_run(cursor, len + 1) : NULL;
    if (!text || memchr(text, 0, (size_t)len + 1) != text + len)
        return false;
    *ret_text = text;
    return true;
}

static bool take_list(struct cursor *cursor, struct mgc_device_list *ret_list)
{
    uint64_t count, size;
    const char *data = NULL;
    if (take_number(cursor, 2, &count) && take_number(cursor, 4, &size))
        data = take_run(cursor, size);
    if (!data || count > MGC_DEVICE_LIST_MAX || (size > 0 && data[size - 1] != 0))
        return false;
    size_t texts = 0;
    for (size_t i = 0; i < size; i++)
        texts += data[i] == 0;
    *ret_list = (struct mgc_device_list){data, (uint32_t)size, (uint16_t)count};
    return texts == count;
}

static bool take_bytes(struct cursor *cursor, struct mgc_device_bytes *ret_bytes)
{
    uint64_t size;
    const void *data = take_number(cursor, 4, &size) ? take_run(cursor, size) : NULL;
    if (!data)
        return false;
    *ret_bytes = (struct mgc_device_bytes){data, (uint32_t)size};
    return true;
}

static bool take_field(struct cursor *cursor, enum field_type type, void *field)
{
    uint64_t value;
    switch (type) {
    case U16:
        if (!take_number(cursor, 2, &value))
            return false;
        *(uint16_t *)field = (uint16_t)value;
        return true;
    case U32:
        if (!take_number(cursor, 4, &value))
            return false;
        *(uint32_t *)field = (uint32_t)value;
        return true;
    case I64:
        if (!take_number(cursor, 8, &value))
            return false;
        *(int64_t *)field = (int64_t)value;
        return true;
    case TEXT:
        return take_text(cursor, field);
    case LIST:
        return take_list(cursor, field);
    case BYTES:
        return take_bytes(cursor, field);
    case END:
        break;
    }
    return false;
}

bool mgc_device_decode(unsigned type, uint32_t id, const void *payload, size_t size,
    struct mgc_device_msg *ret_msg, struct mgc_error *err)
{
    const struct row *row = find(type);
    struct mgc_device_msg msg = {.type = type, .id = id};
    struct cursor cursor = {payload, (const unsigned char *)payload + size};
    bool ok = row;
    for (size_t i = 0; ok && i < FIELDS_MAX && row->fields[i].type != END; i++)
        ok = take_field(&cursor, row->fields[i].type, (char *)(void *)&msg + row->fields[i].offset);
    if (!ok || cursor.at != cursor.end)
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "%s of %zu bytes is malformed", mgc_device_type_name(type), size);
    *ret_msg = msg;
    return true;
}
