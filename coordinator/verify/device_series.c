#include "coordinator/verify/device_series.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/parse.h"

#define HEADER "# mgdevice state "

void mgc_series_destroy(struct mgc_series *series)
{
    if (!series)
        return;
    free(series->t_ns);
    free(series->values);
    free(series->known);
    series->t_ns = series->values = NULL;
    series->known = NULL;
    series->row_count = series->row_cap = series->column_count = 0;
}

/* One comma-separated value after the other; false at the end of the line. */
struct cursor {
    const char *at, *end;
    bool done;
};

static bool next_value(struct cursor *cursor, char *ret_text, size_t size)
{
    if (cursor->done)
        return false;
    const char *comma = memchr(cursor->at, ',', (size_t)(cursor->end - cursor->at));
    const char *stop = comma ? comma : cursor->end;
    size_t len = (size_t)(stop - cursor->at);
    if (len >= size)
        len = size - 1;
    memcpy(ret_text, cursor->at, len);
    ret_text[len] = '\0';
    cursor->done = !comma;
    cursor->at = comma ? comma + 1 : cursor->end;
    return true;
}

static bool parse_head(struct mgc_series *series, const char *line, size_t len)
{
    char text[128], number[24] = "";
    if (len < sizeof(HEADER) - 1 || memcmp(line, HEADER, sizeof(HEADER) - 1) != 0 ||
        len >= sizeof(text))
        return false;
    memcpy(text, line, len);
    text[len] = '\0';
    const char *period = strstr(text, "period_ms=");
    if (!period || !strstr(text, "clock=monotonic"))
        return false;
    period += strlen("period_ms=");
    size_t digits = strspn(period, "0123456789");
    if (digits >= sizeof(number))
        return false;
    memcpy(number, period, digits);
    return mgc_parse_int(number, 1, 3600000, &series->period_ms);
}

static bool parse_names(struct mgc_series *series, const char *line, size_t len)
{
    struct cursor cursor = {line, line + len, false};
    char name[MGC_SERIES_NAME_MAX + 2];
    if (!next_value(&cursor, name, sizeof(name)) || strcmp(name, "t_ns") != 0)
        return false;
    while (next_value(&cursor, name, sizeof(name))) {
        if (!*name || strlen(name) > MGC_SERIES_NAME_MAX ||
            series->column_count == MGC_SERIES_COLUMNS_MAX)
            return false;
        memcpy(series->names[series->column_count++], name, strlen(name) + 1);
    }
    return true;
}

static bool grow(struct mgc_series *series)
{
    size_t cap = series->row_cap ? series->row_cap * 2 : 64;
    size_t cells = cap * (series->column_count ? series->column_count : 1);
    int64_t *t_ns = realloc(series->t_ns, cap * sizeof(*t_ns));
    if (t_ns)
        series->t_ns = t_ns;
    int64_t *values = realloc(series->values, cells * sizeof(*values));
    if (values)
        series->values = values;
    bool *known = realloc(series->known, cells * sizeof(*known));
    if (known)
        series->known = known;
    if (!t_ns || !values || !known)
        return false;
    series->row_cap = cap;
    return true;
}

/* False: a value that is no number, too few or too many of them, or time that does not rise. */
static bool parse_row(struct mgc_series *series, const char *line, size_t len)
{
    struct cursor cursor = {line, line + len, false};
    size_t row = series->row_count, column = 0;
    char text[32];
    if (!next_value(&cursor, text, sizeof(text)) ||
        !mgc_parse_int(text, 0, INT64_MAX, &series->t_ns[row]) ||
        (row && series->t_ns[row] <= series->t_ns[row - 1]))
        return false;
    for (; next_value(&cursor, text, sizeof(text)); column++) {
        size_t at = row * series->column_count + column;
        if (column == series->column_count)
            return false;
        series->known[at] = *text != '\0';
        series->values[at] = 0;
        if (*text && !mgc_parse_int(text, INT64_MIN, INT64_MAX, &series->values[at]))
            return false;
    }
    if (column != series->column_count)
        return false;
    series->row_count++;
    return true;
}

static bool take_line(
    struct mgc_series *series, size_t number, const char *line, size_t len, struct mgc_error *err)
{
    if (number == 1)
        return parse_head(series, line, len) ||
               mgc_error_set(
                   err, MGC_E_PROTOCOL, "line 1: expected '" HEADER "period_ms=N clock=monotonic'");
    if (number == 2)
        return parse_names(series, line, len) ||
               mgc_error_set(err, MGC_E_PROTOCOL, "line 2: expected 't_ns' and up to %d names",
                   MGC_SERIES_COLUMNS_MAX);
    if (series->row_count == MGC_SERIES_ROWS_MAX)
        return mgc_error_set(err, MGC_E_PROTOCOL, "more than %d rows", MGC_SERIES_ROWS_MAX);
    if (series->row_count == series->row_cap && !grow(series))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for %zu rows", series->row_count);
    return parse_row(series, line, len) ||
           mgc_error_set(err, MGC_E_PROTOCOL,
               "line %zu: expected a rising time and %zu integers or nothing", number,
               series->column_count);
}

bool mgc_series_parse(
    const char *text, size_t len, struct mgc_series *ret_series, struct mgc_error *err)
{
    *ret_series = (struct mgc_series){0};
    const char *at = text, *end = text + len;
    size_t number = 0;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) {
            ret_series->cut = true;
            break;
        }
        size_t line_len = (size_t)(newline - at);
        if (line_len && newline[-1] == '\r')
            line_len--;
        if (!take_line(ret_series, ++number, at, line_len, err)) {
            mgc_series_destroy(ret_series);
            return false;
        }
        at = newline + 1;
    }
    if (number >= 2)
        return true;
    mgc_series_destroy(ret_series);
    return mgc_error_set(err, MGC_E_PROTOCOL, "it has no header of two lines");
}

size_t mgc_series_column(const struct mgc_series *series, const char *name)
{
    size_t i = 0;
    while (i < series->column_count && strcmp(series->names[i], name) != 0)
        i++;
    return i;
}

bool mgc_series_get(const struct mgc_series *series, size_t row, size_t column, int64_t *ret_value)
{
    if (row >= series->row_count || column >= series->column_count)
        return false;
    size_t at = row * series->column_count + column;
    if (!series->known[at])
        return false;
    *ret_value = series->values[at];
    return true;
}

void mgc_series_window(const struct mgc_series *series, int64_t from_ns, int64_t to_ns,
    size_t *ret_first, size_t *ret_end)
{
    int64_t near_ns = 2 * series->period_ms * MGC_NS_PER_MS;
    size_t first = 0, end = series->row_count;
    while (first < series->row_count && series->t_ns[first] < from_ns)
        first++;
    while (end > first && series->t_ns[end - 1] > to_ns)
        end--;
    if (first > 0 && from_ns - series->t_ns[first - 1] <= near_ns)
        first--;
    if (end < series->row_count && series->t_ns[end] - to_ns <= near_ns)
        end++;
    *ret_first = first;
    *ret_end = end;
}
