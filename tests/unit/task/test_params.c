/* Parameters against a schema: what passes, and the sentence for what does not. */
#include "tests/lib/check.h"

#include <stdlib.h>
#include <string.h>

#include "common/task/params.h"

static bool check_even(const struct mgc_value *value, struct mgc_error *err)
{
    return value->integer % 2 == 0 || mgc_error_set(err, MGC_E_CONFIG, "expected an even number");
}

static const struct mgc_param params[] = {
    {"address", MGC_PARAM_STRING, true, 1, 15, NULL, "where"},
    {"port", MGC_PARAM_INT, true, 1, 65535, NULL, "which"},
    {"even", MGC_PARAM_INT, false, 0, 0, check_even, NULL},
    {"finish", MGC_PARAM_BOOL, false, 0, 0, NULL, NULL},
    {"threshold", MGC_PARAM_DOUBLE, false, 0, 0, NULL, NULL},
    {"token", MGC_PARAM_SECRET, true, 16, 64, NULL, NULL},
    {0},
};

static const struct mgc_task_kind kinds[] = {
    {"toy.full", params, "all types", NULL},
    {"toy.none", NULL, "nothing", NULL},
    {0},
};

struct fixture {
    struct mgc_fields params, secrets;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    mgc_fields_set_str(&f->params, "address", "10.0.0.1");
    mgc_fields_set_int(&f->params, "port", 40613);
    mgc_fields_set_str(&f->secrets, "token", "0123456789abcdef");
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    mgc_fields_destroy(&f->params);
    mgc_fields_destroy(&f->secrets);
    free(f);
    return 0;
}

static void refused(struct fixture *f, const char *sentence)
{
    struct mgc_error err = {0};
    assert_false(mgc_params_check(&kinds[0], &f->params, &f->secrets, &err));
    assert_int_equal(err.code, MGC_E_CONFIG);
    assert_string_equal(err.text, sentence);
}

static void accepts_what_fits(void **state)
{
    struct fixture *f = *state;
    struct mgc_error err = {0};
    mgc_fields_set_int(&f->params, "even", -4);
    mgc_fields_set_bool(&f->params, "finish", false);
    mgc_fields_set_int(&f->params, "threshold", 1);
    assert_true(mgc_params_check(&kinds[0], &f->params, &f->secrets, &err));
}

static void names_what_is_missing(void **state)
{
    struct fixture *f = *state;
    mgc_fields_remove(&f->params, "address");
    refused(f, "toy.full: parameter \"address\" is missing, expected a string of 1 to 15 bytes");
}

static void names_a_missing_secret(void **state)
{
    struct fixture *f = *state;
    mgc_fields_remove(&f->secrets, "token");
    refused(f, "toy.full: parameter \"token\" is missing, expected a secret of 16 to 64 bytes");
}

static void names_what_is_unknown(void **state)
{
    struct fixture *f = *state;
    mgc_fields_set_str(&f->params, "shell", "rm");
    refused(f, "toy.full: unknown parameter \"shell\", expected one of those that --list-tasks "
               "prints");
}

static void names_wrong_type_and_range(void **state)
{
    struct fixture *f = *state;
    mgc_fields_set_str(&f->params, "port", "40613");
    refused(f, "toy.full: parameter \"port\": expected a whole number from 1 to 65535, got "
               "\"40613\"");
    mgc_fields_set_int(&f->params, "port", 0);
    refused(f, "toy.full: parameter \"port\": expected a whole number from 1 to 65535, got 0");
    mgc_fields_set_int(&f->params, "port", 1);
    mgc_fields_set_int(&f->params, "finish", 1);
    refused(f, "toy.full: parameter \"finish\": expected true or false, got 1");
}

static void runs_the_extra_check(void **state)
{
    struct fixture *f = *state;
    mgc_fields_set_int(&f->params, "even", 3);
    refused(f, "toy.full: parameter \"even\": expected an even number");
}

static void never_shows_a_secret(void **state)
{
    struct fixture *f = *state;
    mgc_fields_set_str(&f->secrets, "token", "tooshort");
    refused(f, "toy.full: parameter \"token\": expected a secret of 16 to 64 bytes, got one of "
               "another length");
    mgc_fields_set_str(&f->params, "token", "0123456789abcdef");
    refused(f, "toy.full: \"token\" came as a parameter, expected a secret");
}

static void a_parameter_is_no_secret(void **state)
{
    struct fixture *f = *state;
    mgc_fields_set_str(&f->secrets, "address", "10.0.0.1");
    refused(f, "toy.full: \"address\" came as a secret, expected a parameter");
}

static void a_secret_nobody_uses_is_only_masked(void **state)
{
    struct fixture *f = *state;
    mgc_fields_set_str(&f->secrets, "other", "01234567");
    assert_true(mgc_params_check(&kinds[0], &f->params, &f->secrets, NULL));
    mgc_fields_set_str(&f->secrets, "other", "0123456");
    refused(f, "toy.full: secret \"other\": expected a string of at least 8 bytes to mask");
}

static void kinds_are_found_by_name(void **state)
{
    (void)state;
    struct mgc_fields none = {0};
    assert_ptr_equal(mgc_task_kind_find(kinds, "toy.none"), &kinds[1]);
    assert_null(mgc_task_kind_find(kinds, "toy"));
    assert_true(mgc_params_check(&kinds[1], &none, &none, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(accepts_what_fits, setup, teardown),
        cmocka_unit_test_setup_teardown(names_what_is_missing, setup, teardown),
        cmocka_unit_test_setup_teardown(names_a_missing_secret, setup, teardown),
        cmocka_unit_test_setup_teardown(names_what_is_unknown, setup, teardown),
        cmocka_unit_test_setup_teardown(names_wrong_type_and_range, setup, teardown),
        cmocka_unit_test_setup_teardown(runs_the_extra_check, setup, teardown),
        cmocka_unit_test_setup_teardown(never_shows_a_secret, setup, teardown),
        cmocka_unit_test_setup_teardown(a_parameter_is_no_secret, setup, teardown),
        cmocka_unit_test_setup_teardown(a_secret_nobody_uses_is_only_masked, setup, teardown),
        cmocka_unit_test(kinds_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
