#include "common/base/fields.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/check.h"

static void test_every_type_comes_back(void **state)
{
    struct mgc_fields fields = {0};
    assert_true(mgc_fields_set_bool(&fields, "b", true));
    assert_true(mgc_fields_set_int(&fields, "i", INT64_MIN));
    assert_true(mgc_fields_set_double(&fields, "d", 1.5));
    assert_true(mgc_fields_set_str(&fields, "s", "text"));
    assert_true(mgc_fields_setf(&fields, "f", "%s-%d", "port", 80));

    bool b = false;
    int64_t i = 0;
    double d = 0;
    assert_true(mgc_fields_get_bool(&fields, "b", &b));
    assert_true(b);
    assert_true(mgc_fields_get_int(&fields, "i", &i));
    assert_true(i == INT64_MIN);
    assert_true(mgc_fields_get_double(&fields, "d", &d));
    assert_true(d == 1.5);
    assert_string_equal(mgc_fields_get_str(&fields, "s"), "text");
    assert_string_equal(mgc_fields_get_str(&fields, "f"), "port-80");
    mgc_fields_destroy(&fields);
}

static void test_absent_or_of_another_type_leaves_the_output(void **state)
{
    struct mgc_fields fields = {0};
    mgc_fields_set_int(&fields, "i", 5);
    mgc_fields_set_bool(&fields, "b", true);
    mgc_fields_set_double(&fields, "d", 2.5);
    mgc_fields_set_str(&fields, "s", "5");
    static const char *const not_int[] = {"none", "b", "d", "s"};
    static const char *const not_bool[] = {"none", "i", "d", "s"};
    static const char *const not_real[] = {"none", "b", "s"};
    int64_t i = 42;
    bool b = true;
    double d = 42;
    for (size_t n = 0; n < 4; n++) {
        assert_false(mgc_fields_get_int(&fields, not_int[n], &i));
        assert_false(mgc_fields_get_bool(&fields, not_bool[n], &b));
    }
    for (size_t n = 0; n < 3; n++)
        assert_false(mgc_fields_get_double(&fields, not_real[n], &d));
    assert_true(i == 42 && b && d == 42);
    assert_null(mgc_fields_get(&fields, "none"));
    assert_null(mgc_fields_get_str(&fields, "none"));
    assert_null(mgc_fields_get_str(&fields, "i"));
    assert_true(mgc_fields_get_double(&fields, "i", &d)); /* an int serves as a double */
    assert_true(d == 5);
    mgc_fields_destroy(&fields);
}

static void test_set_replaces_in_place(void **state)
{
    struct mgc_fields fields = {0};
    mgc_fields_set_str(&fields, "a", "1");
    mgc_fields_set_int(&fields, "b", 2);
    assert_true(mgc_fields_set_int(&fields, "a", 3));
    assert_int_equal(fields.count, 2);
    assert_string_equal(fields.items[0].name, "a");
    assert_int_equal(fields.items[0].value.type, MGC_VALUE_INT);
    assert_null(fields.items[0].value.string);
    assert_true(mgc_fields_set_value(&fields, "b", mgc_fields_get(&fields, "a")));
    mgc_fields_set_str(&fields, "s", "self");
    assert_true(mgc_fields_set_value(&fields, "s", mgc_fields_get(&fields, "s")));
    assert_true(mgc_fields_set_str(&fields, "s", mgc_fields_get_str(&fields, "s")));
    assert_string_equal(mgc_fields_get_str(&fields, "s"), "self");
    mgc_fields_destroy(&fields);
}

static void test_strings_are_copied(void **state)
{
    char name[] = "name", text[] = "text";
    struct mgc_fields fields = {0};
    mgc_fields_set_str(&fields, name, text);
    memset(name, 'x', 4);
    memset(text, 'x', 4);
    assert_string_equal(mgc_fields_get_str(&fields, "name"), "text");
    mgc_fields_destroy(&fields);
}

static void test_remove_keeps_the_order(void **state)
{
    struct mgc_fields fields = {0};
    for (int i = 0; i < 40; i++) {
        char name[8];
        snprintf(name, sizeof(name), "n%d", i);
        assert_true(mgc_fields_set_int(&fields, name, i));
    }
    mgc_fields_remove(&fields, "n0");
    mgc_fields_remove(&fields, "n20");
    mgc_fields_remove(&fields, "n39");
    mgc_fields_remove(&fields, "nope");
    assert_true(mgc_fields_set_str(&fields, "n5", NULL)); /* NULL removes */
    assert_true(mgc_fields_set_str(&fields, "nope", NULL));
    assert_int_equal(fields.count, 36);
    for (size_t i = 1; i < fields.count; i++)
        assert_true(fields.items[i - 1].value.integer < fields.items[i].value.integer);
    mgc_fields_destroy(&fields);
}

static void test_copy_merges(void **state)
{
    struct mgc_fields into = {0}, from = {0};
    mgc_fields_set_int(&into, "a", 1);
    mgc_fields_set_int(&into, "b", 2);
    mgc_fields_set_str(&from, "b", "new");
    mgc_fields_set_bool(&from, "c", true);
    assert_true(mgc_fields_copy(&into, &from));
    mgc_fields_destroy(&from);
    assert_int_equal(into.count, 3);
    assert_string_equal(mgc_fields_get_str(&into, "b"), "new");
    mgc_fields_destroy(&into);
    mgc_fields_destroy(&into);
    mgc_fields_destroy(NULL);
    assert_int_equal(into.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_comes_back),
        cmocka_unit_test(test_absent_or_of_another_type_leaves_the_output),
        cmocka_unit_test(test_set_replaces_in_place),
        cmocka_unit_test(test_strings_are_copied),
        cmocka_unit_test(test_remove_keeps_the_order),
        cmocka_unit_test(test_copy_merges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
