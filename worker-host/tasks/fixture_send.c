#include "worker-host/tasks/fixture_send.h"

#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "worker-host/adb/wire.h"
#include "worker-host/tasks/helper_open.h"
#include "worker-host/tasks/replay_launch.h"

enum { PROGRESS_MS = 2000, SHOWN_MAX = 200, REMOVE_MS = 15000, MODE = 0600 };

struct sending {
    struct mgc_task *task;                 /* borrowed */
    const struct mgc_fixture_place *place; /* borrowed */
    const char *what;
    struct mgc_helper *helper; /* owned */
    int64_t total, resumed;    /* bytes; resumed -1: not yet known */
    int64_t told_ns;
};

bool mgc_fixture_exit_error(
    const struct mgc_fixture_place *place, int code, const char *text, struct mgc_error *err)
{
    char said[SHOWN_MAX];
    enum mgc_code why = strstr(text, "No space left")    ? MGC_E_NO_SPACE
                        : code == MGC_FIXTURE_EXIT_HASH  ? MGC_E_INTEGRITY
                        : code == MGC_FIXTURE_EXIT_WRITE ? MGC_E_IO
                                                         : MGC_E_DENIED;
    return mgc_error_set(err, why, "device %s: fixtures of %s in \"%s\": code %d: %s",
        place->serial, place->package, place->dir, code,
        mgc_adb_wire_shown(text, said, sizeof(said)));
}

static bool no_memory(struct mgc_error *err)
{
    return mgc_error_set(err, MGC_E_NO_MEMORY, "host.fixtures: no memory");
}

/* Progress is for people: one that cannot be told does not end the sending. */
static void tell(void *ctx, int64_t bytes)
{
    struct sending *sending = ctx;
    struct mgc_fields fields = {0};
    if (sending->resumed < 0)
        sending->resumed = bytes;
    if (bytes < sending->total && mgc_mono_ns() - sending->told_ns < PROGRESS_MS * MGC_NS_PER_MS)
        return;
    sending->told_ns = mgc_mono_ns();
    if (mgc_fields_set_int(&fields, "done", bytes) &&
        mgc_fields_set_int(&fields, "total", sending->total) &&
        mgc_fields_setf(&fields, "unit", "bytes of the %s", sending->what))
        mgc_task_event(sending->task, "progress", &fields, NULL);
    mgc_fields_destroy(&fields);
}

/* One try after the other as long as there is reason to: after a loss the phone has what arrived
 * before it, and a part that was of another file is gone after its first failure. */
static bool send_file(
    struct sending *sending, const char *local, const char *path, struct mgc_error *err)
{
    struct mgc_helper_put put = {
        .local = local, .path = path, .mode = MODE, .sent = tell, .ctx = sending};
    bool wrong = false;
    for (;;) {
        struct mgc_adb_wait wait = mgc_host_wait(sending->task, -1);
        if (mgc_helper_put(sending->helper, &put, &wait, err))
            return true;
        bool first_wrong = err->code == MGC_E_INTEGRITY && !wrong && sending->resumed > 0;
        wrong |= first_wrong;
        if (first_wrong) {
            sending->resumed = 0;
            mgc_error_clear(err);
            continue;
        }
        if (err->code != MGC_E_LOST || mgc_task_stopped(sending->task))
            return false;
        char boot_id[MGC_HOST_BOOT_ID_SIZE];
        snprintf(boot_id, sizeof(boot_id), "%s", mgc_helper_facts(sending->helper)->boot_id);
        mgc_helper_free(sending->helper);
        sending->helper =
            mgc_host_helper_again(sending->task, sending->place->package, boot_id, MGC_NEVER, err);
        if (!sending->helper)
            return false;
        mgc_error_clear(err);
    }
}

/* A part that found no room must not keep the room that it took. */
static void remove_part(struct sending *sending, const char *dir, const char *name)
{
    char part[MGC_PATH_MAX];
    const char *const names[] = {part, NULL};
    struct mgc_adb_wait wait = mgc_host_wait(sending->task, REMOVE_MS);
    snprintf(part, sizeof(part), "%s.part", name);
    mgc_helper_remove(sending->helper, dir, names, NULL, NULL, &wait, NULL);
}

static bool add_fact(const struct sending *sending, struct mgc_error *err)
{
    char name[48];
    snprintf(name, sizeof(name), "%s_resumed_bytes", sending->what);
    return sending->resumed <= 0 ||
           mgc_fields_set_int(mgc_task_facts(sending->task), name, sending->resumed) ||
           no_memory(err);
}

bool mgc_fixture_send(struct mgc_task *task, const struct mgc_fixture_place *place,
    const char *local, const struct mgc_fixture *fixture, const char *name, const char *what,
    struct mgc_error *err)
{
    struct mgc_buf dir = {0}, path = {0};
    char below[128];
    struct sending sending = {.task = task,
        .place = place,
        .what = what,
        .total = (int64_t)fixture->bytes,
        .resumed = -1,
        .told_ns = mgc_mono_ns()};
    snprintf(below, sizeof(below), "trace-replay/%s", place->dir);
    bool ok = (mgc_replay_app_path(&dir, place->package, below) &&
                  mgc_buf_printf(&path, "%s/%s", mgc_buf_text(&dir), name)) ||
              no_memory(err);
    ok = ok && (sending.helper = mgc_host_helper_open(task, place->package, err)) &&
         send_file(&sending, local, mgc_buf_text(&path), err) && add_fact(&sending, err);
    if (!ok && sending.helper && err->code == MGC_E_NO_SPACE)
        remove_part(&sending, mgc_buf_text(&dir), name);
    mgc_helper_free(sending.helper);
    mgc_buf_destroy(&path);
    mgc_buf_destroy(&dir);
    return ok;
}
