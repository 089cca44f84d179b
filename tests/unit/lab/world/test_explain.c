#include "lab/world/explain.h"

#include <errno.h>
#include <string.h>

#include "tests/lib/check.h"

static void each_refusal_names_its_remedy(void **state)
{
    static const struct {
        enum mgc_lab_ns_stage stage;
        int errnum;
        const char *remedy;
    } rows[] = {
        {MGC_LAB_NS_CLONE, ENOSPC, "user.max_user_namespaces"},
        {MGC_LAB_NS_CLONE, EPERM, "CAP_SYS_ADMIN"},
        {MGC_LAB_NS_MAP, EPERM, "AppArmor"},
        {MGC_LAB_NS_MAP, EACCES, "AppArmor"},
        {MGC_LAB_NS_USE, EPERM, "apparmor_restrict_unprivileged_userns=0"},
        {MGC_LAB_NS_MOUNT, EPERM, "sudo"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mgc_error err = {0};
        assert_false(mgc_lab_ns_explain(rows[i].stage, rows[i].errnum, "doing it", &err));
        assert_int_equal(err.code, MGC_E_UNSUPPORTED);
        assert_non_null(strstr(err.text, rows[i].remedy));
        assert_ptr_equal(strstr(err.text, "doing it: "), err.text);
        assert_null(strstr(err.text, "...")); /* not cut */
    }
}

static void other_errors_stay_what_they_are(void **state)
{
    struct mgc_error err = {0};
    assert_false(mgc_lab_ns_explain(MGC_LAB_NS_MOUNT, ENOENT, "mounting", &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    assert_null(strstr(err.text, "sudo"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_refusal_names_its_remedy),
        cmocka_unit_test(other_errors_stay_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
