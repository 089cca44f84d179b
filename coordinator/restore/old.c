/* A directory of crosshost_accept.sh (contract section 3.5): ssim-WORKLOAD and bench-WORKLOAD-cN,
 * each one run. It kept no server log, no geometry of benchmarks and no word on how the server's
 * session ended, so nothing in it can be proved as our runs are; what is there is judged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/parse.h"
#include "common/base/text.h"
#include "common/plat/file.h"
#include "coordinator/plan/bench.h"
#include "coordinator/plan/build.h"
#include "coordinator/restore/parts.h"

enum { RC_FILE_MAX = 4096 };

/* "bench-openra-c2" into its parts. */
struct name {
    enum mgc_mode mode;
    char workload[64];
    int64_t credit;
};

static bool parse_name(const char *text, struct name *ret_name)
{
    bool ssim = strncmp(text, "ssim-", 5) == 0;
    if (!mgc_path_is_safe(text)) /* it stands in tables as it is */
        return false;
    if (!ssim && strncmp(text, "bench-", 6) != 0)
        return false;
    text += ssim ? 5 : 6;
    const char *end = ssim ? text + strlen(text) : strrchr(text, '-');
    *ret_name = (struct name){.mode = ssim ? MGC_MODE_SSIM : MGC_MODE_BENCHMARK, .credit = 1};
    if (!end || end == text || (size_t)(end - text) >= sizeof(ret_name->workload) ||
        strchr(text, '/'))
        return false;
    if (!ssim && (end[1] != 'c' || !mgc_parse_int(end + 2, 1, 99, &ret_name->credit)))
        return false;
    memcpy(ret_name->workload, text, (size_t)(end - text));
    return true;
}

/* ---- finding them ---- */

/* False: there is none, or fn failed. Pictures first, then benchmarks; the names are sorted, which
 * puts a workload's credits in order. */
static bool visit(
    const char *dir, bool (*fn)(void *user, const char *id, const struct name *name), void *user)
{
    struct mgc_dir_names names = {0};
    bool any = false, ok = true;
    if (!mgc_dir_list(dir, &names, NULL))
        return false;
    for (int pass = MGC_MODE_SSIM; pass >= MGC_MODE_BENCHMARK; pass--) {
        for (size_t i = 0; ok && i < names.count; i++) {
            struct name name;
            if (!parse_name(names.names[i], &name) || (int)name.mode != pass)
                continue;
            any = true;
            ok = fn(user, names.names[i], &name);
        }
    }
    mgc_dir_names_destroy(&names);
    return any && ok;
}

static bool count_one(void *user, const char *id, const struct name *name)
{
    (void)user;
    (void)id;
    return name != NULL;
}

bool mgc_restore_is_old(const char *dir, char ret_dir[MGC_PATH_MAX])
{
    if (snprintf(ret_dir, MGC_PATH_MAX, "%s", dir) < MGC_PATH_MAX && visit(dir, count_one, NULL))
        return true;
    return mgc_path_join(ret_dir, MGC_PATH_MAX, dir, "crosshost") &&
           visit(ret_dir, count_one, NULL);
}

/* ---- the plan that it would have been ---- */

static bool add_cell(void *user, const char *id, const struct name *name)
{
    struct mgc_plan *plan = user;
    char arm[64];
    const struct mgc_bench_workload *workload =
        mgc_bench_workload(mgc_bench_built_in(), name->workload);
    struct mgc_cell *cell = mgc_build_cell(plan, MGC_CELL_MEASURE, "crosshost", "%s", id);
    snprintf(arm, sizeof(arm), "crosshost-c%lld", (long long)name->credit);
    if (!cell || !mgc_build_text(&cell->workload, name->workload) ||
        !mgc_build_text(&cell->arm, arm) ||
        !mgc_build_step(cell, "replay", "wsl.replay", MGC_ROLE_WSL, 1))
        return false;
    cell->rep = 1;
    cell->mode = name->mode;
    cell->crosses_hosts = true;
    cell->expect.credit = name->credit;
    if (workload && name->mode == MGC_MODE_SSIM) { /* only these were given a geometry */
        cell->expect.width = workload->width;
        cell->expect.height = workload->height;
        cell->expect.ssim_threshold = workload->ssim_threshold;
    } else if (workload) {
        cell->expect.frames = workload->frames;
    }
    return true;
}

