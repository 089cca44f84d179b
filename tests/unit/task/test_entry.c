/* Journal entries as text: there and back, and what is refused. */
#include "tests/lib/check.h"

#include <stdlib.h>
#include <string.h>

#include "common/task/entry.h"

static const char golden[] = "undo = route.restore\n"
                             "boot = 6f1c\n"
                             "task = 1a2b\n"
                             "label = \"cell \\\"a\\\"\"\n"
                             "before.text = \"line\\nback\\\\slash \\x07 \xc3\xa9\"\n"
                             "before.had = true\n"
                             "before.n = -9223372036854775808\n"
                             "before.real = 2.0\n"
                             "before.small = 1e-300\n"
                             "end\n";

static void fill(struct mgc_entry *entry)
{
    *entry = (struct mgc_entry){.task_id = 0x1a2b};
    entry->undo = strdup("route.restore");
    entry->boot_id = strdup("6f1c");
    entry->label = strdup("cell \"a\"");
    mgc_fields_set_str(&entry->before, "text", "line\nback\\slash \a \xc3\xa9");
    mgc_fields_set_bool(&entry->before, "had", true);
    mgc_fields_set_int(&entry->before, "n", INT64_MIN);
    mgc_fields_set_double(&entry->before, "real", 2.0);
    mgc_fields_set_double(&entry->before, "small", 1e-300);
}

static void writes_the_golden_text(void **state)
{
    (void)state;
    struct mgc_entry entry;
    struct mgc_buf out = {0};
    fill(&entry);
    assert_true(mgc_entry_format(&entry, &out));
    assert_string_equal(mgc_buf_text(&out), golden);
    mgc_buf_destroy(&out);
    mgc_entry_destroy(&entry);
}

static void reads_it_back_with_types(void **state)
{
    (void)state;
    struct mgc_entry entry;
    struct mgc_error err = {0};
    int64_t n;
    double real;
    bool had;
    if (!mgc_entry_parse(golden, strlen(golden), "x.undo", &entry, &err))
        fail_msg("%s", err.text);
    assert_string_equal(entry.undo, "route.restore");
    assert_string_equal(entry.boot_id, "6f1c");
    assert_string_equal(entry.label, "cell \"a\"");
    assert_int_equal(entry.task_id, 0x1a2b);
    assert_string_equal(mgc_fields_get_str(&entry.before, "text"), "line\nback\\slash \a \xc3\xa9");
    assert_true(mgc_fields_get_bool(&entry.before, "had", &had) && had);
    assert_true(mgc_fields_get_int(&entry.before, "n", &n) && n == INT64_MIN);
    assert_int_equal(mgc_fields_get(&entry.before, "real")->type, MGC_VALUE_DOUBLE);
    assert_true(mgc_fields_get_double(&entry.before, "small", &real) && real == 1e-300);
    mgc_entry_destroy(&entry);
}

static void refuses_every_cut(void **state)
{
    (void)state;
    for (size_t len = 0; len < strlen(golden); len++) {
        struct mgc_entry entry = {0};
        struct mgc_error err = {0};
        assert_false(mgc_entry_parse(golden, len, "x.undo", &entry, &err));
        assert_int_equal(err.code, MGC_E_INTEGRITY);
    }
}

static void refused(const char *text, enum mgc_code code, const char *sentence)
{
    struct mgc_entry entry = {0};
    struct mgc_error err = {0};
    assert_false(mgc_entry_parse(text, strlen(text), "x.undo", &entry, &err));
    assert_int_equal(err.code, code);
    assert_string_equal(err.text, sentence);
}

static void names_file_and_line(void **state)
{
    (void)state;
    const char *line2 = "x.undo:2: expected a line \"key = value\" of an undo entry";
    refused("undo = a\nboot: 1\nend\n", MGC_E_PROTOCOL, line2);
    refused("undo = a\nundo = b\nend\n", MGC_E_PROTOCOL, line2);
    refused("undo = a\nother = b\nend\n", MGC_E_PROTOCOL, line2);
    refused("undo = a\nbefore.x = \"\\q\"\nend\n", MGC_E_PROTOCOL, line2);
    refused("undo = a\nbefore.x = \"a\" b\nend\n", MGC_E_PROTOCOL, line2);
    refused("undo = a\nbefore.x = 1x\nend\n", MGC_E_PROTOCOL, line2);
    refused("undo = a\ntask = 12345678901234567\nend\n", MGC_E_PROTOCOL, line2);
    refused("boot = 1\nend\n", MGC_E_PROTOCOL, "x.undo: expected the keys undo and boot");
    refused("undo = a\nboot = 1\nend\nmore\n", MGC_E_INTEGRITY,
        "x.undo: the last line \"end\" is missing, or is not last");
}

static void refuses_nul_and_size(void **state)
{
    (void)state;
    struct mgc_entry entry = {0};
    char *big = malloc(MGC_ENTRY_SIZE_MAX + 1);
    memset(big, 'a', MGC_ENTRY_SIZE_MAX + 1);
    assert_false(mgc_entry_parse(big, MGC_ENTRY_SIZE_MAX + 1, "x", &entry, NULL));
    free(big);
    assert_false(mgc_entry_parse("undo = a\0b\nboot = 1\nend\n", 23, "x", &entry, NULL));
}

static void does_not_write_what_it_could_not_read(void **state)
{
    (void)state;
    struct mgc_entry entry;
    struct mgc_buf out = {0};
    fill(&entry);
    mgc_fields_set_double(&entry.before, "nan", 0.0 / 0.0);
    assert_false(mgc_entry_format(&entry, &out));
    mgc_buf_clear(&out);
    mgc_fields_remove(&entry.before, "nan");
    mgc_fields_set_int(&entry.before, "a = b", 1);
    assert_false(mgc_entry_format(&entry, &out));
    mgc_buf_destroy(&out);
    mgc_entry_destroy(&entry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_the_golden_text),
        cmocka_unit_test(reads_it_back_with_types),
        cmocka_unit_test(refuses_every_cut),
        cmocka_unit_test(names_file_and_line),
        cmocka_unit_test(refuses_nul_and_size),
        cmocka_unit_test(does_not_write_what_it_could_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
