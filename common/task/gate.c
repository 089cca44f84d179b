#include "common/task/gate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/plat/file.h"
#include "common/plat/host.h"
#include "common/task/wait.h"

enum { PERIOD_MS = 5000 }; /* as often as Linux brings its average up to date */

static bool check_unreadable(const struct mgc_value *value, struct mgc_error *err)
{
    return strcmp(value->string, "accept") == 0 || strcmp(value->string, "refuse") == 0 ||
           mgc_error_set(
               err, MGC_E_USAGE, "expected accept or refuse, got \"%.40s\"", value->string);
}

const struct mgc_param mgc_worker_gate_params[] = {
    {"free_min_bytes", MGC_PARAM_INT, false, 0, INT64_MAX, NULL, "where results are kept"},
    {"load_max_pct", MGC_PARAM_INT, false, 1, 10000, NULL, "percent of the CPUs; absent: any"},
    {"unreadable", MGC_PARAM_STRING, false, 1, 16, check_unreadable, "accept (default) or refuse"},
    {"gate_timeout_ms", MGC_PARAM_INT, false, 0, 24 * 3600 * 1000, NULL, "0: no waiting"},
    {"gate_period_ms", MGC_PARAM_INT, false, 10, 60000, NULL, "between two looks; absent: 5 s"},
    {0},
};

/* ---- judging ------------------------------------------------------------------------------- */

static double load_pct(const struct mgc_worker_gate_seen *seen)
{
    return 100 * seen->load / seen->cpus;
}

const char *mgc_worker_gate_judge(
    const struct mgc_worker_gate_want *want, const struct mgc_worker_gate_seen *seen)
{
    bool wants_free = want->free_min_bytes > 0, wants_load = want->load_max_pct > 0;
    if (want->refuse_unreadable &&
        ((wants_free && !seen->has_free) || (wants_load && !seen->has_load)))
        return "unreadable";
    if (wants_free && seen->has_free && seen->free_bytes < (uint64_t)want->free_min_bytes)
        return "full";
    if (wants_load && seen->has_load && load_pct(seen) > (double)want->load_max_pct)
        return "loaded";
    return "ok";
}

void mgc_worker_gate_text(const char *gate, const struct mgc_worker_gate_want *want,
    const struct mgc_worker_gate_seen *seen, char *ret_text, size_t size)
{
    if (strcmp(gate, "loaded") == 0)
        snprintf(ret_text, size, "load %.2f on %d CPU%s, %.2f per CPU of at most %.2f", seen->load,
            seen->cpus, seen->cpus == 1 ? "" : "s", load_pct(seen) / 100,
            (double)want->load_max_pct / 100);
    else if (strcmp(gate, "full") == 0)
        snprintf(ret_text, size, "%.0f MB free where results are kept, of at least %.0f MB",
            (double)seen->free_bytes / 1e6, (double)want->free_min_bytes / 1e6);
    else if (strcmp(gate, "unreadable") == 0)
        snprintf(ret_text, size, "%s is not told here",
            want->free_min_bytes > 0 && !seen->has_free ? "free space" : "load");
    else
        snprintf(ret_text, size, "%s", gate);
}

/* ---- the task ------------------------------------------------------------------------------ */

struct gate {
    struct mgc_task *task; /* borrowed */
    struct mgc_worker_gate_want want;
    struct mgc_worker_gate_seen seen;
    const char *word; /* of the latest look */
    char told[128];   /* what was last said of the wait; empty: nothing yet */
};

/* Where a look at the load takes time it is only taken when it is asked for. */
static void look(struct gate *gate)
{
    struct mgc_worker_gate_seen *seen = &gate->seen;
    struct mgc_host host;
    struct mgc_error why;
    bool look_at_load = gate->want.load_max_pct > 0 || MGC_HOST_LOAD_MS == 0;
    *seen = (struct mgc_worker_gate_seen){.cpus = 1};
    seen->has_free = mgc_dir_free_bytes(mgc_task_dir(gate->task), &seen->free_bytes, &why);
    if (mgc_host_read(&host, &why) && host.cpus > 0)
        seen->cpus = host.cpus;
    seen->has_load = look_at_load && mgc_host_load(&seen->load, &why);
    gate->word = mgc_worker_gate_judge(&gate->want, seen);
}