/* ---- one run ---- */

/* rc.txt: "rc=0 secs=83"; 124 is timeout's own code, 128 + n a signal. */
static void read_rc(const char *dir, struct mgc_fields *facts)
{
    char path[MGC_PATH_MAX], word[32];
    struct mgc_buf text = {0};
    int64_t rc, secs;
    if (!mgc_path_join(path, sizeof(path), dir, "rc.txt") ||
        !mgc_file_read(path, RC_FILE_MAX, &text, NULL)) {
        mgc_buf_destroy(&text);
        return;
    }
    const char *at = strstr(mgc_buf_text(&text), "rc=");
    if (at && sscanf(at, "rc=%31[0-9]", word) == 1 && mgc_parse_int(word, 0, 255, &rc)) {
        mgc_fields_set_int(facts, "rc", rc);
        if (rc == 124)
            mgc_fields_set_bool(facts, "timed_out", true);
        else if (rc > 128)
            mgc_fields_set_int(facts, "signal", rc - 128);
    }
    at = strstr(mgc_buf_text(&text), "secs=");
    if (at && sscanf(at, "secs=%31[0-9]", word) == 1 && mgc_parse_int(word, 0, 1000000, &secs))
        mgc_fields_set_double(facts, "wall_s", (double)secs);
    mgc_buf_destroy(&text);
}

static void judge_cell(const char *dir, struct mgc_cell_result *cell)
{
    char path[MGC_PATH_MAX];
    double wall_s;
    struct mgc_step_outcome replay = {.state = MGC_STEP_DONE};
    struct mgc_attempt attempt = {
        .cell = cell->cell, .number = 1, .completed = true, .steps = &replay};
    if (!mgc_path_join(path, sizeof(path), dir, cell->cell->id))
        return;
    read_rc(path, &replay.facts);
    mgc_verify_crosshost_old(&attempt, path, &cell->verdict);
    cell->dir = strdup(cell->cell->id);
    cell->attempts = 1;
    if (mgc_fields_get_double(&replay.facts, "wall_s", &wall_s))
        cell->duration_ns = (int64_t)(wall_s * 1e9);
    mgc_fields_destroy(&replay.facts);
}

static void footnotes(struct mgc_results *results)
{
    static const char *const texts[] = {
        ("read from a directory of crosshost_accept.sh, which kept no server log, no end of the "
         "server's session, no device facts and no path check: its cells can be seen to be wrong, "
         "but not proved right"),
        "its benchmarks ran without width and height, so at another size than runs on the phone",
        "one server served all its runs, ours starts one per cell",
        ("rtt is absent without a sample, where crosshost_report.py prints 0; fatal lines are "
         "counted in every log; MB is 10^6 bytes; wall s has whole seconds"),
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        mgc_results_note(results, "%s", texts[i]);
}

bool mgc_restore_old(struct mgc_restored *restored, const char *dir, struct mgc_error *err)
{
    struct mgc_results *results = &restored->results;
    restored->old_layout = true;
    if (!mgc_build_text(&restored->plan.name, "crosshost_accept.sh") ||
        !mgc_build_text(&restored->plan.run_id, mgc_path_base(dir)) ||
        !visit(dir, add_cell, &restored->plan) || !mgc_results_init(results, &restored->plan, err))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the results");
    mgc_text_one_line(restored->plan.run_id);
    results->tool_build = strdup("crosshost_accept.sh");
    for (size_t i = 0; i < results->count; i++)
        judge_cell(dir, &results->cells[i]);
    footnotes(results);
    return true;
}
