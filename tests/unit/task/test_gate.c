#include "common/task/gate.h"

#include <string.h>

#include "tests/lib/check.h"

#define GB INT64_C(1000000000)

static const struct {
    const char *what;
    struct mgc_worker_gate_want want;
    struct mgc_worker_gate_seen seen;
    const char *gate, *text;
} rows[] = {
    {"nothing is asked for", {0}, {.cpus = 2, .has_load = true, .load = 99}, "ok", "ok"},
    {"idle", {.load_max_pct = 100}, {.cpus = 2, .has_load = true, .load = 2.0}, "ok", "ok"},
    {"busy", {.load_max_pct = 100}, {.cpus = 2, .has_load = true, .load = 6.2}, "loaded",
        "load 6.20 on 2 CPUs, 3.10 per CPU of at most 1.00"},
    {"one CPU", {.load_max_pct = 50}, {.cpus = 1, .has_load = true, .load = 0.51}, "loaded",
        "load 0.51 on 1 CPU, 0.51 per CPU of at most 0.50"},
    {"room", {.free_min_bytes = GB}, {.cpus = 1, .has_free = true, .free_bytes = GB}, "ok", "ok"},
    {"no room", {.free_min_bytes = GB}, {.cpus = 1, .has_free = true, .free_bytes = GB - 1000000},
        "full", "999 MB free where results are kept, of at least 1000 MB"},
    {"no room, and busy: that ends by itself", {.free_min_bytes = GB, .load_max_pct = 100},
        {.cpus = 1, .has_free = true, .has_load = true, .load = 9}, "full",
        "0 MB free where results are kept, of at least 1000 MB"},
    {"not told, which will do", {.free_min_bytes = GB, .load_max_pct = 100}, {.cpus = 1}, "ok",
        "ok"},
    {"load not told", {.load_max_pct = 100, .refuse_unreadable = true},
        {.cpus = 1, .has_free = true}, "unreadable", "load is not told here"},
    {"room not told", {.free_min_bytes = GB, .refuse_unreadable = true},
        {.cpus = 1, .has_load = true}, "unreadable", "free space is not told here"},
    {"not asked for", {.refuse_unreadable = true}, {.cpus = 1}, "ok", "ok"},
};

static void each_look_has_its_word(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[128];
        const char *gate = mgc_worker_gate_judge(&rows[i].want, &rows[i].seen);
        mgc_worker_gate_text(gate, &rows[i].want, &rows[i].seen, text, sizeof(text));
        if (strcmp(gate, rows[i].gate) != 0 || strcmp(text, rows[i].text) != 0)
            fail_msg("%s: %s (%s)", rows[i].what, gate, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_look_has_its_word)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
