#include "lab/knob/knob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/plat/file.h"
#include "tests/lib/check.h"

static void texts_are_taken_apart(void **state)
{
    static const struct {
        const char *text, *value;
        bool once;
    } rows[] = {{"1", "1", false}, {"", "1", false}, {"17\n", "17", false}, {"once", "1", true},
        {"5,once", "5", true}, {"wifi", "wifi", false}, {"5,", "5,", false},
        {"at-once", "at-once", false}, {",once", "1", true}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mgl_knob knob;
        mgl_knob_parse(rows[i].text, &knob);
        assert_string_equal(knob.value, rows[i].value);
        assert_int_equal(knob.once, rows[i].once);
    }
}

static void long_text_is_cut(void **state)
{
    char text[400];
    struct mgl_knob knob;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    mgl_knob_parse(text, &knob);
    assert_int_equal(strlen(knob.value), MGL_KNOB_VALUE_MAX - 1);
}

static void numbers_and_bare_ones(void **state)
{
    static const struct {
        const char *text;
        int64_t number;
    } rows[] = {{"1", 70}, {"once", 70}, {"0", 0}, {"12,once", 12}, {"ever", 70}, {"-3", 70}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mgl_knob knob;
        mgl_knob_parse(rows[i].text, &knob);
        assert_int_equal(mgl_knob_number(&knob, 70), rows[i].number);
    }
}

static void put(const char *dir, const char *value)
{
    char path[200];
    snprintf(path, sizeof(path), "%s/faults/thing", dir);
    assert_true(mgc_file_write(path, value, strlen(value), 0644, NULL));
}

static void one_stroke_is_struck_once(void **state)
{
    char dir[] = "/tmp/mglab-knob-XXXXXX", faults[64];
    struct mgl_knob first, second;
    assert_non_null(mkdtemp(dir));
    snprintf(faults, sizeof(faults), "%s/faults", dir);
    assert_int_equal(mkdir(faults, 0755), 0);
    setenv("MGLAB_RUN", dir, 1);
    assert_false(mgl_knob_get("thing", &first));
    put(dir, "7");
    assert_true(mgl_knob_get("thing", &first));
    assert_true(mgl_knob_take("thing", &first));
    assert_true(mgl_knob_get("thing", &first)); /* stays until it is cleared */
    put(dir, "7,once");
    assert_true(mgl_knob_get("thing", &first) && mgl_knob_get("thing", &second));
    assert_true(mgl_knob_take("thing", &second));
    assert_false(mgl_knob_take("thing", &first));
    assert_false(mgl_knob_get("thing", &first));
    mgl_knob_set("thing", "8");
    assert_true(mgl_knob_get("thing", &first));
    assert_string_equal(first.value, "8");
    mgl_knob_remove("thing");
    assert_int_equal(rmdir(faults), 0);
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_taken_apart),
        cmocka_unit_test(long_text_is_cut),
        cmocka_unit_test(numbers_and_bare_ones),
        cmocka_unit_test(one_stroke_is_struck_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
