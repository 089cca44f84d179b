/* Files on their way out: hashes, masking, quarantine. */
#include "tests/lib/check.h"

#include <stdlib.h>
#include <string.h>

#include "common/task/seal.h"
#include "tests/lib/fifo.h"
#include "tests/unit/task/files.h"

static struct mgc_secrets secrets;

static int setup(void **state)
{
    struct mgc_fields fields = {0};
    mgc_fields_set_str(&fields, "token", "lab-token-0123456789");
    mgc_secrets_init(&secrets, &fields);
    mgc_fields_destroy(&fields);
    return tmpdir_setup(state);
}

static int teardown(void **state)
{
    mgc_secrets_destroy(&secrets);
    return tmpdir_teardown(state);
}

static void sha_of(const char *text, size_t len, char *ret_hex)
{
    struct mgc_sha256 hash;
    unsigned char digest[MGC_SHA256_SIZE];
    mgc_sha256_init(&hash);
    mgc_sha256_update(&hash, text, len);
    mgc_sha256_final(&hash, digest);
    mgc_sha256_hex(digest, ret_hex);
}

static void a_plain_file_goes_as_it_is(void **state)
{
    (void)state;
    struct mgc_artifact artifact;
    char want[MGC_SHA256_HEX_SIZE];
    put_file(tmpdir_file("a.txt"), "hello\0x", 7);
    sha_of("hello\0x", 7, want);
    assert_int_equal(
        mgc_seal_file(tmpdir_path, "a.txt", &secrets, &artifact, NULL), MGC_SEAL_READY);
    assert_string_equal(artifact.name, "a.txt");
    assert_int_equal(artifact.size_bytes, 7);
    assert_int_equal(artifact.masked_count, 0);
    assert_string_equal(artifact.sha256, want);
    assert_string_equal(artifact.raw_sha256, want);
    free(artifact.name);
}

/* Larger than the pieces it is read in, with the secret across a border of theirs. */
static void text_is_masked_in_place(void **state)
{
    (void)state;
    struct mgc_artifact artifact;
    char raw[MGC_SHA256_HEX_SIZE], masked[MGC_SHA256_HEX_SIZE];
    size_t size = 200 * 1024, len = 0;
    char *text = malloc(size);
    memset(text, 'x', size);
    memcpy(text + 64 * 1024 - 7, "lab-token-0123456789", 20);
    memcpy(text + size - 20, "lab-token-0123456789", 20);
    put_file(tmpdir_file("a.log"), text, size);
    sha_of(text, size, raw);
    memset(text + 64 * 1024 - 7, '*', 20);
    memset(text + size - 20, '*', 20);
    sha_of(text, size, masked);

    assert_int_equal(
        mgc_seal_file(tmpdir_path, "a.log", &secrets, &artifact, NULL), MGC_SEAL_READY);
    assert_int_equal(artifact.masked_count, 2);
    assert_int_equal(artifact.size_bytes, size);
    assert_string_equal(artifact.raw_sha256, raw);
    assert_string_equal(artifact.sha256, masked);
    char *got = get_file(tmpdir_file("a.log"), &len);
    assert_int_equal(len, size);
    assert_memory_equal(got, text, size);
    assert_false(mgc_file_exists(tmpdir_file("a.log.masked~")));
    free(got);
    free(text);
    free(artifact.name);
}

static void a_binary_with_a_secret_is_quarantined(void **state)
{
    (void)state;
    struct mgc_artifact artifact;
    const char data[] = "\0png lab-token-0123456789";
    size_t len;
    put_file(tmpdir_file("a.png"), data, sizeof(data));
    assert_int_equal(
        mgc_seal_file(tmpdir_path, "a.png", &secrets, &artifact, NULL), MGC_SEAL_QUARANTINED);
    char *got = get_file(tmpdir_file("a.png"), &len);
    assert_memory_equal(got, data, sizeof(data));
    free(got);
}

static void absent_is_a_state(void **state)
{
    (void)state;
    struct mgc_artifact artifact;
    struct mgc_error err = {0};
    assert_int_equal(
        mgc_seal_file(tmpdir_path, "none", &secrets, &artifact, &err), MGC_SEAL_ABSENT);
    assert_true(mgc_dir_make(tmpdir_file("dir"), 0700, NULL));
    assert_int_equal(mgc_seal_file(tmpdir_path, "dir", &secrets, &artifact, &err), MGC_SEAL_FAILED);
    assert_non_null(strstr(err.text, "dir"));
}

/* A child is free to leave a pipe under the name; nobody would ever write to it. */
static void a_pipe_is_not_waited_for(void **state)
{
    (void)state;
    struct mgc_artifact artifact;
    struct mgc_error err = {0};
    fifo_make(tmpdir_file("pipe"));
    assert_int_equal(
        mgc_seal_file(tmpdir_path, "pipe", &secrets, &artifact, &err), MGC_SEAL_FAILED);
    assert_non_null(strstr(err.text, "pipe"));
    assert_non_null(strstr(err.text, "regular file"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_plain_file_goes_as_it_is),
        CASE(text_is_masked_in_place),
        CASE(a_binary_with_a_secret_is_quarantined),
        CASE(absent_is_a_state),
        CASE(a_pipe_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
