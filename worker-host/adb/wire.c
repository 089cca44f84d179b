#include "worker-host/adb/wire.h"

#include <stdio.h>
#include <string.h>

#include "common/base/text.h"

static uint32_t get_le32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static void put_le32(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

/* Four bytes of a foreign id, for an error sentence. */
static const char *id_text(const void *id, char buf[8])
{
    const unsigned char *bytes = id;
    for (int i = 0; i < 4; i++)
        buf[i] = bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '?';
    buf[4] = '\0';
    return buf;
}

bool mgc_adb_wire_request(struct mgc_buf *out, const char *service, struct mgc_error *err)
{
    size_t len = strlen(service);
    if (len == 0 || len > MGC_ADB_REQUEST_MAX)
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "an adb request must have 1 to %d bytes, this one has %zu", MGC_ADB_REQUEST_MAX, len);
    if (!mgc_buf_printf(out, "%04zx", len) || !mgc_buf_append(out, service, len))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for an adb request");
    return true;
}

bool mgc_adb_wire_hex4(const char text[4], size_t *ret_value)
{
    size_t value = 0;
    for (int i = 0; i < 4; i++) {
        char c = text[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return false;
        value = value << 4 | (size_t)digit;
    }
    *ret_value = value;
    return true;
}

bool mgc_adb_wire_status(const char word[4], bool *ret_okay, struct mgc_error *err)
{
    char shown[8];
    bool okay = memcmp(word, "OKAY", 4) == 0;
    if (!okay && memcmp(word, "FAIL", 4) != 0)
        return mgc_error_set(err, MGC_E_PROTOCOL, "expected OKAY or FAIL from adb, got \"%s\"",
            id_text(word, shown));
    *ret_okay = okay;
    return true;
}

enum mgc_code mgc_adb_wire_fail_code(const char *text)
{
    static const struct {
        const char *word;
        enum mgc_code code;
    } meanings[] = {
        {"unauthorized", MGC_E_DENIED},
        {"no permissions", MGC_E_DENIED},
        {"device offline", MGC_E_LOST},
        {"device still connecting", MGC_E_LOST},
        {"not found", MGC_E_LOST},
        {"no devices", MGC_E_LOST},
        {"more than one", MGC_E_FAILED},
        {"closed", MGC_E_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
        if (strstr(text, meanings[i].word))
            return meanings[i].code;
    }
    return MGC_E_FAILED;
}

const char *mgc_adb_wire_shown(const char *text, char *buf, size_t size)
{
    snprintf(buf, size, "%s", text);
    mgc_text_one_line(buf);
    return buf;
}

void mgc_adb_wire_shell_head(
    unsigned char ret_head[MGC_ADB_SHELL_HEAD], enum mgc_adb_shell_id id, uint32_t len)
{
    ret_head[0] = (unsigned char)id;
    put_le32(ret_head + 1, len);
}

/* Collect header bytes across calls; true once the header is whole. */
static bool take_head(
    unsigned char *head, size_t *head_len, size_t size, const char *data, size_t len, size_t *used)
{
    size_t want = size - *head_len;
    size_t take = want < len - *used ? want : len - *used;
    memcpy(head + *head_len, data + *used, take);
    *head_len += take;
    *used += take;
    return *head_len == size;
}

static bool shell_head_check(const struct mgc_adb_shell_parser *parser, struct mgc_error *err)
{
    if (parser->left > MGC_ADB_SHELL_PACKET_MAX)
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "a shell packet of %lu bytes is past the cap of %d", (unsigned long)parser->left,
            MGC_ADB_SHELL_PACKET_MAX);
    if (parser->head[0] == MGC_ADB_EXIT && parser->left != 1)
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "the exit packet of a shell must have 1 byte, this one has %lu",
            (unsigned long)parser->left);
    return true;
}

bool mgc_adb_wire_shell_next(struct mgc_adb_shell_parser *parser, const char *data, size_t len,
    size_t *ret_used, struct mgc_adb_shell_piece *ret_piece, struct mgc_error *err)
{
    size_t used = 0;
    *ret_piece = (struct mgc_adb_shell_piece){0};
    while (used < len) {
        if (parser->left == 0) {
            if (!take_head(parser->head, &parser->head_len, MGC_ADB_SHELL_HEAD, data, len, &used))
                break;
            parser->head_len = 0;
            parser->left = get_le32(parser->head + 1);
            if (!shell_head_check(parser, err))
                return false;
            continue;
        }
        size_t take = parser->left < len - used ? parser->left : len - used;
        const char *piece = data + used;
        unsigned id = parser->head[0];
        used += take;
        parser->left -= (uint32_t)take;
        if (id >= MGC_ADB_STDOUT && id <= MGC_ADB_EXIT) {
            *ret_piece = (struct mgc_adb_shell_piece){(enum mgc_adb_shell_id)id, piece, take};
            break;
        }
    }
    *ret_used = used;
    return true;
}

