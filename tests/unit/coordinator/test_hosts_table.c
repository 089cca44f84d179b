#include "tests/lib/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/cmd/hosts_table.h"

static struct mgc_site_worker workers[] = {
    {.name = "nokey", .role = MGC_ROLE_WSL},
    {.name = "old", .role = MGC_ROLE_HOST},
    {.name = "pc", .role = MGC_ROLE_HOST},
    {.name = "swapped", .role = MGC_ROLE_WSL},
};
static struct mgc_worker_key keys[] = {
    {.name = "old", .role = "host", .revoked = true},
    {.name = "pc", .role = "host"},
    {.name = "spare", .role = "wsl"},
    {.name = "swapped", .role = "host"},
};

static int setup(void **state)
{
    static const struct mgc_site site = {.workers = workers, .worker_count = 4};
    static const struct mgc_keyring ring = {.workers = keys, .count = 4};
    struct mgc_hosts *hosts = malloc(sizeof(*hosts));
    assert_non_null(hosts);
    assert_true(mgc_hosts_init(hosts, &site, &ring, NULL));
    *state = hosts;
    return 0;
}

static int teardown(void **state)
{
    mgc_hosts_destroy(*state);
    mgc_hosts_destroy(*state);
    mgc_hosts_destroy(NULL);
    free(*state);
    return 0;
}

static void test_states_before_anybody_came(void **state)
{
    struct mgc_hosts *hosts = *state;
    assert_int_equal(hosts->count, 5);
    assert_int_equal(mgc_hosts_find(hosts, "nokey")->state, MGC_HOST_NO_KEY);
    assert_int_equal(mgc_hosts_find(hosts, "old")->state, MGC_HOST_REVOKED);
    assert_int_equal(mgc_hosts_find(hosts, "pc")->state, MGC_HOST_ABSENT);
    assert_int_equal(mgc_hosts_find(hosts, "swapped")->state, MGC_HOST_WRONG_ROLE);
    assert_int_equal(mgc_hosts_find(hosts, "spare")->state, MGC_HOST_ABSENT);
    assert_false(mgc_hosts_find(hosts, "spare")->declared);
    assert_null(mgc_hosts_find(hosts, "nobody"));
}

static void test_complete_needs_all_that_are_declared(void **state)
{
    struct mgc_hosts *hosts = *state;
    /* declared ones come first, the others do not matter */
    for (size_t i = 0; i < hosts->count && hosts->rows[i].declared; i++) {
        assert_false(mgc_hosts_complete(hosts));
        hosts->rows[i].state = MGC_HOST_READY;
    }
    assert_true(mgc_hosts_complete(hosts));
    hosts->rows[2].state = MGC_HOST_LOST;
    assert_false(mgc_hosts_complete(hosts));
}

