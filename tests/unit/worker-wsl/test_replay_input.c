/* Inputs of a replay: hashed, or refused with a sentence. */
#include "tests/lib/check.h"

#include "tests/lib/tmpdir.h"
#include "worker-wsl/replay/input.h"

static const char *put(const char *name, const char *text)
{
    const char *path = tmpdir_file(name);
    if (!mgc_file_write(path, text, strlen(text), 0600, NULL))
        fail_msg("cannot write '%s'", path);
    return path;
}

static void refused(const char *path, enum mgc_code code, const char *part)
{
    char hex[MGC_SHA256_HEX_SIZE];
    struct mgc_error err = {0};
    assert_false(mgc_replay_input("trace", path, hex, &err));
    assert_int_equal(err.code, code);
    assert_int_equal(strncmp(err.text, "trace: ", 7), 0);
    if (!strstr(err.text, part) || !strstr(err.text, path))
        fail_msg("unexpected sentence: %s", err.text);
}

static void a_file_is_named_by_its_hash(void **state)
{
    (void)state;
    char hex[MGC_SHA256_HEX_SIZE];
    /* FIPS 180-2, appendix B.1 */
    assert_true(mgc_replay_input("trace", put("a", "abc"), hex, NULL));
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void an_lfs_pointer_is_refused(void **state)
{
    (void)state;
    refused(put("p", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"),
        MGC_E_CONFIG, "is a Git LFS pointer");
}

static void empty_and_absent_are_refused(void **state)
{
    (void)state;
    refused(put("e", ""), MGC_E_CONFIG, "is empty");
    refused(tmpdir_file("none"), MGC_E_NOT_FOUND, "No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_named_by_its_hash),
        cmocka_unit_test(an_lfs_pointer_is_refused),
        cmocka_unit_test(empty_and_absent_are_refused),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
