#include "tests/lib/check.h"

#include <stdio.h>
#include <string.h>

#include "lab/phone/log_ring.h"

static void add(struct mgl_log_ring *ring, int number)
{
    char text[2000];
    memset(text, 'x', sizeof(text));
    int len = snprintf(text, sizeof(text), "%d", number);
    text[len] = ' ';
    struct mgl_logd_entry entry = {MGL_LOG_INFO, 1, 2, "T", text, sizeof(text)};
    uint8_t datagram[MGL_LOGD_DATAGRAM_MAX];
    size_t size = mgl_logd_encode(datagram, &entry);
    assert_true(mgl_log_ring_add(ring, 100 + (uint32_t)number, 2000, datagram, size));
}

static int number_of(const struct mgl_log_ring *ring, uint64_t sequence)
{
    const struct mgl_log_slot *slot = mgl_log_ring_get(ring, sequence);
    struct mgl_log_record record;
    int number = -1;
    if (slot && mgl_log_record_decode(slot->record, slot->len, &record)) {
        sscanf(record.entry.text, "%d", &number);
        assert_int_equal(record.pid, 100 + number);
        assert_int_equal(record.uid, 2000);
    }
    return number;
}

static void keeps_the_newest(void **state)
{
    struct mgl_log_ring ring;
    mgl_log_ring_init(&ring);
    for (int i = 0; i < 5000; i++)
        add(&ring, i);
    assert_int_equal(ring.end, 5000);
    assert_true(ring.first > 0);
    assert_true(ring.used_bytes <= ring.max_bytes);
    assert_int_equal(number_of(&ring, 4999), 4999);
    assert_int_equal(number_of(&ring, ring.first), ring.first);
    assert_int_equal(number_of(&ring, ring.first - 1), -1);
    assert_int_equal(number_of(&ring, 5000), -1);
    mgl_log_ring_destroy(&ring);
}

static void grows_and_shrinks(void **state)
{
    struct mgl_log_ring ring;
    mgl_log_ring_init(&ring);
    assert_true(mgl_log_ring_resize(&ring, 16 << 20));
    for (int i = 0; i < 5000; i++)
        add(&ring, i);
    assert_int_equal(ring.first, 0);
    assert_true(mgl_log_ring_resize(&ring, MGL_LOG_RING_MIN));
    assert_true(ring.used_bytes <= MGL_LOG_RING_MIN);
    assert_int_equal(number_of(&ring, 4999), 4999);
    assert_false(mgl_log_ring_resize(&ring, MGL_LOG_RING_MIN - 1));
    assert_false(mgl_log_ring_resize(&ring, (size_t)MGL_LOG_RING_MAX + 1));
    mgl_log_ring_destroy(&ring);
}

static void numbers_go_on_after_clear(void **state)
{
    struct mgl_log_ring ring;
    mgl_log_ring_init(&ring);
    add(&ring, 0);
    mgl_log_ring_clear(&ring);
    assert_int_equal(ring.used_bytes, 0);
    add(&ring, 1);
    assert_int_equal(ring.first, 1);
    assert_int_equal(number_of(&ring, 1), 1);
    mgl_log_ring_destroy(&ring);
}

static void drops_what_is_no_entry(void **state)
{
    struct mgl_log_ring ring;
    mgl_log_ring_init(&ring);
    assert_false(mgl_log_ring_add(&ring, 1, 1, (const uint8_t *)"junk", 4));
    assert_int_equal(ring.end, 0);
    mgl_log_ring_destroy(&ring);
    mgl_log_ring_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_newest),
        cmocka_unit_test(grows_and_shrinks),
        cmocka_unit_test(numbers_go_on_after_clear),
        cmocka_unit_test(drops_what_is_no_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