static bool set_facts(struct gate *gate, int64_t waited_ms, struct mgc_error *err)
{
    const struct mgc_worker_gate_seen *seen = &gate->seen;
    struct mgc_fields *facts = mgc_task_facts(gate->task);
    int64_t free_bytes =
        seen->free_bytes > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)seen->free_bytes;
    bool ok = mgc_fields_set_str(facts, "gate", gate->word) &&
              mgc_fields_set_int(facts, "gate_waited_ms", waited_ms) &&
              mgc_fields_set_int(facts, "cpus", seen->cpus) &&
              (!seen->has_load || mgc_fields_set_double(facts, "load", seen->load)) &&
              (!seen->has_free || mgc_fields_set_int(facts, "free_bytes", free_bytes));
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "worker.gate: no memory for facts");
}

/* For people: what cannot be told does not end the wait. */
static void tell(struct gate *gate, double limit_s)
{
    char text[sizeof(gate->told)];
    struct mgc_fields fields = {0};
    mgc_worker_gate_text(gate->word, &gate->want, &gate->seen, text, sizeof(text));
    if (strcmp(text, gate->told) == 0)
        return;
    memcpy(gate->told, text, sizeof(text));
    if (mgc_fields_setf(&fields, "text", "for an idle machine, %s, %g s at most", text, limit_s))
        mgc_task_event(gate->task, "waiting", &fields, NULL);
    mgc_fields_destroy(&fields);
}

/* Nobody tells when a machine has come to rest. Room does not come by itself: it is not waited for.
 */
static bool wait_for_rest(struct gate *gate, struct mgc_error *err)
{
    int64_t start_ns = mgc_mono_ns();
    int64_t limit_ms = mgc_task_int_or(gate->task, "gate_timeout_ms", 0);
    int64_t period_ms = mgc_task_int_or(gate->task, "gate_period_ms", PERIOD_MS);
    int64_t deadline_ns = mgc_deadline_in_ms(limit_ms);
    int stop = mgc_task_stop_fd(gate->task);
    while (strcmp(gate->word, "loaded") == 0 && !mgc_deadline_past(deadline_ns)) {
        tell(gate, (double)limit_ms / 1000);
        int64_t next_ns = mgc_deadline_min(deadline_ns, mgc_deadline_in_ms(period_ms));
        if (mgc_wait_readable(&stop, 1, next_ns) != MGC_WAIT_TIMEOUT)
            return mgc_task_stop_error(gate->task, err);
        look(gate);
    }
    return set_facts(gate, (mgc_mono_ns() - start_ns) / MGC_NS_PER_MS, err);
}

static bool is_open(const struct gate *gate, struct mgc_error *err)
{
    char text[160];
    bool full = strcmp(gate->word, "full") == 0;
    int64_t waited_ms = 0;
    if (strcmp(gate->word, "ok") == 0)
        return true;
    struct mgc_fields *facts = mgc_task_facts(gate->task);
    mgc_fields_get_int(facts, "gate_waited_ms", &waited_ms);
    mgc_fields_set_str(facts, "failure", gate->word);
    mgc_worker_gate_text(gate->word, &gate->want, &gate->seen, text, sizeof(text));
    return mgc_error_set(err, full ? MGC_E_NO_SPACE : MGC_E_TIMEOUT,
        "the worker's machine is not ready for a cell after %.0f s: %s", (double)waited_ms / 1000,
        text);
}

bool mgc_worker_gate_run(struct mgc_task *task, struct mgc_error *err)
{
    const char *unreadable = mgc_task_str(task, "unreadable");
    struct gate gate = {.task = task,
        .want = {.free_min_bytes = mgc_task_int_or(task, "free_min_bytes", 0),
            .load_max_pct = mgc_task_int_or(task, "load_max_pct", 0),
            .refuse_unreadable = unreadable && strcmp(unreadable, "refuse") == 0}};
    look(&gate);
    return wait_for_rest(&gate, err) && is_open(&gate, err);
}
