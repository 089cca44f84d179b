#include <string.h>

#include "common/json/json.h"
#include "coordinator/store/manifest.h"
#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"

static json_t *read_back(void)
{
    struct mgc_buf text = {0};
    assert_true(mgc_file_read(tmpdir_file("manifest.json"), 100000, &text, NULL));
    json_t *doc = mgc_json_parse(text.data, text.len, 100000, NULL);
    mgc_buf_destroy(&text);
    assert_string_equal(json_string_value(json_object_get(doc, "schema")), "mgcoord-manifest-1");
    return doc;
}

static const char *text_of(const json_t *doc, size_t row, const char *key)
{
    return json_string_value(
        json_object_get(json_array_get(json_object_get(doc, "files"), row), key));
}

static void files_have_size_hash_and_origin(void **state)
{
    struct mgc_artifact files[] = {
        {.name = (char *)"result.json",
            .size_bytes = 12,
            .sha256 = "ab",
            .raw_sha256 = "cd",
            .masked_count = 2},
        {.name = (char *)"rc.txt", .sha256 = "ef", .raw_sha256 = "ef"},
    };
    struct mgc_msg_result result = {.artifacts = files, .artifact_count = 2};
    struct mgc_step step = {
        .id = (char *)"replay", .kind = (char *)"wsl.replay", .role = MGC_ROLE_WSL};
    struct mgc_error good = {0}, bad;
    mgc_error_set(&bad, MGC_E_INTEGRITY, "3 bytes of \xff are missing");
    struct mgc_manifest *manifest = mgc_manifest_new();
    assert_true(mgc_manifest_add(manifest, &step, &result, &good));
    assert_true(mgc_manifest_write(manifest, tmpdir_path, NULL));
    result.artifact_count = 1;
    assert_true(mgc_manifest_add(manifest, &step, &result, &bad));
    assert_true(mgc_manifest_write(manifest, tmpdir_path, NULL)); /* replaces the earlier one */
    mgc_manifest_free(manifest);

    json_t *doc = read_back(), *rows = json_object_get(doc, "files");
    assert_int_equal(json_array_size(rows), 3);
    json_t *first = json_array_get(rows, 0);
    assert_int_equal(json_integer_value(json_object_get(first, "size_bytes")), 12);
    assert_int_equal(json_integer_value(json_object_get(first, "secrets_masked")), 2);
    assert_string_equal(text_of(doc, 0, "name"), "result.json");
    assert_string_equal(text_of(doc, 0, "sha256"), "ab");
    assert_string_equal(text_of(doc, 0, "sha256_before_masking"), "cd");
    assert_string_equal(text_of(doc, 0, "step"), "replay");
    assert_string_equal(text_of(doc, 0, "kind"), "wsl.replay");
    assert_string_equal(text_of(doc, 0, "role"), "wsl");
    assert_string_equal(text_of(doc, 0, "storage"), "verified");
    assert_string_equal(text_of(doc, 1, "name"), "rc.txt");
    assert_string_equal(text_of(doc, 2, "storage"), "3 bytes of ? are missing");
    json_decref(doc);
}

static void an_attempt_without_files_has_an_empty_list(void **state)
{
    struct mgc_manifest *manifest = mgc_manifest_new();
    struct mgc_error err;
    assert_true(mgc_manifest_write(manifest, tmpdir_path, NULL));
    assert_false(mgc_manifest_write(manifest, tmpdir_file("nowhere"), &err));
    assert_non_null(strstr(err.text, "nowhere"));
    mgc_manifest_free(manifest);
    mgc_manifest_free(NULL);
    json_t *doc = read_back();
    assert_int_equal(json_array_size(json_object_get(doc, "files")), 0);
    json_decref(doc);
}

static void what_is_kept_back_is_listed(void **state)
{
    struct mgc_msg_result result = {0};
    struct mgc_step step = {
        .id = (char *)"replay", .kind = (char *)"wsl.replay", .role = MGC_ROLE_WSL};
    struct mgc_error good = {0};
    struct mgc_manifest *manifest = mgc_manifest_new();
    (void)state;
    mgc_fields_set_str(&result.facts, "quarantined", "actual.png,diff.png");
    assert_true(mgc_manifest_add(manifest, &step, &result, &good));
    assert_true(mgc_manifest_write(manifest, tmpdir_path, NULL));
    mgc_manifest_free(manifest);
    mgc_fields_destroy(&result.facts);
    json_t *doc = read_back();
    json_t *row = json_array_get(json_object_get(doc, "withheld"), 0);
    assert_string_equal(json_string_value(json_object_get(row, "names")), "actual.png,diff.png");
    assert_string_equal(
        json_string_value(json_object_get(row, "why")), "binary and holds a secret");
    json_decref(doc);
}

