/* Which render server an entry of the undo journal means. */
#include "tests/lib/check.h"

#include "worker-host/tasks/server_undo.h"

#define BOOT   "mgc-boot 1111-2222\n"
#define OTHER  "mgc-boot 3333-4444\n"
#define UPTIME "mgc-uptime 500.00\n"

/* Started between 100.00 and 160.00 s after boot. */
static struct mgc_fields entry(const char *boot_id, int64_t pid, int64_t ticks)
{
    struct mgc_fields before = {0};
    if (boot_id)
        mgc_fields_set_str(&before, "boot_id", boot_id);
    mgc_fields_set_int(&before, "from_cs", 10000);
    mgc_fields_set_int(&before, "to_cs", 16000);
    if (pid) {
        mgc_fields_set_int(&before, "pid", pid);
        mgc_fields_set_int(&before, "start_ticks", ticks);
    }
    return before;
}

static void check(struct mgc_fields before, const char *said, bool meant)
{
    if (mgc_server_is_meant(&before, said) != meant)
        fail_msg("expected %s: %s", meant ? "meant" : "not meant", said);
    mgc_fields_destroy(&before);
}

static void pid_and_start_time_name_one(void **state)
{
    check(entry("1111-2222", 7, 12000), BOOT UPTIME "mgc-server 7 12000\n", true);
    check(entry("1111-2222", 7, 12000), BOOT UPTIME "mgc-server 5 1\nmgc-server 7 12000\n", true);
    check(entry("1111-2222", 7, 12000), BOOT UPTIME "mgc-server 7 12001\n", false);
    check(entry("1111-2222", 7, 12000), BOOT UPTIME "mgc-server 8 12000\n", false);
    check(entry("1111-2222", 7, 12000), BOOT UPTIME, false);
    check(entry("1111-2222", 7, 12000), BOOT "mgc-uptime 120.00\n", false);
}

static void before_it_is_known_the_time_does(void **state)
{
    check(entry("1111-2222", 0, 0), BOOT UPTIME "mgc-server 7 10000\n", true);
    check(entry("1111-2222", 0, 0), BOOT UPTIME "mgc-server 7 16000\n", true);
    check(entry("1111-2222", 0, 0), BOOT UPTIME "mgc-server 7 9999\n", false);
    check(entry("1111-2222", 0, 0), BOOT UPTIME "mgc-server 7 16001\n", false);
    check(entry("1111-2222", 0, 0), BOOT UPTIME, false);
    check(entry("1111-2222", 0, 0), BOOT "mgc-uptime 120.00\n", true); /* it may be coming up */
}

static void another_boot_runs_nothing_of_ours(void **state)
{
    check(entry("1111-2222", 7, 12000), OTHER UPTIME "mgc-server 7 12000\n", false);
    check(entry("1111-2222", 0, 0), OTHER "mgc-uptime 120.00\nmgc-server 7 12000\n", false);
    check(entry(NULL, 0, 0), OTHER UPTIME, true); /* nothing is known: as it ever was */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pid_and_start_time_name_one),
        cmocka_unit_test(before_it_is_known_the_time_does),
        cmocka_unit_test(another_boot_runs_nothing_of_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
