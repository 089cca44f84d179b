#include "worker-wsl/pathcheck/pathcheck.h"

#include <errno.h>
#include <string.h>

#include "tests/lib/check.h"

#define PHONE "192.168.21.181"
#define REFUSED(port)                                                                              \
    {                                                                                              \
        port, MGC_PATH_REFUSED, 6200, ECONNREFUSED                                                 \
    }
#define ACCEPTED(port)                                                                             \
    {                                                                                              \
        port, MGC_PATH_ACCEPTED, 140, 0                                                            \
    }
#define SILENT(port)                                                                               \
    {                                                                                              \
        port, MGC_PATH_SILENT, 3000000, 0                                                          \
    }
#define NO_HOST(port)                                                                              \
    {                                                                                              \
        port, MGC_PATH_UNREACHABLE, 350, EHOSTUNREACH                                              \
    }
#define NO_NET(port)                                                                               \
    {                                                                                              \
        port, MGC_PATH_UNREACHABLE, 20, ENETUNREACH                                                \
    }

static const struct row {
    size_t count;
    struct mgc_path_probe probes[3];
    enum mgc_path_verdict verdict;
    const char *says;
} rows[] = {
    {3, {REFUSED(1), REFUSED(9), REFUSED(40612)}, MGC_PATH_END_TO_END, "refused port 1, 9, 40612"},
    {1, {REFUSED(7)}, MGC_PATH_END_TO_END, "refused port 7"},
    {3, {REFUSED(1), SILENT(9), SILENT(40612)}, MGC_PATH_END_TO_END, "silent on 9, 40612"},
    {3, {SILENT(1), SILENT(9), REFUSED(40612)}, MGC_PATH_END_TO_END, "refused port 40612"},

    {3, {ACCEPTED(1), ACCEPTED(9), ACCEPTED(40612)}, MGC_PATH_MIDDLEBOX, "port 1, 9, 40612"},
    {3, {REFUSED(1), REFUSED(9), ACCEPTED(40612)}, MGC_PATH_MIDDLEBOX, "port 40612"},
    {3, {SILENT(1), ACCEPTED(9), NO_HOST(40612)}, MGC_PATH_MIDDLEBOX, "port 9"},
    {1, {ACCEPTED(1)}, MGC_PATH_MIDDLEBOX, "through a gateway that only forwards"},

    {3, {SILENT(1), SILENT(9), SILENT(40612)}, MGC_PATH_CANNOT_TELL, "within 3000 ms"},
    {3, {NO_HOST(1), NO_HOST(9), NO_HOST(40612)}, MGC_PATH_CANNOT_TELL, "No route to host"},
    {3, {NO_NET(1), NO_NET(9), NO_NET(40612)}, MGC_PATH_CANNOT_TELL, "Network is unreachable"},
    {3, {SILENT(1), SILENT(9), NO_HOST(40612)}, MGC_PATH_CANNOT_TELL, "No route to host"},
    {3, {REFUSED(1), NO_HOST(9), REFUSED(40612)}, MGC_PATH_CANNOT_TELL, "port 9 is unreachable"},
    {0, {{0}}, MGC_PATH_CANNOT_TELL, "no port"},
};

static struct mgc_path_evidence evidence_of(const struct row *row)
{
    struct mgc_path_evidence evidence = {
        .address = PHONE, .source = "192.168.31.20", .timeout_ms = 3000, .count = row->count};
    memcpy(evidence.probes, row->probes, row->count * sizeof(row->probes[0]));
    return evidence;
}

static void test_verdicts(void **state)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mgc_path_evidence evidence = evidence_of(&rows[i]);
        struct mgc_path_judgement got;
        mgc_pathcheck_judge(&evidence, &got);
        const char *reason = mgc_path_reason(&got);
        if (got.verdict != rows[i].verdict || !strstr(reason, rows[i].says))
            fail_msg("row %zu: %s: %s", i, mgc_path_verdict_name(got.verdict), reason);
        assert_non_null(strstr(reason, PHONE));
        assert_true(got.count >= 1);
        assert_int_equal(got.findings[got.deciding].says, got.verdict);
        assert_string_equal(got.findings[0].signal, "closed ports");
    }
}

/* The program's exit codes; scripts of users depend on them. */
static void test_verdict_numbers(void **state)
{
    assert_int_equal(MGC_PATH_END_TO_END, 0);
    assert_int_equal(MGC_PATH_MIDDLEBOX, 1);
    assert_int_equal(MGC_PATH_CANNOT_TELL, 2);
}

static void test_probe_text(void **state)
{
    static const struct {
        struct mgc_path_probe probe;
        const char *want;
    } texts[] = {
        {REFUSED(1), "port 1: refused after 6200 us (Connection refused)"},
        {ACCEPTED(9), "port 9: accepted after 140 us"},
        {SILENT(40612), "port 40612: silent after 3000000 us"},
        {NO_HOST(1), "port 1: unreachable after 350 us (No route to host)"},
    };
    char text[128];
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_string_equal(
            mgc_path_probe_text(&texts[i].probe, text, sizeof(text)), texts[i].want);
}

static void test_fields(void **state)
{
    struct mgc_path_evidence evidence = evidence_of(&rows[5]);
    struct mgc_path_judgement judgement;
    struct mgc_fields fields = {0};
    mgc_pathcheck_judge(&evidence, &judgement);
    assert_true(mgc_pathcheck_to_fields(&evidence, &judgement, &fields));
    assert_string_equal(mgc_fields_get_str(&fields, "verdict"), "middlebox");
    assert_string_equal(mgc_fields_get_str(&fields, "source"), "192.168.31.20");
    assert_non_null(strstr(mgc_fields_get_str(&fields, "reason"), "40612"));
    assert_non_null(strstr(mgc_fields_get_str(&fields, "probe_9"), "refused"));
    int64_t refused = -1, accepted = -1;
    assert_true(mgc_fields_get_int(&fields, "ports_refused", &refused));
    assert_true(mgc_fields_get_int(&fields, "ports_accepted", &accepted));
    assert_true(accepted == 1 && refused + accepted == (int64_t)evidence.count);
    mgc_fields_destroy(&fields);

    evidence.source[0] = '\0';
    assert_true(mgc_pathcheck_to_fields(&evidence, &judgement, &fields));
    assert_null(mgc_fields_get(&fields, "source"));
    mgc_fields_destroy(&fields);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_verdict_numbers),
        cmocka_unit_test(test_probe_text),
        cmocka_unit_test(test_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
