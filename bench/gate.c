/* What the regression gate promises (docs/statistics.md), by 10,000 invented nights each with noise
 * that was recorded in a lab: 14 arms, that is two workloads of seven; a new build every fourth
 * night; 40 nights of history. "ours" is a share of nights in per cent.
 */
#include <math.h>
#include <stdio.h>

#include "bench/lib/gate_sim.h"
#include "bench/lib/report.h"

enum { NIGHTS = 10000, HISTORY = 40 };

struct question {
    const char *what;
    size_t rounds, history;
    double slowdown;
    enum { FALSE_ALARMS, RERUNS, DECIDED } count;
    enum mgc_gate_decision decision;
    enum mgc_bench_budget budget;
    double limit;
};

static const struct question questions[] = {
    {"nothing changed, 5 rounds: false alarms", 5, HISTORY, 0, FALSE_ALARMS, 0,
        MGC_BENCH_OURS_AT_MOST, 5},
    {"nothing changed, 5 rounds: something re-run", 5, HISTORY, 0, RERUNS, 0,
        MGC_BENCH_OURS_AT_MOST, 20},
    {"nothing changed, 3 rounds: false alarms", 3, HISTORY, 0, FALSE_ALARMS, 0,
        MGC_BENCH_OURS_AT_MOST, 5},
    {"nothing changed, 10 nights of history: false alarms", 5, 10, 0, FALSE_ALARMS, 0,
        MGC_BENCH_OURS_AT_MOST, 5},
    {"one arm 15 % slower, 5 rounds: regressed", 5, HISTORY, 0.15, DECIDED, MGC_GATE_REGRESSED,
        MGC_BENCH_OURS_AT_LEAST, 90},
    {"one arm 8 % slower, 5 rounds: regressed", 5, HISTORY, 0.08, DECIDED, MGC_GATE_REGRESSED,
        MGC_BENCH_OURS_AT_LEAST, 90},
    {"one arm 8 % slower, 20 nights of history: regressed", 5, 20, 0.08, DECIDED,
        MGC_GATE_REGRESSED, MGC_BENCH_NO_BUDGET, 0},
    {"one arm 8 % slower, 10 nights of history: regressed", 5, 10, 0.08, DECIDED,
        MGC_GATE_REGRESSED, MGC_BENCH_NO_BUDGET, 0},
    {"one arm 1 % slower, 3 rounds: no conclusion", 3, HISTORY, 0.01, DECIDED,
        MGC_GATE_NO_CONCLUSION, MGC_BENCH_OURS_AT_LEAST, 90},
    {"one arm 1 % slower, 3 rounds: unchanged", 3, HISTORY, 0.01, DECIDED, MGC_GATE_UNCHANGED,
        MGC_BENCH_OURS_AT_MOST, 2.5},
};

static double percent(size_t part, size_t of)
{
    return of ? 100 * (double)part / (double)of : NAN;
}

static double answer(const struct question *question, const struct mgc_sim_tally *tally)
{
    switch (question->count) {
    case FALSE_ALARMS:
        return percent(tally->false_alarms, tally->nights);
    case RERUNS:
        return percent(tally->reruns, tally->nights);
    case DECIDED:
        return percent(tally->decisions[question->decision], tally->judged);
    }
    return NAN;
}

static bool ask(struct mgc_bench *bench, const struct mgc_sim_noise *noise,
    const struct question *question, struct mgc_error *err)
{
    char note[160];
    struct mgc_sim_tally tally;
    const struct mgc_sim_plan plan = {.nights = mgc_bench_count(bench, NIGHTS),
        .workloads = 2,
        .rounds = question->rounds,
        .confirm_rounds = question->rounds,
        .history = question->history,
        .nights_per_build = 4,
        .slowdown = question->slowdown,
        .scale = 1,
        .seed = 20261130};
    if (!mgc_sim_run(noise, &plan, &tally))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for invented nights");
    snprintf(note, sizeof(note), "recorded noise: nights %.1f %%, rounds %.1f %%",
        100 * noise->night_sd, 100 * noise->round_sd);
    mgc_bench_print(bench, &(struct mgc_bench_row){.what = question->what,
                               .unit = "%",
                               .ours = answer(question, &tally),
                               .control = NAN,
                               .budget = question->budget,
                               .limit = question->limit,
                               .n = tally.nights,
                               .note = note});
    return true;
}

int main(int argc, char **argv)
{
    static struct mgc_sim_noise noise;
    struct mgc_bench bench;
    struct mgc_error err = {0};
    int code;
    if (!mgc_bench_begin(&bench, "mgbench-gate",
            "How often the regression gate is wrong, and how often it finds what there is.", argc,
            argv, &code))
        return code;
    bool ok = mgc_sim_noise_read(MGC_NOISE_FILE, &noise, &err);
    for (size_t i = 0; ok && i < sizeof(questions) / sizeof(questions[0]); i++)
        ok = ask(&bench, &noise, &questions[i], &err);
    return mgc_bench_end(&bench, ok, &err);
}
