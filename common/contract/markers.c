#include "common/contract/markers.h"

#include <string.h>
#include <strings.h>

#include "common/base/parse.h"

/* What a line must contain to carry a marker; `any_case` for the one that the old harness matches
 * without case. A marker may have several rows. */
static const struct {
    enum mgc_marker marker;
    const char *text;
    bool any_case;
} table[] = {
    {MGC_MARKER_TRANSPORT_INPROC, "Config: MOBILEGL_TRANSPORT=inproc - "},
    {MGC_MARKER_TRANSPORT_SPAWN, "Config: MOBILEGL_TRANSPORT=spawn - "},
    {MGC_MARKER_TRANSPORT_REFUSED, "Config: MOBILEGL_TRANSPORT='"},
    {MGC_MARKER_TRANSPORT_REFUSED, "Ignoring invalid env variable MOBILEGL_TRANSPORT="},
    {MGC_MARKER_SPAWN_ARMED, "spawn ARMED - the server role runs in pid "},
    {MGC_MARKER_CONTROL_TCP, "control=tcp data=stream server="},
    {MGC_MARKER_CONFIG_IPC, "Config: IPC "},
    {MGC_MARKER_RUN_AHEAD_ARMED, "run-ahead ARMED"},
    {MGC_MARKER_LOCKSTEP, "running lockstep"},
    {MGC_MARKER_DISARMED, "DISARMED", true},
    {MGC_MARKER_FATAL, "Fatal{"},
    {MGC_MARKER_DEVICE_LOST, "DEVICE LOST"},
    {MGC_MARKER_DEAD_DOORBELL, "dead doorbell"},
    {MGC_MARKER_ALIVE_SILENT, "ALIVE BUT SILENT"},
    {MGC_MARKER_REFUSE, "Refuse{"},
    {MGC_MARKER_ACTIVE_BACKEND, "Config: Active backend type set to "},
    {MGC_MARKER_PIPE_STATS, "MGPipe stats: frames="},
    {MGC_MARKER_LISTENING, " listening on tcp://"},
    {MGC_MARKER_READY, "transport=spawn role=server ready "},
    {MGC_MARKER_REAPED, " reaped "},
};

const char *mgc_marker_name(enum mgc_marker marker)
{
    static const char *const names[MGC_MARKER_COUNT] = {
        [MGC_MARKER_TRANSPORT_INPROC] = "transport-inproc",
        [MGC_MARKER_TRANSPORT_SPAWN] = "transport-spawn",
        [MGC_MARKER_TRANSPORT_REFUSED] = "transport-refused",
        [MGC_MARKER_SPAWN_ARMED] = "spawn-armed",
        [MGC_MARKER_CONTROL_TCP] = "control-tcp",
        [MGC_MARKER_CONFIG_IPC] = "config-ipc",
        [MGC_MARKER_RUN_AHEAD_ARMED] = "run-ahead-armed",
        [MGC_MARKER_LOCKSTEP] = "lockstep",
        [MGC_MARKER_DISARMED] = "disarmed",
        [MGC_MARKER_FATAL] = "fatal",
        [MGC_MARKER_DEVICE_LOST] = "device-lost",
        [MGC_MARKER_DEAD_DOORBELL] = "dead-doorbell",
        [MGC_MARKER_ALIVE_SILENT] = "alive-but-silent",
        [MGC_MARKER_REFUSE] = "refuse",
        [MGC_MARKER_ACTIVE_BACKEND] = "active-backend",
        [MGC_MARKER_PIPE_STATS] = "pipe-stats",
        [MGC_MARKER_LISTENING] = "listening",
        [MGC_MARKER_READY] = "ready",
        [MGC_MARKER_REAPED] = "reaped",
    };
    return names[marker];
}

/* The run of characters after `mark` up to one of `stop` or the end; false when there is none or
 * it does not fit. */
static bool word_after(
    const char *line, const char *mark, const char *stop, char *ret_word, size_t size)
{
    const char *at = strstr(line, mark);
    if (!at)
        return false;
    at += strlen(mark);
    size_t len = strcspn(at, stop);
    if (len == 0 || len >= size)
        return false;
    memcpy(ret_word, at, len);
    ret_word[len] = '\0';
    return true;
}

