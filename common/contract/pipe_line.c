/* "MGPipe stats:" lines. */
#include <string.h>

#include "common/base/parse.h"
#include "common/contract/pipe_stats.h"

static const char mark[] = "MGPipe stats: ";

static const char *const names[MGC_PIPE_LINE_KEY_COUNT] = {
    [MGC_PIPE_LINE_WINDOW] = "window",
    [MGC_PIPE_LINE_DRAWS] = "draws",
    [MGC_PIPE_LINE_ACC] = "acc",
    [MGC_PIPE_LINE_WREC] = "wrec",
    [MGC_PIPE_LINE_FRAMES] = "frames",
    [MGC_PIPE_LINE_MAXREC] = "maxrec",
    [MGC_PIPE_LINE_MAXCAP] = "maxcap",
    [MGC_PIPE_LINE_RINGWRAPS] = "ringwraps",
    [MGC_PIPE_LINE_RINGPADS] = "ringpads",
    [MGC_PIPE_LINE_RINGWAITS] = "ringwaits",
    [MGC_PIPE_LINE_SRV] = "srv",
    [MGC_PIPE_LINE_SRVPARK] = "srvpark",
    [MGC_PIPE_LINE_CLI] = "cli",
    [MGC_PIPE_LINE_CLIPARK] = "clipark",
};

/* "name=value"; brackets of the sections are in front of a name or behind a value. */
static bool take_word(struct mgc_pipe_line *line, const char *name, const char *value)
{
    if (strcmp(name, "draws/f") == 0) {
        line->has_draws_per_frame = mgc_parse_double(value, &line->draws_per_frame);
        return line->has_draws_per_frame || strcmp(value, "n/a") == 0;
    }
    for (int i = 0; i < MGC_PIPE_LINE_KEY_COUNT; i++) {
        if (strcmp(name, names[i]) == 0)
            return line->has[i] = mgc_parse_int(value, 0, INT64_MAX, &line->values[i]);
    }
    return true;
}

static enum mgc_pipe_line_kind parse_words(
    char *text, struct mgc_pipe_line *line, struct mgc_error *err)
{
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *open = strchr(word, '['), *name = open ? open + 1 : word;
        char *equals = strchr(name, '=');
        if (!equals)
            continue;
        *equals = '\0';
        char *value = equals + 1;
        value[strcspn(value, "]")] = '\0';
        if (!take_word(line, name, value)) {
            mgc_error_set(err, MGC_E_PROTOCOL,
                "MGPipe stats: \"%.40s=%.40s\" is not a value of its kind", name, value);
            return MGC_PIPE_LINE_BAD;
        }
    }
    return MGC_PIPE_LINE_STATS;
}

enum mgc_pipe_line_kind mgc_pipe_line_parse(
    const char *line, struct mgc_pipe_line *ret, struct mgc_error *err)
{
    const char *at = strstr(line, mark);
    char words[MGC_LINE_MAX + 1];
    *ret = (struct mgc_pipe_line){0};
    if (!at)
        return MGC_PIPE_LINE_NONE;
    at += sizeof(mark) - 1;
    if (strncmp(at, "frames=", 7) != 0)
        return MGC_PIPE_LINE_BANNER;
    size_t len = strlen(at);
    if (len > MGC_LINE_MAX) {
        mgc_error_set(err, MGC_E_PROTOCOL, "MGPipe stats: a line of %zu bytes", len);
        return MGC_PIPE_LINE_BAD;
    }
    memcpy(words, at, len + 1);
    enum mgc_pipe_line_kind kind = parse_words(words, ret, err);
    if (kind != MGC_PIPE_LINE_STATS)
        *ret = (struct mgc_pipe_line){0};
    return kind;
}
