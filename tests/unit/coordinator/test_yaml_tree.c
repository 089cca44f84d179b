#include "tests/lib/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/plan/yaml_tree.h"

static bool parse(const char *text, struct mgc_yaml_node *ret_root, struct mgc_error *err)
{
    return mgc_yaml_parse(text, strlen(text), "x.yaml", ret_root, err);
}

static void test_positions(void **state)
{
    (void)state;
    struct mgc_yaml_node root;
    struct mgc_error err;
    assert_true(parse("# a comment\n"
                      "phone:\n"
                      "  serial: abc\n"
                      "  tags: [one, 'two']\n",
        &root, &err));
    assert_int_equal(root.kind, MGC_YAML_MAPPING);
    const struct mgc_yaml_node *phone = mgc_yaml_get(&root, "phone");
    assert_non_null(phone);
    assert_int_equal(phone->key_line, 2);
    assert_int_equal(phone->key_column, 1);
    const struct mgc_yaml_node *serial = mgc_yaml_get(phone, "serial");
    assert_non_null(serial);
    assert_string_equal(serial->text, "abc");
    assert_false(serial->quoted);
    assert_int_equal(serial->line, 3);
    assert_int_equal(serial->column, 11);
    assert_int_equal(serial->key_column, 3);
    const struct mgc_yaml_node *tags = mgc_yaml_get(phone, "tags");
    assert_int_equal(tags->kind, MGC_YAML_SEQUENCE);
    assert_int_equal(tags->child_count, 2);
    assert_int_equal(tags->children[1].line, 4);
    assert_int_equal(tags->children[1].column, 15);
    assert_true(tags->children[1].quoted);
    assert_null(mgc_yaml_get(phone, "absent"));
    mgc_yaml_destroy(&root);
    mgc_yaml_destroy(&root);
    mgc_yaml_destroy(NULL);
}

static void test_empty_is_a_mapping(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "# nothing\n", "---\n", "--- {}\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct mgc_yaml_node root;
        struct mgc_error err;
        assert_true(parse(texts[i], &root, &err));
        assert_int_equal(root.kind, MGC_YAML_MAPPING);
        assert_int_equal(root.child_count, 0);
        mgc_yaml_destroy(&root);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"a: 1\nb: 2\na: 3\n", "x.yaml:3:1: key 'a' was given before, in line 1"},
        {"a: &x 1\n", "x.yaml:1:4: anchors ('&name') are not accepted here, write it out"},
        {"a: &x {b: 1}\n", "x.yaml:1:4: anchors ('&name') are not accepted here, write it out"},
        {"a: *x\n", "x.yaml:1:4: aliases ('*name') are not accepted here, write it out"},
        {"a: !!int 1\n", "x.yaml:1:4: tags ('!name') are not accepted here"},
        {"a: !x [1]\n", "x.yaml:1:4: tags ('!name') are not accepted here"},
        {"? [a, b]\n: 1\n", "x.yaml:1:3: expected a name followed by ':'"},
        {"a: 1\n---\nb: 2\n", "x.yaml:2:1: a second document ('---') is not accepted"},
        {"- a\n", "x.yaml:1:1: expected 'key: value' lines, got a list"},
        {"just words\n", "x.yaml:1:1: expected 'key: value' lines, got text"},
        {"a: \"x\\ay\"\n", "x.yaml:1:4: text holds a control character"},
        {"a: \"x\\0y\"\n", "x.yaml:1:4: text holds a control character"},
        {"a: b: c\n", "x.yaml:1:5: mapping values are not allowed in this context"},
        {"a: [1, 2\n", "x.yaml:2:1: did not find expected ',' or ']'"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mgc_yaml_node root;
        struct mgc_error err = {0};
        assert_false(parse(cases[i].text, &root, &err));
        assert_string_equal(err.text, cases[i].sentence);
        assert_int_equal(err.code, MGC_E_CONFIG);
    }
}

static void test_bad_bytes(void **state)
{
    (void)state;
    struct mgc_yaml_node root;
    struct mgc_error err = {0};
    assert_false(parse("a: \xff\xfe\n", &root, &err));
    assert_non_null(strstr(err.text, "x.yaml: byte 3: "));
    assert_false(mgc_yaml_parse("a: 1\0", 5, "x.yaml", &root, NULL));
}

static char *repeat(const char *text, size_t times, const char *end)
{
    char *all = malloc(strlen(text) * times + strlen(end) + 1);
    assert_non_null(all);
    all[0] = '\0';
    for (size_t i = 0; i < times; i++)
        memcpy(all + i * strlen(text), text, strlen(text) + 1);
    strcat(all, end);
    return all;
}

static void refuse_big(char *text, const char *part)
{
    struct mgc_yaml_node root;
    struct mgc_error err = {0};
    assert_false(parse(text, &root, &err));
    if (!strstr(err.text, part))
        fail_msg("'%s' does not hold '%s'", err.text, part);
    free(text);
}

static void test_caps(void **state)
{
    (void)state;
    refuse_big(repeat("[", 100000, ""), "nested too deeply");
    refuse_big(repeat("- x\n", MGC_YAML_NODES_MAX + 1, ""), "too many entries");
    refuse_big(repeat("x", MGC_YAML_SCALAR_MAX + 1, ": 1\n"), "x.yaml:1:1: text longer");
    char *text = repeat("x", MGC_YAML_SCALAR_MAX + 1, "\n");
    char *value = malloc(strlen(text) + 8);
    assert_non_null(value);
    sprintf(value, "a: %s", text);
    free(text);
    refuse_big(value, "x.yaml:1:4: text longer than 4096 bytes");
    refuse_big(repeat("# comment\n", MGC_YAML_BYTES_MAX / 10 + 1, ""), "larger than 262144 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_empty_is_a_mapping),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_caps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