void mgc_adb_wire_sync_head(
    unsigned char ret_head[MGC_ADB_SYNC_HEAD], const char id[4], uint32_t value)
{
    memcpy(ret_head, id, 4);
    put_le32(ret_head + 4, value);
}

bool mgc_adb_wire_sync_stat(const unsigned char reply[MGC_ADB_SYNC_STAT],
    struct mgc_adb_stat *ret_stat, struct mgc_error *err)
{
    char shown[8];
    if (memcmp(reply, "STAT", 4) != 0)
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "expected STAT from sync, got \"%s\"", id_text(reply, shown));
    struct mgc_adb_stat stat = {
        .mode = get_le32(reply + 4), .size = get_le32(reply + 8), .mtime = get_le32(reply + 12)};
    stat.exists = stat.mode != 0;
    *ret_stat = stat;
    return true;
}

/* A whole header is there: what does it announce? */
static bool sync_head(
    struct mgc_adb_sync_parser *parser, enum mgc_adb_sync_event *ret_event, struct mgc_error *err)
{
    char shown[8];
    uint32_t value = get_le32(parser->head + 4);
    *ret_event = MGC_ADB_SYNC_MORE;
    if (memcmp(parser->head, "DATA", 4) == 0) {
        if (value > MGC_ADB_SYNC_DATA_MAX)
            return mgc_error_set(err, MGC_E_PROTOCOL, "sync DATA of %lu bytes, at most %d allowed",
                (unsigned long)value, MGC_ADB_SYNC_DATA_MAX);
        parser->left = value;
    } else if (memcmp(parser->head, "FAIL", 4) == 0) {
        if (value > MGC_ADB_REQUEST_MAX)
            return mgc_error_set(err, MGC_E_PROTOCOL, "sync FAIL text of %lu bytes, at most %d",
                (unsigned long)value, MGC_ADB_REQUEST_MAX);
        parser->failing = true;
        parser->left = value;
        if (!value)
            *ret_event = MGC_ADB_SYNC_FAIL;
    } else if (memcmp(parser->head, "DONE", 4) == 0) {
        *ret_event = MGC_ADB_SYNC_DONE;
    } else if (memcmp(parser->head, "OKAY", 4) == 0) {
        *ret_event = MGC_ADB_SYNC_OKAY;
    } else {
        return mgc_error_set(err, MGC_E_PROTOCOL, "unexpected sync id \"%s\" from the device",
            id_text(parser->head, shown));
    }
    return true;
}

/* Part of a FAIL text; true once it is whole. */
static bool sync_fail_text(struct mgc_adb_sync_parser *parser, const char *piece, size_t len)
{
    size_t room = MGC_ADB_SYNC_FAIL_MAX - parser->fail_len;
    size_t keep = len < room ? len : room;
    memcpy(parser->fail + parser->fail_len, piece, keep);
    parser->fail_len += keep;
    parser->fail[parser->fail_len] = '\0';
    return parser->left == 0;
}

bool mgc_adb_wire_sync_next(struct mgc_adb_sync_parser *parser, const char *data, size_t len,
    size_t *ret_used, enum mgc_adb_sync_event *ret_event, const char **ret_piece,
    size_t *ret_piece_len, struct mgc_error *err)
{
    size_t used = 0;
    enum mgc_adb_sync_event event = MGC_ADB_SYNC_MORE;
    *ret_piece = NULL;
    *ret_piece_len = 0;
    while (used < len && event == MGC_ADB_SYNC_MORE) {
        if (parser->left == 0) {
            if (!take_head(parser->head, &parser->head_len, MGC_ADB_SYNC_HEAD, data, len, &used))
                break;
            parser->head_len = 0;
            if (!sync_head(parser, &event, err))
                return false;
            continue;
        }
        size_t take = parser->left < len - used ? parser->left : len - used;
        const char *piece = data + used;
        used += take;
        parser->left -= (uint32_t)take;
        if (!parser->failing) {
            *ret_piece = piece;
            *ret_piece_len = take;
            event = MGC_ADB_SYNC_DATA;
        } else if (sync_fail_text(parser, piece, take)) {
            event = MGC_ADB_SYNC_FAIL;
        }
    }
    *ret_used = used;
    *ret_event = event;
    return true;
}
