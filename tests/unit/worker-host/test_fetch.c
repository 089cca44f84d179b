#include "worker-host/helper/fetch.h"

#include <string.h>

#include "common/base/open.h"
#include "common/plat/file.h"
#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"

static struct mgc_helper_file files[2];
static const size_t wanted[2] = {0, 1};
static struct mgc_buf into;
static struct mgc_fetch fetch;
static char local[256];

/* Two files: the first into a local one, the second into memory. */
static int setup(void **state)
{
    tmpdir_setup(state);
    snprintf(local, sizeof(local), "%s", tmpdir_file("local"));
    into = (struct mgc_buf){.max = 100};
    files[0] = (struct mgc_helper_file){.name = "a", .local = local};
    files[1] = (struct mgc_helper_file){.name = "b", .into = &into};
    fetch = (struct mgc_fetch){.files = files, .wanted = wanted, .count = 2, .max_bytes = 8};
    mgc_fetch_begin(&fetch);
    return 0;
}

static int teardown(void **state)
{
    mgc_fetch_end(&fetch, false);
    mgc_buf_destroy(&into);
    return tmpdir_teardown(state);
}

static void head(unsigned index, enum mgc_device_state file_state)
{
    struct mgc_device_msg msg = {.type = MGC_DEVICE_FILE_HEAD,
        .file_head = {.index = (uint16_t)index, .state = (uint16_t)file_state, .size_bytes = 3}};
    mgc_fetch_take(&fetch, &msg);
}

static void data(unsigned index, const char *text)
{
    struct mgc_device_msg msg = {.type = MGC_DEVICE_FILE_DATA,
        .file_data = {(uint16_t)index, {(const unsigned char *)text, (uint32_t)strlen(text)}}};
    mgc_fetch_take(&fetch, &msg);
}

static void end(unsigned index, const char *text)
{
    unsigned char digest[MGC_SHA256_SIZE];
    struct mgc_sha256 hash;
    mgc_sha256_init(&hash);
    mgc_sha256_update(&hash, text, strlen(text));
    mgc_sha256_final(&hash, digest);
    struct mgc_device_msg msg = {.type = MGC_DEVICE_FILE_END,
        .file_end = {.index = (uint16_t)index,
            .state = MGC_DEVICE_PRESENT,
            .size_bytes = (int64_t)strlen(text),
            .sha256 = {digest, sizeof(digest)}}};
    mgc_fetch_take(&fetch, &msg);
}

static bool there(const char *path)
{
    FILE *file = mgc_open_read(path, NULL);
    if (file)
        fclose(file);
    return file;
}

static void check_broken(enum mgc_code code)
{
    assert_int_equal(fetch.why.code, code);
    assert_false(mgc_fetch_end(&fetch, true));
    assert_null(fetch.part.file);
    assert_false(there(local));
    assert_false(there(tmpdir_file("local.part")));
}

static void test_in_order(void **state)
{
    head(0, MGC_DEVICE_PRESENT);
    data(0, "ab");
    data(0, "c");
    end(0, "abc");
    head(1, MGC_DEVICE_PRESENT);
    data(1, "x");
    end(1, "x");
    assert_true(mgc_fetch_end(&fetch, true));
    assert_true(there(local));
    assert_string_equal(mgc_buf_text(&into), "x");
}

static void test_absent_files_have_no_end(void **state)
{
    head(0, MGC_DEVICE_ABSENT);
    head(1, MGC_DEVICE_ABSENT);
    assert_true(mgc_fetch_end(&fetch, true));
    assert_int_equal(files[1].state, MGC_DEVICE_ABSENT);
}

static void test_a_second_head_of_an_open_file(void **state)
{
    head(0, MGC_DEVICE_PRESENT);
    data(0, "ab");
    head(0, MGC_DEVICE_PRESENT);
    check_broken(MGC_E_PROTOCOL);
}

static void test_data_of_another_file(void **state)
{
    head(0, MGC_DEVICE_PRESENT);
    data(1, "abc");
    assert_int_equal(into.len, 0);
    check_broken(MGC_E_PROTOCOL);
}

static void test_data_past_the_cap(void **state)
{
    head(0, MGC_DEVICE_PRESENT);
    data(0, "12345");
    data(0, "6789");
    check_broken(MGC_E_PROTOCOL);
}

static void test_data_where_hashes_were_asked_for(void **state)
{
    fetch.hash_only = true;
    head(0, MGC_DEVICE_PRESENT);
    data(0, "a");
    check_broken(MGC_E_PROTOCOL);
}

static void test_not_what_was_read(void **state)
{
    head(0, MGC_DEVICE_PRESENT);
    data(0, "abd");
    end(0, "abc");
    check_broken(MGC_E_INTEGRITY);
}

static void test_end_without_a_head(void **state)
{
    end(0, "abc");
    check_broken(MGC_E_PROTOCOL);
}

static void test_files_out_of_order(void **state)
{
    head(1, MGC_DEVICE_ABSENT);
    check_broken(MGC_E_PROTOCOL);
}

static void test_more_files_than_asked_for(void **state)
{
    head(0, MGC_DEVICE_ABSENT);
    head(1, MGC_DEVICE_ABSENT);
    head(2, MGC_DEVICE_ABSENT);
    check_broken(MGC_E_PROTOCOL);
}

static void test_done_too_early(void **state)
{
    head(0, MGC_DEVICE_PRESENT);
    data(0, "abc");
    assert_false(mgc_fetch_end(&fetch, true));
    check_broken(MGC_E_PROTOCOL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_in_order), TEST(test_absent_files_have_no_end),
        TEST(test_a_second_head_of_an_open_file), TEST(test_data_of_another_file),
        TEST(test_data_past_the_cap), TEST(test_data_where_hashes_were_asked_for),
        TEST(test_not_what_was_read), TEST(test_end_without_a_head), TEST(test_files_out_of_order),
        TEST(test_more_files_than_asked_for), TEST(test_done_too_early)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