static void what_comes_late_is_added_to_what_is_written(void **state)
{
    struct mgc_artifact file = {.name = (char *)"late.log", .sha256 = "ab", .raw_sha256 = "ab"};
    struct mgc_msg_result result = {.artifacts = &file, .artifact_count = 1};
    struct mgc_step step = {
        .id = (char *)"server", .kind = (char *)"host.server", .role = MGC_ROLE_HOST};
    struct mgc_error good = {0};
    (void)state;
    mgc_file_remove(tmpdir_file("manifest.json"), NULL);
    assert_false(mgc_manifest_is_written(tmpdir_path));
    for (int i = 0; i < 2; i++) { /* the first finds none */
        struct mgc_manifest *manifest = mgc_manifest_load(tmpdir_path);
        assert_true(mgc_manifest_add(manifest, &step, &result, &good));
        assert_true(mgc_manifest_add_missing(manifest, &step, "it never came"));
        assert_true(mgc_manifest_write(manifest, tmpdir_path, NULL));
        mgc_manifest_free(manifest);
    }
    assert_true(mgc_manifest_is_written(tmpdir_path));
    json_t *doc = read_back(), *missing = json_object_get(doc, "missing");
    assert_int_equal(json_array_size(json_object_get(doc, "files")), 2);
    assert_int_equal(json_array_size(missing), 2);
    json_t *row = json_array_get(missing, 0);
    assert_string_equal(json_string_value(json_object_get(row, "step")), "server");
    assert_string_equal(json_string_value(json_object_get(row, "why")), "it never came");
    json_decref(doc);
}

static void verified(bool expected, const char *words)
{
    struct mgc_error err = {0};
    assert_int_equal(mgc_manifest_verify(tmpdir_path, &err), expected);
    if (!expected && !strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
}

static void put(const char *name, const char *text)
{
    assert_true(mgc_file_write(tmpdir_file(name), text, strlen(text), 0644, NULL));
}

static void stored_files_have_to_be_what_they_were(void **state)
{
    struct mgc_artifact files[] = {{.name = (char *)"kept.log"}, {.name = (char *)"lost.log"}};
    struct mgc_msg_result result = {.artifacts = files, .artifact_count = 1};
    struct mgc_step step = {.id = (char *)"x", .kind = (char *)"host.x", .role = MGC_ROLE_HOST};
    struct mgc_error good = {0}, bad;
    struct mgc_manifest *manifest = mgc_manifest_new();
    put("kept.log", "as it came");
    assert_true(mgc_sha256_file(tmpdir_file("kept.log"), files[0].sha256, NULL, NULL));
    assert_true(mgc_manifest_add(manifest, &step, &result, &good));
    mgc_error_set(&bad, MGC_E_INTEGRITY, "half of it");
    result.artifacts = &files[1]; /* it never came whole: not expected to be there */
    assert_true(mgc_manifest_add(manifest, &step, &result, &bad));
    assert_true(mgc_manifest_write(manifest, tmpdir_path, NULL));
    mgc_manifest_free(manifest);
    verified(true, "");
    put("kept.log", "as it cama");
    verified(false, "kept.log' is not the file that was stored");
    mgc_file_remove(tmpdir_file("kept.log"), NULL);
    verified(false, "kept.log' is not there any more");
    put("manifest.json", "{\"files\": [{\"name\": \"../x\", \"sha256\": \"a\"}]}");
    verified(false, "no name or hash");
    put("manifest.json", "{\"files\": 7}");
    verified(false, "no list of files");
    put("manifest.json", "{\"fil");
    verified(false, "end");
    mgc_file_remove(tmpdir_file("manifest.json"), NULL);
    verified(false, "manifest.json' is not there");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_back_is_listed),
        cmocka_unit_test(what_comes_late_is_added_to_what_is_written),
        cmocka_unit_test(files_have_size_hash_and_origin),
        cmocka_unit_test(stored_files_have_to_be_what_they_were),
        cmocka_unit_test(an_attempt_without_files_has_an_empty_list),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
