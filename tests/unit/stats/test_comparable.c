#include "coordinator/stats/comparable.h"

#include <stdio.h>

#include "tests/unit/stats/near.h"

static const char *const usual[MGC_FACT_COUNT] = {
    [MGC_FACT_WORKLOAD] = "openra",
    [MGC_FACT_TRACE] = "t0",
    [MGC_FACT_BENCHMARK_FINISH] = "true",
    [MGC_FACT_GEOMETRY] = "1280x720",
    [MGC_FACT_PRESENT_CREDIT] = "1",
    [MGC_FACT_SURFACE] = "window",
    [MGC_FACT_BACKEND] = "DirectGLES",
    [MGC_FACT_EXTRA_ENV] = "none",
    [MGC_FACT_EXTRA_SERVER_ENV] = "none",
    [MGC_FACT_PIPE_STATS] = "true",
    [MGC_FACT_CLIENT_BUILD] = "c0",
    [MGC_FACT_LIBRARY_BUILD] = "l0",
    [MGC_FACT_SERVER_BUILD] = "s0",
    [MGC_FACT_DEVICE] = "PHONE1",
    [MGC_FACT_CLOCK_PROFILE] = "mid",
    [MGC_FACT_STOPPED_SERVICES] = "none",
    [MGC_FACT_LINK] = "wifi",
    [MGC_FACT_ARM_ORDER] = "fixed: monolith, tcp",
    [MGC_FACT_CLIENT_CPU] = "phone",
};

static struct mgc_cell_facts make(void)
{
    struct mgc_cell_facts facts = {0};
    for (int i = 0; i < MGC_FACT_COUNT; i++) {
        assert_non_null(usual[i]); /* a new fact needs a line above */
        mgc_cell_facts_set(&facts, (enum mgc_fact)i, usual[i]);
    }
    return facts;
}

static void check(const struct mgc_cell_facts *a, const struct mgc_cell_facts *b, unsigned varied,
    enum mgc_comparable answer, enum mgc_fact fact, const char *expected)
{
    struct mgc_comparability there = mgc_cells_comparable(a, b, varied);
    struct mgc_comparability back = mgc_cells_comparable(b, a, varied);
    char text[200];
    mgc_comparability_text(&there, a, b, text, sizeof(text));
    assert_string_equal(text, expected);
    assert_int_equal(there.answer, answer);
    assert_int_equal(there.fact, fact);
    assert_int_equal(back.answer, answer);
    assert_int_equal(back.fact, fact);
}

static void equal_cells_are_comparable(void **state)
{
    struct mgc_cell_facts a = make(), b = make();
    check(&a, &b, 0, MGC_COMPARABLE_YES, MGC_FACT_COUNT, "yes");
    assert_int_equal(mgc_cells_comparable(&a, &b, 0).same_client_cpu, MGC_COMPARABLE_YES);
}

static void each_fact_counts_unless_it_is_the_arm(void **state)
{
    for (int i = 0; i < MGC_FACT_COUNT; i++) {
        enum mgc_fact fact = (enum mgc_fact)i;
        struct mgc_cell_facts a = make(), b = make(), c = make();
        char differs[100], unknown[100];
        if (fact == MGC_FACT_CLIENT_CPU)
            continue;
        mgc_cell_facts_set(&b, fact, "other");
        mgc_cell_facts_set(&c, fact, NULL);
        snprintf(
            differs, sizeof(differs), "%s differs: %s and other", mgc_fact_name(fact), usual[i]);
        snprintf(unknown, sizeof(unknown), "%s is not known", mgc_fact_name(fact));
        check(&a, &b, 0, MGC_COMPARABLE_NO, fact, differs);
        check(&a, &c, 0, MGC_COMPARABLE_UNKNOWN, fact, unknown);
        check(&c, &c, 0, MGC_COMPARABLE_UNKNOWN, fact, unknown); /* absent twice is not equal */
        check(&a, &b, 1u << i, MGC_COMPARABLE_YES, MGC_FACT_COUNT, "yes");
        check(&a, &c, 1u << i, MGC_COMPARABLE_YES, MGC_FACT_COUNT, "yes");
    }
}

static void the_first_difference_is_named_before_what_is_absent(void **state)
{
    struct mgc_cell_facts a = make(), b = make(), nothing = {0};
    mgc_cell_facts_set(&b, MGC_FACT_GEOMETRY, NULL);
    mgc_cell_facts_set(&b, MGC_FACT_SURFACE, "pbuffer");
    mgc_cell_facts_set(&b, MGC_FACT_CLOCK_PROFILE, "low");
    check(&a, &b, 0, MGC_COMPARABLE_NO, MGC_FACT_SURFACE, "surface differs: window and pbuffer");
    check(&a, &nothing, 0, MGC_COMPARABLE_UNKNOWN, MGC_FACT_WORKLOAD, "workload is not known");
    check(
        &nothing, &nothing, 0, MGC_COMPARABLE_UNKNOWN, MGC_FACT_WORKLOAD, "workload is not known");
}

/* A monolith has neither credit nor server; but not to know is something else. */
static void what_does_not_apply_is_the_arm(void **state)
{
    struct mgc_cell_facts split = make(), monolith = make();
    mgc_cell_facts_not_applicable(&monolith, MGC_FACT_PRESENT_CREDIT);
    mgc_cell_facts_not_applicable(&monolith, MGC_FACT_SERVER_BUILD);
    check(&split, &monolith, 0, MGC_COMPARABLE_YES, MGC_FACT_COUNT, "yes");
    check(&monolith, &monolith, 0, MGC_COMPARABLE_YES, MGC_FACT_COUNT, "yes");
    mgc_cell_facts_set(&split, MGC_FACT_PRESENT_CREDIT, NULL);
    check(&split, &monolith, 0, MGC_COMPARABLE_UNKNOWN, MGC_FACT_PRESENT_CREDIT,
        "present_credit is not known");
}

static void another_client_cpu_is_said_not_forbidden(void **state)
{
    struct mgc_cell_facts a = make(), b = make();
    mgc_cell_facts_set(&b, MGC_FACT_CLIENT_CPU, "PC");
    check(&a, &b, 0, MGC_COMPARABLE_YES, MGC_FACT_COUNT, "yes");
    assert_int_equal(mgc_cells_comparable(&a, &b, 0).same_client_cpu, MGC_COMPARABLE_NO);
    mgc_cell_facts_set(&b, MGC_FACT_CLIENT_CPU, NULL);
    check(&a, &b, 0, MGC_COMPARABLE_YES, MGC_FACT_COUNT, "yes");
    assert_int_equal(mgc_cells_comparable(&a, &b, 0).same_client_cpu, MGC_COMPARABLE_UNKNOWN);
}

static void names_are_distinct(void **state)
{
    for (int i = 0; i < MGC_FACT_COUNT; i++) {
        for (int k = 0; k < i; k++)
            assert_string_not_equal(
                mgc_fact_name((enum mgc_fact)i), mgc_fact_name((enum mgc_fact)k));
    }
    assert_string_equal(mgc_fact_name(MGC_FACT_COUNT), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_cells_are_comparable),
        cmocka_unit_test(each_fact_counts_unless_it_is_the_arm),
        cmocka_unit_test(the_first_difference_is_named_before_what_is_absent),
        cmocka_unit_test(what_does_not_apply_is_the_arm),
        cmocka_unit_test(another_client_cpu_is_said_not_forbidden),
        cmocka_unit_test(names_are_distinct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
