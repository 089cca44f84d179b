#include "common/plat/keylock.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "tests/lib/check.h"

static struct mgc_keylock keylock;

struct taker {
    const char *key;
    atomic_bool has;
    pthread_t thread;
};

static void *take(void *user)
{
    struct taker *taker = user;
    struct mgc_keyhold hold;
    mgc_keylock_take(&keylock, &hold, taker->key);
    taker->has = true;
    mgc_keylock_release(&keylock, &hold);
    return NULL;
}

static void start(struct taker *taker)
{
    assert_int_equal(pthread_create(&taker->thread, NULL, take, taker), 0);
}

static void only_the_same_name_is_waited_for(void **state)
{
    struct mgc_keyhold first, second;
    struct taker same = {.key = "phone-1"}, other = {.key = "phone-2"};
    mgc_keylock_init(&keylock);
    mgc_keylock_take(&keylock, &first, "phone-1");
    mgc_keylock_take(&keylock, &second, "phone-3");
    start(&same);
    start(&other);
    pthread_join(other.thread, NULL); /* ends although phone-1 and phone-3 are held */
    assert_true(other.has);
    assert_false(same.has);
    mgc_keylock_release(&keylock, &second);
    assert_false(same.has);
    mgc_keylock_release(&keylock, &first);
    pthread_join(same.thread, NULL);
    assert_true(same.has);
    mgc_keylock_destroy(&keylock);
}

enum { THREADS = 8, TURNS = 2000 };

static int inside, turns; /* guarded by the name */

static void *go_round(void *user)
{
    for (int i = 0; i < TURNS; i++) {
        struct mgc_keyhold hold;
        mgc_keylock_take(&keylock, &hold, "phone-1");
        *(bool *)user |= inside++ != 0;
        turns++;
        inside--;
        mgc_keylock_release(&keylock, &hold);
    }
    return NULL;
}

static void one_at_a_time_has_a_name(void **state)
{
    pthread_t threads[THREADS];
    bool met[THREADS] = {false};
    mgc_keylock_init(&keylock);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, go_round, &met[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_false(met[i]);
    }
    assert_int_equal(turns, THREADS * TURNS);
    mgc_keylock_destroy(&keylock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_same_name_is_waited_for),
        cmocka_unit_test(one_at_a_time_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
