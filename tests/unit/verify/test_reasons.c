/* The table of reasons is complete, and docs/results.md prints it. With --print it prints the rows
 * for that page. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/plat/file.h"
#include "coordinator/verify/reasons.h"
#include "tests/lib/check.h"

static void print_row(const struct mgc_reason_words *words, struct mgc_buf *out)
{
    mgc_buf_printf(out, "| `%s` | %s%s | %s | %s |\n", words->name,
        mgc_verdict_state_name(words->state), words->infrastructure ? ", again" : "",
        words->meaning, words->next_step);
}

static void every_reason_has_its_words(void **state)
{
    for (int i = 0; i < MGC_REASON_COUNT; i++) {
        const struct mgc_reason_words *words = mgc_reason_words((enum mgc_reason)i);
        if (!words->name)
            fail_msg("reason %d has no words", i);
        assert_true(words->meaning[0] && words->next_step[0]);
        assert_true(words->state != MGC_VERDICT_MEASURED);
        assert_ptr_equal(mgc_reason_find(words->name), words); /* unique */
        for (const char *c = words->name; *c; c++)
            assert_true(islower((unsigned char)*c) || *c == '-');
        struct mgc_verdict verdict = {0}; /* nothing is cut where it is kept */
        mgc_reason_set(&verdict, (enum mgc_reason)i, "%s", words->meaning);
        assert_string_equal(verdict.reason, words->name);
        assert_string_equal(verdict.next_step, words->next_step);
        assert_string_equal(verdict.text, words->meaning);
    }
    assert_null(mgc_reason_find("no-such-reason"));
}

static void the_page_prints_the_table(void **state)
{
    struct mgc_buf page = {0}, rows = {0};
    assert_true(mgc_file_read(RESULTS_PAGE, (size_t)1 << 20, &page, NULL));
    for (int i = 0; i < MGC_REASON_COUNT; i++)
        print_row(mgc_reason_words((enum mgc_reason)i), &rows);
    if (!strstr(mgc_buf_text(&page), mgc_buf_text(&rows)))
        fail_msg("%s does not hold the table that this program prints with --print", RESULTS_PAGE);
    mgc_buf_destroy(&page);
    mgc_buf_destroy(&rows);
}

static void only_the_first_name_counts(void **state)
{
    struct mgc_verdict verdict = {0};
    mgc_reason_set(&verdict, MGC_REASON_LOCKSTEP, "first");
    mgc_reason_set(&verdict, MGC_REASON_BUSY, "second");
    assert_string_equal(verdict.reason, "lockstep");
    assert_string_equal(verdict.text, "first");
    assert_false(verdict.infrastructure);
}

/* A block is left out after a bad path and after a failed link test alike. */
static void what_left_a_block_out_may_be_its_link_test(void **state)
{
    struct mgc_buf row = {0};
    print_row(mgc_reason_words(MGC_REASON_PATH_NOT_GOOD), &row);
    assert_non_null(strstr(mgc_buf_text(&row), "link test"));
    mgc_buf_destroy(&row);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reason_has_its_words),
        cmocka_unit_test(the_page_prints_the_table),
        cmocka_unit_test(only_the_first_name_counts),
        cmocka_unit_test(what_left_a_block_out_may_be_its_link_test),
    };
    if (argc == 2 && strcmp(argv[1], "--print") == 0) {
        struct mgc_buf rows = {0};
        for (int i = 0; i < MGC_REASON_COUNT; i++)
            print_row(mgc_reason_words((enum mgc_reason)i), &rows);
        fputs(mgc_buf_text(&rows), stdout);
        mgc_buf_destroy(&rows);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