static bool number_after(const char *line, const char *mark, int64_t *ret)
{
    char word[24];
    return word_after(line, mark, " ,;)", word, sizeof(word)) &&
           mgc_parse_int(word, 0, INT64_MAX, ret);
}

static void keep_line(char *into, const char *line)
{
    size_t len = strnlen(line, MGC_MARKER_LINE_MAX);
    memcpy(into, line, len);
    into[len] = '\0';
}

static void read_listening(struct mgc_markers *markers, const char *line, uint64_t number)
{
    struct mgc_listen listening = {.line_number = number};
    listening.known =
        word_after(line, " listening on ", " ", listening.endpoint, sizeof(listening.endpoint));
    listening.has_pid = number_after(line, "server: pid=", &listening.pid);
    if (listening.known)
        markers->listening = listening;
}

static bool reap_ending(const char *line, struct mgc_reap *reap)
{
    char word[24];
    if (number_after(line, " exit=", &reap->value)) {
        reap->kind = MGC_REAP_EXIT;
        return true;
    }
    if (number_after(line, " signal=", &reap->value)) {
        reap->kind = MGC_REAP_SIGNAL;
        return true;
    }
    uint64_t status;
    if (!word_after(line, " status=0x", " ", word, sizeof(word)) ||
        !mgc_parse_hex64(word, &status) || status > INT64_MAX)
        return false;
    reap->kind = MGC_REAP_STATUS;
    reap->value = (int64_t)status;
    return true;
}

static void read_reap(struct mgc_markers *markers, const char *line)
{
    struct mgc_reap reap = {0};
    if (markers->reap_count == MGC_REAPS_MAX || !number_after(line, "session pid=", &reap.pid) ||
        !reap_ending(strstr(line, " reaped "), &reap))
        return;
    reap.has_faulted = number_after(line, "sessionsFaulted=", &reap.faulted);
    keep_line(reap.line, line);
    markers->reaps[markers->reap_count++] = reap;
}

/* Values that the first line of a marker carries. */
static void read_first(struct mgc_markers *markers, enum mgc_marker marker, const char *line)
{
    switch (marker) {
    case MGC_MARKER_CONFIG_IPC:
        markers->has_present_credit =
            number_after(line, " present-credit=", &markers->present_credit);
        markers->has_run_ahead = number_after(line, " run-ahead=", &markers->run_ahead);
        break;
    case MGC_MARKER_CONTROL_TCP:
        word_after(line, "data=stream server=", " ", markers->control_server,
            sizeof(markers->control_server));
        markers->has_control_pid = number_after(line, " pid=", &markers->control_pid);
        break;
    case MGC_MARKER_SPAWN_ARMED:
        markers->has_spawn_pid = number_after(line, "runs in pid ", &markers->spawn_pid);
        break;
    case MGC_MARKER_FATAL:
        word_after(line, "Fatal{", ",} ", markers->fatal_family, sizeof(markers->fatal_family));
        break;
    case MGC_MARKER_REFUSE:
        word_after(line, "Refuse{", ",} ", markers->refuse_code, sizeof(markers->refuse_code));
        break;
    case MGC_MARKER_ACTIVE_BACKEND:
        word_after(line, "backend type set to ", " .,", markers->backend, sizeof(markers->backend));
        break;
    default:
        break;
    }
}

static bool other_word(const char *line, const char *mark, const char *stop, const char *known)
{
    char word[128];
    return known[0] && word_after(line, mark, stop, word, sizeof(word)) && strcmp(word, known) != 0;
}

static bool other_number(const char *line, const char *mark, bool is_known, int64_t known)
{
    int64_t number;
    return is_known && number_after(line, mark, &number) && number != known;
}

/* Values of a later line of a marker: only whether they are still those of the first. */
static void read_again(struct mgc_markers *markers, enum mgc_marker marker, const char *line)
{
    if (marker == MGC_MARKER_CONFIG_IPC)
        markers->present_credit_varies |= other_number(
            line, " present-credit=", markers->has_present_credit, markers->present_credit);
    else if (marker == MGC_MARKER_CONTROL_TCP)
        markers->control_varies |=
            other_word(line, "data=stream server=", " ", markers->control_server) ||
            other_number(line, " pid=", markers->has_control_pid, markers->control_pid);
    else if (marker == MGC_MARKER_ACTIVE_BACKEND)
        markers->backend_varies |=
            other_word(line, "backend type set to ", " .,", markers->backend);
}

