/* The JSON dump of MGPipe's counters. */
#include <string.h>

#include "common/contract/pipe_stats.h"
#include "common/json/json.h"

static bool take_count(
    const char *where, const char *name, const json_t *value, int64_t *ret, struct mgc_error *err)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *ret = json_integer_value(value);
        return true;
    }
    return mgc_error_set(
        err, MGC_E_PROTOCOL, "pipe stats: %s.%.60s is not a count of 0 or more", where, name);
}

static bool take_counter(struct mgc_pipe_stats *stats, const char *group, const char *name,
    const json_t *value, struct mgc_error *err)
{
    for (int i = 0; i < MGC_PIPE_COUNTER_COUNT; i++) {
        const struct mgc_pipe_counter_row *row = mgc_pipe_counter_row((enum mgc_pipe_counter)i);
        if (strcmp(row->group, group) == 0 && strcmp(row->name, name) == 0)
            return stats->has[i] = take_count(group, name, value, &stats->values[i], err);
    }
    stats->unknown_keys++;
    return true;
}

static bool take_group(
    struct mgc_pipe_stats *stats, const char *group, const json_t *object, struct mgc_error *err)
{
    const char *name;
    json_t *value;
    if (!json_is_object(object))
        return mgc_error_set(err, MGC_E_PROTOCOL, "pipe stats: \"%s\" is not an object", group);
    json_object_foreach((json_t *)object, name, value)
    {
        if (!take_counter(stats, group, name, value, err))
            return false;
    }
    return true;
}

static bool take_gate(
    struct mgc_pipe_gate *gate, const char *name, const json_t *object, struct mgc_error *err)
{
    gate->present = take_count(name, "hit", json_object_get(object, "hit"), &gate->hit, err) &&
                    take_count(name, "miss", json_object_get(object, "miss"), &gate->miss, err);
    return gate->present;
}

static bool take_gates(struct mgc_pipe_stats *stats, const json_t *object, struct mgc_error *err)
{
    const char *name;
    json_t *value;
    if (!json_is_object(object))
        return mgc_error_set(err, MGC_E_PROTOCOL, "pipe stats: \"gates\" is not an object");
    json_object_foreach((json_t *)object, name, value)
    {
        size_t gate = 0;
        while (gate < MGC_PIPE_GATES && strcmp(mgc_pipe_gate_name(gate), name) != 0)
            gate++;
        if (gate == MGC_PIPE_GATES)
            stats->unknown_keys++;
        else if (!take_gate(&stats->gates[gate], name, value, err))
            return false;
    }
    return true;
}

static bool take_histogram(struct mgc_pipe_histogram *histogram, const char *name,
    const json_t *array, struct mgc_error *err)
{
    size_t count = json_array_size(array);
    if (!json_is_array(array) || count > MGC_PIPE_HIST_MAX)
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "pipe stats: \"%s\" is not a list of at most %d counts", name, MGC_PIPE_HIST_MAX);
    for (size_t i = 0; i < count; i++) {
        if (!take_count(name, "bin", json_array_get(array, i), &histogram->bins[i], err))
            return false;
    }
    histogram->count = count;
    return true;
}

static bool take_key(
    struct mgc_pipe_stats *stats, const char *name, const json_t *value, struct mgc_error *err)
{
    if (strcmp(name, "frames") == 0)
        return stats->has_frames = take_count("dump", name, value, &stats->frames, err);
    if (strcmp(name, "bytes") == 0 || strcmp(name, "calls") == 0 || strcmp(name, "wire") == 0)
        return take_group(stats, name, value, err);
    if (strcmp(name, "gates") == 0)
        return take_gates(stats, value, err);
    if (strcmp(name, "cmd-bytes-per-draw-histogram") == 0)
        return take_histogram(&stats->cmd_bytes_per_draw, name, value, err);
    if (strcmp(name, "staged-blob-bytes-histogram") == 0)
        return take_histogram(&stats->staged_blob_bytes, name, value, err);
    stats->unknown_keys++;
    return true;
}

bool mgc_pipe_stats_parse(
    const void *data, size_t len, struct mgc_pipe_stats *ret, struct mgc_error *err)
{
    *ret = (struct mgc_pipe_stats){0};
    json_t *object = mgc_json_parse(data, len, MGC_PIPE_STATS_MAX_BYTES, err);
    if (!object)
        return mgc_error_prefix(err, "pipe stats");
    bool ok = json_is_object(object) ||
              mgc_error_set(err, MGC_E_PROTOCOL, "pipe stats: not a JSON object");
    const char *name;
    json_t *value;
    if (ok) {
        json_object_foreach(object, name, value)
        {
            if (!take_key(ret, name, value, err)) {
                ok = false;
                break;
            }
        }
    }
    json_decref(object);
    if (!ok)
        *ret = (struct mgc_pipe_stats){0};
    return ok;
}
