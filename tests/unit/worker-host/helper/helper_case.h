/* What a test of the client and the device program begins and ends with, and what its callbacks
 * saw. */
#ifndef MGC_TESTS_HELPER_CASE_H
#define MGC_TESTS_HELPER_CASE_H

#include <unistd.h>

#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"
#include "tests/unit/worker-host/helper/local_link.h"

static struct mgc_helper *helper;
static pid_t device;
static struct mgc_error err;

static inline int start(void **state)
{
    tmpdir_setup(state);
    err = (struct mgc_error){0};
    helper = local_helper(&device);
    return 0;
}

static inline int stop(void **state)
{
    mgc_helper_free(helper);
    helper = NULL;
    return tmpdir_teardown(state);
}

#define DEVICE_TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

struct event {
    unsigned type, what, state;
    int64_t pid, size, inode, mono_ns;
    char name[64];
};

struct seen {
    struct event items[256];
    size_t count;
};

static inline void on_event(void *ctx, const struct mgc_device_msg *msg)
{
    struct seen *seen = ctx;
    assert_true(seen->count < 256);
    struct event *event = &seen->items[seen->count++];
    *event = (struct event){.type = msg->type};
    if (msg->type == MGC_DEVICE_FILE) {
        event->what = msg->file.what;
        event->size = msg->file.size_bytes;
        event->inode = msg->file.inode;
        event->mono_ns = msg->file.mono_ns;
        snprintf(event->name, sizeof(event->name), "%s", msg->file.name);
    } else if (msg->type == MGC_DEVICE_PROC) {
        event->what = msg->proc.what;
        event->pid = msg->proc.pid;
        event->mono_ns = msg->proc.mono_ns;
        snprintf(event->name, sizeof(event->name), "%s", msg->proc.cmdline);
    } else if (msg->type == MGC_DEVICE_REMOVED) {
        event->state = msg->removed.state;
        event->size = msg->removed.size_bytes;
        snprintf(event->name, sizeof(event->name), "%s", msg->removed.name);
    }
}

static inline const struct event *find_event(
    const struct seen *seen, unsigned type, unsigned what, const char *name)
{
    for (size_t i = 0; i < seen->count; i++) {
        const struct event *event = &seen->items[i];
        if (event->type == type && event->what == what && (!name || strcmp(event->name, name) == 0))
            return event;
    }
    return NULL;
}

static inline const struct event *await(
    struct seen *seen, unsigned type, unsigned what, const char *name)
{
    struct mgc_adb_wait wait = local_wait();
    const struct event *event;
    while (!(event = find_event(seen, type, what, name)))
        if (!mgc_helper_pump(helper, &wait, &err))
            fail_msg("no event %u %u %s: %s", type, what, name ? name : "", err.text);
    return event;
}

static inline void write_file(const char *name, const char *text)
{
    assert_true(mgc_file_write(tmpdir_file(name), text, strlen(text), 0644, &err));
}

/* As a program writes, without a rename. */
static inline void write_plainly(const char *name, const char *text)
{
    FILE *file = fopen(tmpdir_file(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static inline uint32_t watch(struct seen *seen, const struct mgc_helper_watch *what)
{
    uint32_t id = 0;
    struct mgc_adb_wait wait = local_wait();
    if (!mgc_helper_watch(helper, what, on_event, seen, &id, &wait, &err))
        fail_msg("%s", err.text);
    return id;
}

#endif