/* strcasestr, which Windows lacks. */
static bool has_any_case(const char *line, const char *text)
{
    size_t len = strlen(text);
    for (; *line; line++) {
        if (strncasecmp(line, text, len) == 0)
            return true;
    }
    return false;
}

static bool carries(size_t row, const char *line)
{
    if (table[row].any_case)
        return has_any_case(line, table[row].text);
    if (table[row].marker == MGC_MARKER_REAPED && !strstr(line, "session pid="))
        return false;
    return strstr(line, table[row].text) != NULL;
}

static void take_marker(
    struct mgc_markers *markers, enum mgc_marker marker, const char *line, uint64_t number)
{
    struct mgc_marker_hit *hit = &markers->hits[marker];
    if (hit->last_number == number)
        return; /* another piece of the line, or another row of the marker */
    hit->last_number = number;
    if (hit->count++ == 0) {
        hit->line_number = number;
        keep_line(hit->line, line);
        read_first(markers, marker, line);
    } else {
        read_again(markers, marker, line);
    }
    if (marker == MGC_MARKER_LISTENING)
        read_listening(markers, line, number);
    else if (marker == MGC_MARKER_REAPED)
        read_reap(markers, line);
    else if (marker == MGC_MARKER_READY)
        markers->has_ready_pid = number_after(line, "server: pid=", &markers->ready_pid);
}

static void take_line(void *user, const char *line, uint64_t number)
{
    struct mgc_markers *markers = user;
    /* The value of an accepted variable is the user's text and could look like any marker. */
    if (strstr(line, "Accepted env variable"))
        markers->accepted_number = number;
    if (markers->accepted_number == number)
        return;
    for (size_t row = 0; row < sizeof(table) / sizeof(table[0]); row++) {
        if (carries(row, line))
            take_marker(markers, table[row].marker, line, number);
    }
}

void mgc_markers_feed(struct mgc_markers *markers, const void *data, size_t len)
{
    markers->lines.in_pieces = true; /* a Fatal may stand anywhere on a line */
    mgc_lines_feed(&markers->lines, data, len, take_line, markers);
}

void mgc_markers_finish(struct mgc_markers *markers)
{
    mgc_lines_finish(&markers->lines, take_line, markers);
}

static void merge_values(struct mgc_markers *into, const struct mgc_markers *src)
{
#define TAKE(has, value)                                                                           \
    do {                                                                                           \
        if (!into->has && src->has) {                                                              \
            into->has = true;                                                                      \
            into->value = src->value;                                                              \
        }                                                                                          \
    } while (0)
    TAKE(has_present_credit, present_credit);
    TAKE(has_run_ahead, run_ahead);
    TAKE(has_control_pid, control_pid);
    TAKE(has_spawn_pid, spawn_pid);
    TAKE(has_ready_pid, ready_pid);
#undef TAKE
#define TAKE_TEXT(text)                                                                            \
    do {                                                                                           \
        if (!into->text[0])                                                                        \
            memcpy(into->text, src->text, sizeof(into->text));                                     \
    } while (0)
    TAKE_TEXT(control_server);
    TAKE_TEXT(fatal_family);
    TAKE_TEXT(refuse_code);
    TAKE_TEXT(backend);
#undef TAKE_TEXT
    into->present_credit_varies |= src->present_credit_varies;
    into->control_varies |= src->control_varies;
    into->backend_varies |= src->backend_varies;
    if (!into->listening.known)
        into->listening = src->listening;
}

void mgc_markers_merge(struct mgc_markers *into, const struct mgc_markers *src)
{
    for (size_t i = 0; i < MGC_MARKER_COUNT; i++) {
        uint64_t count = into->hits[i].count + src->hits[i].count;
        if (!into->hits[i].count)
            into->hits[i] = src->hits[i];
        into->hits[i].count = count;
    }
    merge_values(into, src);
    for (size_t i = 0; i < src->reap_count && into->reap_count < MGC_REAPS_MAX; i++)
        into->reaps[into->reap_count++] = src->reaps[i];
}
