/* Which expected files are forgotten when. */
#include "coordinator/link/transfer.h"

#include "tests/lib/check.h"

static struct mgc_step steps[] = {
    {.id = (char *)"server", .role = MGC_ROLE_HOST},
    {.id = (char *)"logcat", .role = MGC_ROLE_HOST},
    {.id = (char *)"replay", .role = MGC_ROLE_WSL},
};

static void fill(struct mgc_transfers *transfers)
{
    *transfers = (struct mgc_transfers){0};
    for (size_t i = 0; i < 3; i++)
        assert_non_null(mgc_transfers_add(transfers, i + 1, &steps[i], "/nowhere"));
}

static void expect(struct mgc_transfers *transfers, bool server, bool logcat, bool replay)
{
    assert_int_equal(mgc_transfers_find(transfers, 1) != NULL, server);
    assert_int_equal(mgc_transfers_find(transfers, 2) != NULL, logcat);
    assert_int_equal(mgc_transfers_find(transfers, 3) != NULL, replay);
    mgc_transfers_destroy(transfers);
    assert_null(transfers->first);
}

static void a_step_that_is_given_up(void **state)
{
    struct mgc_transfers transfers;
    fill(&transfers);
    mgc_transfers_drop_step(&transfers, &steps[1]);
    expect(&transfers, true, false, true);
}

static void a_role_that_is_lost(void **state)
{
    struct mgc_transfers transfers;
    fill(&transfers);
    mgc_transfers_drop_role(&transfers, MGC_ROLE_HOST);
    expect(&transfers, false, false, true);
}

static void one_that_is_taken_out(void **state)
{
    struct mgc_transfers transfers;
    fill(&transfers);
    struct mgc_transfer *transfer = mgc_transfers_find(&transfers, 2);
    mgc_transfers_detach(&transfers, transfer);
    mgc_transfers_detach(&transfers, transfer); /* not there any more: nothing */
    mgc_transfer_free(transfer);
    expect(&transfers, true, false, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_is_given_up),
        cmocka_unit_test(a_role_that_is_lost),
        cmocka_unit_test(one_that_is_taken_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
