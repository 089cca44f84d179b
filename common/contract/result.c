#include "common/contract/result.h"

#include <stdlib.h>
#include <string.h>

#include "common/contract/scalars.h"
#include "common/json/json.h"

enum { ALTERNATES_MAX = 64 };

static const struct contract_key keys[] = {
    {"passed", MGC_VALUE_BOOL},
    {"statusCode", MGC_VALUE_INT},
    {"message", MGC_VALUE_STRING},
    {"tracePath", MGC_VALUE_STRING},
    {"goldenPath", MGC_VALUE_STRING},
    {"matchedGoldenPath", MGC_VALUE_STRING},
    {"actualPath", MGC_VALUE_STRING},
    {"diffPath", MGC_VALUE_STRING},
    {"backend", MGC_VALUE_STRING},
    {"angleVariant", MGC_VALUE_STRING},
    {"angleLibraryDir", MGC_VALUE_STRING},
    {"targetFrame", MGC_VALUE_INT, true},
    {"targetCall", MGC_VALUE_INT, true},
    {"width", MGC_VALUE_INT},
    {"height", MGC_VALUE_INT},
    {"cropX", MGC_VALUE_INT},
    {"cropY", MGC_VALUE_INT},
    {"cropWidth", MGC_VALUE_INT},
    {"cropHeight", MGC_VALUE_INT},
    {"holdMs", MGC_VALUE_INT},
    {"mismatchPixels", MGC_VALUE_INT, true},
    {"ssim", MGC_VALUE_DOUBLE, true},
    {"ssimThreshold", MGC_VALUE_DOUBLE},
    {"useAngle", MGC_VALUE_BOOL},
    {"usePbuffer", MGC_VALUE_BOOL},
    {"avoidAngleLlvmpipeSamplerMipmapMinFilter", MGC_VALUE_BOOL},
    {"avoidAngleLlvmpipeExplicitLodBias", MGC_VALUE_BOOL},
    {"fixIterationRPSubgroupScratch", MGC_VALUE_BOOL},
    {"deriveNumSubgroups", MGC_VALUE_BOOL},
    {"iterationRPFixBarrier", MGC_VALUE_BOOL},
    {"benchmark", MGC_VALUE_BOOL},
    {"benchmarkFinish", MGC_VALUE_BOOL},
    {"benchmarkResultPath", MGC_VALUE_STRING},
    {"benchmarkFrames", MGC_VALUE_INT, true},
    {"benchmarkTailFrames", MGC_VALUE_INT, true},
    {"benchmarkTotalSeconds", MGC_VALUE_DOUBLE, true},
    {"benchmarkMeanFrameMs", MGC_VALUE_DOUBLE, true},
    {"benchmarkMedianFrameMs", MGC_VALUE_DOUBLE, true},
    {"benchmarkP95FrameMs", MGC_VALUE_DOUBLE, true},
    {"benchmarkMeanFrameCpuMs", MGC_VALUE_DOUBLE, true},
    {"benchmarkMedianFrameCpuMs", MGC_VALUE_DOUBLE, true},
    {"benchmarkP95FrameCpuMs", MGC_VALUE_DOUBLE, true},
    {"benchmarkFps", MGC_VALUE_DOUBLE, true},
};

const char *mgc_result_status_name(int64_t status)
{
    static const char *const names[] = {
        "OK",
        "INVALID_ARGUMENT",
        "IO_ERROR",
        "MOBILEGL_LOAD_ERROR",
        "RETRACE_NOT_LINKED",
        "RETRACE_FAILED",
        "COMPARE_FAILED",
    };
    if (status < 0 || status >= (int64_t)(sizeof(names) / sizeof(names[0])))
        return NULL;
    return names[status];
}

static bool take_alternates(struct mgc_result_doc *doc, const json_t *array, struct mgc_error *err)
{
    if (json_is_null(array))
        return true;
    size_t count = json_array_size(array);
    if (!json_is_array(array) || count > ALTERNATES_MAX)
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "result.json: key \"alternateGoldenPaths\" is not a list of at most %d strings",
            ALTERNATES_MAX);
    doc->alternate_goldens = calloc(count ? count : 1, sizeof(char *));
    if (!doc->alternate_goldens)
        return mgc_error_set(err, MGC_E_NO_MEMORY, "result.json: no memory for golden paths");
    for (size_t i = 0; i < count; i++) {
        const char *path = json_string_value(json_array_get(array, i));
        if (!path)
            return mgc_error_set(
                err, MGC_E_PROTOCOL, "result.json: alternateGoldenPaths[%zu] is not a string", i);
        doc->alternate_goldens[i] = strdup(path);
        if (!doc->alternate_goldens[i])
            return mgc_error_set(err, MGC_E_NO_MEMORY, "result.json: no memory for golden paths");
        doc->alternate_golden_count = i + 1;
    }
    return true;
}

static bool take_all(struct mgc_result_doc *doc, json_t *object, struct mgc_error *err)
{
    if (!json_is_object(object))
        return mgc_error_set(err, MGC_E_PROTOCOL, "result.json: not a JSON object");
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        const struct contract_key *key =
            contract_key_find(keys, sizeof(keys) / sizeof(keys[0]), name);
        bool ok = true;
        if (key)
            ok = contract_scalar_set(&doc->fields, key, value, "result.json", err);
        else if (strcmp(name, "alternateGoldenPaths") == 0)
            ok = take_alternates(doc, value, err);
        else
            doc->unknown_keys++;
        if (!ok)
            return false;
    }
    return true;
}

bool mgc_result_parse(
    const void *data, size_t len, struct mgc_result_doc *ret_doc, struct mgc_error *err)
{
    *ret_doc = (struct mgc_result_doc){0};
    json_t *object = mgc_json_parse(data, len, MGC_RESULT_MAX_BYTES, err);
    if (!object)
        return mgc_error_prefix(err, "result.json");
    bool ok = take_all(ret_doc, object, err);
    json_decref(object);
    if (!ok)
        mgc_result_destroy(ret_doc);
    return ok;
}

void mgc_result_destroy(struct mgc_result_doc *doc)
{
    if (!doc)
        return;
    mgc_fields_destroy(&doc->fields);
    for (size_t i = 0; i < doc->alternate_golden_count; i++)
        free(doc->alternate_goldens[i]);
    free(doc->alternate_goldens);
    *doc = (struct mgc_result_doc){0};
}

bool mgc_result_passed(const struct mgc_result_doc *doc, bool *ret_passed)
{
    return mgc_fields_get_bool(&doc->fields, "passed", ret_passed);
}

bool mgc_result_status(const struct mgc_result_doc *doc, int64_t *ret_status)
{
    return mgc_fields_get_int(&doc->fields, "statusCode", ret_status);
}
