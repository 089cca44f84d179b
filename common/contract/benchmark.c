#include "common/contract/benchmark.h"

#include <stdlib.h>
#include <string.h>

#include "common/contract/scalars.h"
#include "common/json/json.h"

static const struct contract_key keys[] = {
    {"tracePath", MGC_VALUE_STRING},
    {"backend", MGC_VALUE_STRING},
    {"benchmarkFinish", MGC_VALUE_BOOL},
    {"width", MGC_VALUE_INT},
    {"height", MGC_VALUE_INT},
    {"totalFrames", MGC_VALUE_INT, true},
    {"tailFrames", MGC_VALUE_INT, true},
    {"totalSeconds", MGC_VALUE_DOUBLE, true},
    {"meanFrameMs", MGC_VALUE_DOUBLE, true},
    {"medianFrameMs", MGC_VALUE_DOUBLE, true},
    {"p95FrameMs", MGC_VALUE_DOUBLE, true},
    {"fps", MGC_VALUE_DOUBLE, true},
    {"meanFrameCpuMs", MGC_VALUE_DOUBLE, true},
    {"medianFrameCpuMs", MGC_VALUE_DOUBLE, true},
    {"p95FrameCpuMs", MGC_VALUE_DOUBLE, true},
};

static bool take_series(
    struct mgc_frame_series *series, const char *name, const json_t *array, struct mgc_error *err)
{
    if (json_is_null(array))
        return true;
    size_t count = json_array_size(array);
    if (!json_is_array(array) || count > MGC_BENCHMARK_MAX_FRAMES)
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "benchmark.json: key \"%s\" is not a list of at most %zu numbers", name,
            MGC_BENCHMARK_MAX_FRAMES);
    series->values = calloc(count ? count : 1, sizeof(double));
    if (!series->values)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "benchmark.json: no memory for \"%s\"", name);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_number(value) || json_number_value(value) < 0)
            return mgc_error_set(
                err, MGC_E_PROTOCOL, "benchmark.json: %s[%zu] is not a number of ms >= 0", name, i);
        series->values[i] = json_number_value(value);
    }
    series->count = count;
    series->present = true;
    return true;
}

static bool take_key(
    struct mgc_benchmark_doc *doc, const char *name, const json_t *value, struct mgc_error *err)
{
    const struct contract_key *key = contract_key_find(keys, sizeof(keys) / sizeof(keys[0]), name);
    if (key)
        return contract_scalar_set(&doc->fields, key, value, "benchmark.json", err);
    if (strcmp(name, "frameTimesMs") == 0)
        return take_series(&doc->frame_times_ms, name, value, err);
    if (strcmp(name, "frameCpuTimesMs") == 0)
        return take_series(&doc->frame_cpu_times_ms, name, value, err);
    doc->unknown_keys++;
    return true;
}

static bool take_all(struct mgc_benchmark_doc *doc, json_t *object, struct mgc_error *err)
{
    if (!json_is_object(object))
        return mgc_error_set(err, MGC_E_PROTOCOL, "benchmark.json: not a JSON object");
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (!take_key(doc, name, value, err))
            return false;
    }
    size_t cpu = doc->frame_cpu_times_ms.count;
    if (cpu && doc->frame_times_ms.present && cpu != doc->frame_times_ms.count)
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "benchmark.json: frameCpuTimesMs has %zu values, frameTimesMs has %zu", cpu,
            doc->frame_times_ms.count);
    return true;
}

bool mgc_benchmark_parse(
    const void *data, size_t len, struct mgc_benchmark_doc *ret_doc, struct mgc_error *err)
{
    *ret_doc = (struct mgc_benchmark_doc){0};
    json_t *object = mgc_json_parse(data, len, MGC_BENCHMARK_MAX_BYTES, err);
    if (!object)
        return mgc_error_prefix(err, "benchmark.json");
    bool ok = take_all(ret_doc, object, err);
    json_decref(object);
    if (!ok)
        mgc_benchmark_destroy(ret_doc);
    return ok;
}

void mgc_benchmark_destroy(struct mgc_benchmark_doc *doc)
{
    if (!doc)
        return;
    mgc_fields_destroy(&doc->fields);
    free(doc->frame_times_ms.values);
    free(doc->frame_cpu_times_ms.values);
    *doc = (struct mgc_benchmark_doc){0};
}
