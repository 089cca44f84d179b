/* An adb server of a few lines for unit tests: it plays a script, one connection after another, on
 * a port of its own, and checks every byte it gets. */
#ifndef MGC_TESTS_FAKE_ADB_H
#define MGC_TESTS_FAKE_ADB_H

#include <stddef.h>

/* Read exactly `expect`, then send `reply`. A NULL `expect` ends a connection: it is closed. */
struct fake_step {
    const char *expect;
    size_t expect_len;
    const char *reply;
    size_t reply_len;
};
#define FAKE_STEP(expect, reply)                                                                   \
    {                                                                                              \
        expect, sizeof(expect) - 1, reply, sizeof(reply) - 1                                       \
    }
#define FAKE_CLOSE                                                                                 \
    {                                                                                              \
        NULL, 0, NULL, 0                                                                           \
    }

struct fake_adb;

/* Listens and sets ANDROID_ADB_SERVER_PORT; `steps` is borrowed. */
struct fake_adb *fake_adb_start(const struct fake_step *steps, size_t count);
/* Joins the thread; fails the test when the script was not played to its end. */
void fake_adb_stop(struct fake_adb *fake);

#endif