static void test_print(void **state)
{
    struct mgc_hosts *hosts = *state;
    struct mgc_host_row *pc = mgc_hosts_find(hosts, "pc");
    pc->state = MGC_HOST_READY;
    strcpy(pc->host, "DESK-1");
    strcpy(pc->os, "Windows 10.0.22631");
    strcpy(pc->build, "0.1.0");
    pc->offset = (struct mgc_clock_offset){
        .known = true, .offset_ns = -1234567, .uncertainty_ns = 89000, .round_trip_ns = 170000};
    struct mgc_fields facts = {0};
    mgc_fields_set_int(&facts, "cpus", 8);
    static const char *const words[][2] = {{"lease.0.state", "held"},
        {"lease.0.resource", "phone:1a2b"}, {"lease.0.run", "R"},
        {"lease.0.coordinator", "desk, process 17"}, {"lease.0.epoch", "12"},
        {"lease.0.since", "T"}, {"lease.0.task", "a cell server (host.server)"},
        {"lease.1.state", "other"}, {"lease.1.resource", "phone:3c4d"}, {"lease.1.run", "S"}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        mgc_fields_set_str(&facts, words[i][0], words[i][1]);
    mgc_host_row_leases(pc, &facts);
    mgc_host_row_leases(pc, &facts);
    /* Another worker of the same machine sees it too, and need not say so. */
    mgc_fields_set_str(&facts, "lease.0.state", "other");
    mgc_fields_remove(&facts, "lease.1.resource");
    mgc_host_row_leases(mgc_hosts_find(hosts, "spare"), &facts);
    mgc_fields_destroy(&facts);
    struct mgc_buf out = {0};
    mgc_hosts_print(hosts, &out);
    assert_string_equal(mgc_buf_text(&out),
        "WORKER   ROLE  STATE       HOST    OS                  BUILD  CLOCK\n"
        "nokey    wsl   no key      -       -                   -      -\n"
        "old      host  revoked     -       -                   -      -\n"
        "pc       host  ready       DESK-1  Windows 10.0.22631  0.1.0  -1.235 +- 0.089 ms\n"
        "         phone:1a2b is held for run 'R' of the coordinator on desk, process 17, task 'a "
        "cell server (host.server)', epoch 12, since T\n"
        "         phone:3c4d is held by another worker of that machine for run 'S'\n"
        "swapped  wsl   wrong role  -       -                   -      -\n"
        "spare    wsl   absent      -       -                   -      -  (not in the site)\n");
    mgc_buf_destroy(&out);

    json_t *doc = mgc_hosts_to_json(hosts);
    assert_non_null(doc);
    assert_int_equal(json_array_size(doc), 5);
    json_t *row = json_array_get(doc, 2);
    assert_string_equal(json_string_value(json_object_get(row, "state")), "ready");
    assert_int_equal(json_integer_value(json_object_get(row, "offset_ns")), -1234567);
    assert_int_equal(json_array_size(json_object_get(row, "leases")), 2);
    json_t *lease = json_array_get(json_object_get(row, "leases"), 0);
    assert_string_equal(json_string_value(json_object_get(lease, "resource")), "phone:1a2b");
    assert_string_equal(json_string_value(json_object_get(lease, "state")), "held");
    assert_int_equal(json_integer_value(json_object_get(lease, "epoch")), 12);
    lease = json_array_get(json_object_get(row, "leases"), 1);
    assert_null(json_object_get(lease, "epoch")); /* absent is absent, not 0 */
    assert_null(json_object_get(lease, "task"));
    /* absent is absent, not 0 */
    assert_null(json_object_get(json_array_get(doc, 0), "leases"));
    assert_null(json_object_get(json_array_get(doc, 0), "offset_ns"));
    assert_null(json_object_get(json_array_get(doc, 0), "host"));
    json_decref(doc);
}

static bool says(const struct mgc_hosts *hosts, bool keys_only, const char *part)
{
    struct mgc_buf out = {0};
    mgc_hosts_advise(hosts, keys_only, &out);
    bool found = strstr(mgc_buf_text(&out), part) != NULL;
    mgc_buf_destroy(&out);
    return found;
}

/* Names that do not fit together are found before anybody is waited for. */
static void test_advice_says_what_to_do(void **state)
{
    struct mgc_hosts *hosts = *state;
    assert_true(says(hosts, true, "worker 'nokey' has no key; next: mgcoord keys add nokey"));
    assert_true(says(hosts, true, "the key of worker 'old' is revoked; next: "));
    assert_true(says(hosts, true, "the key of worker 'swapped' has another role than wsl"));
    assert_true(says(hosts, true, "worker 'spare' has a key, but site.yaml does not name it"));
    assert_false(says(hosts, true, "'pc'"));
    assert_true(says(hosts, false, "worker 'pc' is not there; next: start mgworker-host"));
    mgc_hosts_find(hosts, "pc")->state = MGC_HOST_READY;
    assert_false(says(hosts, false, "'pc'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_states_before_anybody_came, setup, teardown),
        cmocka_unit_test_setup_teardown(test_complete_needs_all_that_are_declared, setup, teardown),
        cmocka_unit_test_setup_teardown(test_print, setup, teardown),
        cmocka_unit_test_setup_teardown(test_advice_says_what_to_do, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
