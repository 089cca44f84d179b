#include "tests/lib/check.h"

#include <stdlib.h>

#include "common/base/clock.h"
#include "common/task/mailbox.h"
#include "common/task/wait.h"

static bool rings(const struct mgc_mailbox *mailbox)
{
    int fd = mgc_mailbox_fd(mailbox);
    return mgc_wait_readable(&fd, 1, mgc_mono_ns()) == 0;
}

static struct mgc_post *numbered(uint64_t task_id)
{
    struct mgc_post *post = calloc(1, sizeof(*post));
    assert_non_null(post);
    post->msg.kind = MGC_MSG_RELEASED;
    post->msg.barrier.task_id = task_id;
    return post;
}

static void take(struct mgc_mailbox *mailbox, uint64_t task_id)
{
    struct mgc_post *post = mgc_mailbox_take(mailbox);
    assert_non_null(post);
    assert_int_equal(post->msg.barrier.task_id, task_id);
    mgc_post_free(post);
}

static void test_quiet_ones_are_there_for_who_looks(void **state)
{
    struct mgc_mailbox *mailbox = mgc_mailbox_new(NULL);
    mgc_mailbox_put_quietly(mailbox, numbered(1));
    assert_false(rings(mailbox));
    take(mailbox, 1);
    assert_null(mgc_mailbox_take(mailbox));
    mgc_mailbox_free(mailbox);
}

static void test_order_is_kept(void **state)
{
    struct mgc_mailbox *mailbox = mgc_mailbox_new(NULL);
    mgc_mailbox_put_quietly(mailbox, numbered(1));
    mgc_mailbox_put(mailbox, numbered(2));
    mgc_mailbox_put_quietly(mailbox, numbered(3));
    assert_true(rings(mailbox));
    take(mailbox, 1);
    take(mailbox, 2);
    take(mailbox, 3);
    assert_false(rings(mailbox));
    mgc_mailbox_free(mailbox);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quiet_ones_are_there_for_who_looks),
        cmocka_unit_test(test_order_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
