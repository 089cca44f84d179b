#include "lab/world/faultdirs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/plat/file.h"
#include "tests/lib/check.h"

static const struct mgc_lab_roster three = {.phones = 3, .pairs = 1, .loopback = true};
static char run[] = "/tmp/mglab-run-XXXXXX";
static const struct mgc_lab_faultdirs dirs = {&three, run};

static int make(void **state)
{
    return mkdtemp(run) != NULL && mgc_lab_faultdirs_make(&dirs, "link none\n", NULL) ? 0 : 1;
}

static int remove_all(void **state)
{
    return mgc_dir_remove(run, NULL) ? 0 : 1;
}

static void expect_list(const char *expected)
{
    struct mgc_buf out = {0};
    assert_true(mgc_lab_faultdirs_list(&dirs, &out, NULL));
    assert_string_equal(mgc_buf_text(&out), expected);
    mgc_buf_destroy(&out);
}

static void a_fault_is_of_one_phone_or_of_all(void **state)
{
    const struct mgc_lab_fault one = {"p2", "client-crash", "17"}, all = {"", "phone-hot", "1"};
    assert_true(mgc_lab_faultdirs_set(&dirs, &one, NULL));
    expect_list("p2.client-crash 17\n");
    assert_true(mgc_lab_faultdirs_set(&dirs, &all, NULL));
    expect_list("p1.phone-hot 1\np2.client-crash 17\np2.phone-hot 1\np3.phone-hot 1\n");
    assert_true(mgc_lab_faultdirs_clear(&dirs, "p2", NULL, NULL));
    expect_list("p1.phone-hot 1\np3.phone-hot 1\n");
    assert_true(mgc_lab_faultdirs_clear(&dirs, "", "phone-hot", NULL));
    expect_list("");
}

static void a_phone_that_is_not_there_is_named_with_those_that_are(void **state)
{
    const struct mgc_lab_fault fault = {"p4", "client-crash", "17"};
    struct mgc_error err = {0};
    assert_false(mgc_lab_faultdirs_set(&dirs, &fault, &err));
    assert_int_equal(err.code, MGC_E_USAGE);
    assert_string_equal(err.text, "there is no phone \"p4\"; this lab has p1 to p3");
    expect_list("");
}

static void an_address_leads_to_the_same_place(void **state)
{
    const struct mgc_lab_fault fault = {"p3", "client-crash", "17"};
    char path[128];
    assert_true(mgc_lab_faultdirs_set(&dirs, &fault, NULL));
    snprintf(path, sizeof path, "%s/at/127.0.1.3/faults/client-crash", run);
    assert_int_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/at/127.0.1.2/conditions", run);
    assert_int_equal(access(path, F_OK), 0);
    assert_true(mgc_lab_faultdirs_clear(&dirs, "", NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_is_of_one_phone_or_of_all),
        cmocka_unit_test(a_phone_that_is_not_there_is_named_with_those_that_are),
        cmocka_unit_test(an_address_leads_to_the_same_place),
    };
    return cmocka_run_group_tests(tests, make, remove_all);
}
