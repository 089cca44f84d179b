/* Take one thing away from a good attempt: it must not be measured any more, unless that thing is
 * listed here as one that proves nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "tests/lib/check.h"
#include "tests/unit/verify/fixture.h"

static const char *const modes[] = {"benchmark", "ssim"};

static bool is_listed(const char *const *list, const char *text)
{
    for (; *list; list++) {
        if (strstr(text, *list))
            return true;
    }
    return false;
}

/* Judge without `what`, then take the attempt down. */
static void judge_without(struct fixture *f, const char *where, const char *what, bool optional)
{
    fixture_judge(f);
    bool measured = f->verdict.state == MGC_VERDICT_MEASURED;
    if (measured != optional)
        fail_msg("%s without '%s' is %s (%s), expected %s", where, what,
            mgc_verdict_state_name(f->verdict.state), f->verdict.reason,
            optional ? "measured" : "not measured");
    fixture_destroy(f);
}

static void every_file_is_needed(void **state)
{
    static const char *const files[] = {"result.json", "mobilegl.client.log", "mgl.server.log",
        "phone-logcat.txt", "device-state.csv", "benchmark.json"};
    for (int mode = 0; mode < 2; mode++) {
        for (size_t i = 0; i < (mode ? 5 : 6); i++) {
            struct fixture f;
            fixture_make(&f, mode ? MGC_MODE_SSIM : MGC_MODE_BENCHMARK);
            fixture_remove(&f, files[i]);
            judge_without(&f, modes[mode], files[i], false);
        }
    }
}

/* Facts that identify or describe, without which the measurement is the same one. */
static const char *const optional_facts[] = {"wall_s", "trace_sha256", "session_reaped",
    "server.boot_id", "battery_temp_dc", "gate_waited_ms", "load", "free_bytes", "cpus", NULL};

static void every_fact_is_needed(void **state)
{
    for (int step = 0; step < FIXTURE_STEPS; step++) {
        for (size_t i = 0;; i++) {
            struct fixture f;
            fixture_make(&f, MGC_MODE_BENCHMARK);
            struct mgc_fields *facts = &f.outcomes[step].facts;
            if (i == facts->count) {
                fixture_destroy(&f);
                break;
            }
            char name[64], full[96];
            snprintf(name, sizeof(name), "%s", facts->items[i].name);
            snprintf(full, sizeof(full), "%s.%s", f.steps[step].id, name);
            mgc_fields_remove(facts, name);
            judge_without(&f, f.steps[step].id, name, is_listed(optional_facts, full));
        }
    }
}

/* Length of line `n` of the text with its newline, its place in *ret_at; 0 when there is none. */
static size_t line_at(const char *text, size_t n, const char **ret_at)
{
    for (; n && *text; n--)
        text += strcspn(text, "\n") + 1;
    *ret_at = text;
    return *text ? strcspn(text, "\n") + 1 : 0;
}

/* Numbers come from the metrics' lines, proof does not. */
static const char *const optional_lines[] = {"Accepted env variable", "P65LinkMetrics", NULL};

static void every_line_of_the_client_is_needed(void **state)
{
    size_t needed = 0;
    for (size_t n = 0;; n++) {
        struct fixture f;
        fixture_make(&f, MGC_MODE_BENCHMARK);
        char *text = fixture_text(&f, "mobilegl.client.log");
        const char *at;
        size_t len = line_at(text, n, &at);
        if (!len) {
            free(text);
            fixture_destroy(&f);
            break;
        }
        char *line = strndup(at, len);
        memmove(text + (at - text), at + len, strlen(at + len) + 1);
        fixture_put(&f, "mobilegl.client.log", text);
        bool optional = is_listed(optional_lines, line);
        needed += !optional;
        judge_without(&f, "client's log", line, optional);
        free(line);
        free(text);
    }
    assert_int_equal(needed, 5);
}

/* What the document says of itself beside the measurement. */
static const char *const optional_keys[] = {"message", "backend", "mismatchPixels", "tracePath",
    "totalSeconds", "meanFrameCpuMs", "frameCpuTimesMs", NULL};

static bool is_optional_key(int mode, const char *name)
{
    /* They say nothing where no picture is compared; the mode is known from benchmark.json. */
    if (mode == 0 && (strcmp(name, "ssim") == 0 || strcmp(name, "benchmark") == 0))
        return true;
    return is_listed(optional_keys, name);
}

static void drop_key(const char *file, int mode, const char *name)
{
    struct fixture f;
    fixture_make(&f, mode ? MGC_MODE_SSIM : MGC_MODE_BENCHMARK);
    json_t *doc = json_load_file(fixture_path(&f, file), 0, NULL);
    assert_int_equal(json_object_del(doc, name), 0);
    char *text = json_dumps(doc, 0);
    fixture_put(&f, file, text);
    free(text);
    json_decref(doc);
    /* In a benchmark, result.json's size is not the one that counts. */
    bool size = strcmp(name, "width") == 0 || strcmp(name, "height") == 0;
    bool optional =
        is_optional_key(mode, name) || (size && mode == 0 && strcmp(file, "result.json") == 0);
    judge_without(&f, file, name, optional);
}

static void drop_each_key(const char *file, int mode)
{
    struct fixture f;
    fixture_make(&f, mode ? MGC_MODE_SSIM : MGC_MODE_BENCHMARK);
    json_t *doc = json_load_file(fixture_path(&f, file), 0, NULL), *value;
    fixture_destroy(&f);
    assert_non_null(doc);
    const char *name;
    json_object_foreach(doc, name, value)
    {
        drop_key(file, mode, name);
    }
    json_decref(doc);
}

static void every_key_is_needed(void **state)
{
    drop_each_key("result.json", 0);
    drop_each_key("result.json", 1);
    drop_each_key("benchmark.json", 0);
}

/* However far the writer got, a file that is cut is not measured, or it is whole. */
static void a_cut_document_is_never_measured(void **state)
{
    static const char *const files[] = {"result.json", "benchmark.json"};
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        fixture_make(&f, MGC_MODE_BENCHMARK);
        char *text = fixture_text(&f, files[i]);
        size_t whole = strlen(text) - 1; /* its last newline may be missing */
        for (size_t len = 0; len < whole; len++) {
            char *cut = strndup(text, len);
            fixture_put(&f, files[i], cut);
            free(cut);
            fixture_judge(&f);
            if (f.verdict.state == MGC_VERDICT_MEASURED)
                fail_msg("%s cut at %zu of %zu is measured", files[i], len, whole);
        }
        free(text);
        fixture_destroy(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_needed),
        cmocka_unit_test(every_fact_is_needed),
        cmocka_unit_test(every_line_of_the_client_is_needed),
        cmocka_unit_test(every_key_is_needed),
        cmocka_unit_test(a_cut_document_is_never_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
