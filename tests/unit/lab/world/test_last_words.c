#include "lab/world/last_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plat/file.h"
#include "tests/lib/check.h"

static char folder[64], path[128];

static int set_up(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/mgc-last-words-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/log", folder);
    return 0;
}

static int tear_down(void **state)
{
    return mgc_dir_remove(folder, NULL) ? 0 : -1;
}

static void check(const char *log, const char *said)
{
    char words[20];
    assert_true(mgc_file_write(path, log, strlen(log), 0644, NULL));
    assert_string_equal(mgc_lab_last_words(path, words, sizeof words), said);
}

static void the_last_line_without_its_end(void **state)
{
    check("first\nlast\n", "last");
    check("only", "only");
    check("first\nlast\n\n\n", "last");
    check("a line that is longer than the buffer\n", "er than the buffer");
}

static void silence_is_said(void **state)
{
    char words[20];
    check("", "its log is empty");
    check("\n\n", "its log is empty");
    assert_true(mgc_file_remove(path, NULL));
    assert_string_equal(mgc_lab_last_words(path, words, sizeof words), "its log is empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_last_line_without_its_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(silence_is_said, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
