#include "bench/lib/gate_sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the file ------------------------------------------------------------------------------- */

enum { LINE_SIZE = 512 };

static bool wrong(const char *path, int line, const char *expected, struct mgc_error *err)
{
    return mgc_error_set(err, MGC_E_CONFIG, "%s:%d: expected %s", path, line, expected);
}

/* Values of one line behind night and round; NAN for '-'. */
static bool take_values(char *text, double *ret_values, size_t *ret_count)
{
    char *save = NULL;
    size_t count = 0;
    for (char *word = strtok_r(text, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
        char *end;
        if (count == MGC_SIM_ARMS)
            return false;
        double ms = strcmp(word, "-") == 0 ? NAN : strtod(word, &end);
        if (!isnan(ms) && (*end || !(ms > 0)))
            return false;
        ret_values[count++] = -log(ms); /* a rate */
    }
    *ret_count = count;
    return count > 0;
}

static bool take_line(
    const char *path, int number, char *line, struct mgc_sim_noise *noise, struct mgc_error *err)
{
    unsigned night, round;
    int used = 0;
    size_t arms;
    if (sscanf(line, "%u %u %n", &night, &round, &used) != 2 || night < 1 ||
        night > MGC_SIM_NIGHTS || round < 1 || round > MGC_SIM_ROUNDS)
        return wrong(path, number, "a night, a round and ms per frame of each arm", err);
    if (round != noise->rounds[night - 1] + 1 || night < noise->nights)
        return wrong(path, number, "rounds and nights in order", err);
    if (!take_values(line + used, noise->round[night - 1][round - 1], &arms) ||
        (noise->arms && arms != noise->arms))
        return wrong(path, number, "as many values as in the lines before, above 0 or '-'", err);
    noise->arms = arms;
    noise->nights = night;
    noise->rounds[night - 1] = round;
    return true;
}

/* ---- taking it apart ------------------------------------------------------------------------ */

static struct mgc_night_rounds column(
    const struct mgc_sim_noise *noise, size_t night, size_t arm, double *values)
{
    for (size_t r = 0; r < noise->rounds[night]; r++)
        values[r] = noise->round[night][r][arm];
    return (struct mgc_night_rounds){values, noise->rounds[night], "a"};
}

static void estimate(const struct mgc_sim_noise *noise, size_t arm, struct mgc_noise *ret)
{
    static double values[MGC_SIM_NIGHTS][MGC_SIM_ROUNDS];
    struct mgc_night_rounds nights[MGC_SIM_NIGHTS];
    for (size_t n = 0; n < noise->nights; n++)
        nights[n] = column(noise, n, arm, values[n]);
    mgc_noise_estimate(nights, noise->nights, ret);
}

/* Rounds about their night's mean; the night's mean goes to effect. */
static void split_night(struct mgc_sim_noise *noise, size_t night, size_t arm)
{
    double values[MGC_SIM_ROUNDS], mean = 0;
    size_t n = 0;
    struct mgc_night_rounds rounds = column(noise, night, arm, values);
    mgc_night_mean(&rounds, &mean, &n);
    double widen = n > 1 ? sqrt((double)n / (double)(n - 1)) : 0;
    for (size_t r = 0; r < noise->rounds[night]; r++)
        noise->round[night][r][arm] = (noise->round[night][r][arm] - mean) * widen;
    noise->effect[night][arm] = n ? mean : NAN;
}

static void split_arm(struct mgc_sim_noise *noise, size_t arm)
{
    struct mgc_noise all;
    double mean = 0, n = 0;
    estimate(noise, arm, &all);
    double own = all.night_sd * all.night_sd - all.round_sd * all.round_sd / all.rounds;
    double widen = sqrt((double)noise->nights / (double)(noise->nights - 1));
    double shrink = own > 0 ? widen * sqrt(own) / all.night_sd : 0;
    for (size_t i = 0; i < noise->nights; i++) {
        split_night(noise, i, arm);
        if (isnan(noise->effect[i][arm]))
            continue;
        mean += noise->effect[i][arm];
        n++;
    }
    for (size_t i = 0; i < noise->nights; i++)
        noise->effect[i][arm] = shrink * (noise->effect[i][arm] - mean / n);
    noise->night_sd += own > 0 ? own : 0;
    noise->round_sd += all.round_sd * all.round_sd;
}

bool mgc_sim_noise_read(const char *path, struct mgc_sim_noise *ret_noise, struct mgc_error *err)
{
    char line[LINE_SIZE];
    bool ok = true;
    FILE *file = fopen(path, "re");
    *ret_noise = (struct mgc_sim_noise){0};
    if (!file)
        return mgc_error_set(err, MGC_E_NOT_FOUND, "noise file '%s' cannot be read", path);
    for (int number = 1; ok && fgets(line, sizeof(line), file); number++)
        ok = line[0] == '#' || take_line(path, number, line, ret_noise, err);
    fclose(file);
    if (ok && ret_noise->nights < 3)
        ok = mgc_error_set(err, MGC_E_CONFIG, "%s: expected at least 3 nights", path);
    for (size_t arm = 0; ok && arm < ret_noise->arms; arm++)
        split_arm(ret_noise, arm);
    ret_noise->night_sd = sqrt(ret_noise->night_sd / (double)ret_noise->arms);
    ret_noise->round_sd = sqrt(ret_noise->round_sd / (double)ret_noise->arms);
    return ok;
}

/* ---- invented nights ------------------------------------------------------------------------ */

enum { INPUTS_SIZE = 32 };

/* values[(night * arms + arm) * per_night + round]: `history` nights in a ring, and tonight. */
struct sim {
    const struct mgc_sim_noise *noise;
    const struct mgc_sim_plan *plan;
    struct mgc_random random;
    size_t arms, per_night; /* over all workloads; regular and confirming rounds */
    double *values;
    char (*inputs)[INPUTS_SIZE];
    struct mgc_night_rounds *nights; /* history of each arm, oldest first */
    struct mgc_gate_arm *gate;
    struct mgc_gate_result *results;
};

static double *rounds_of(struct sim *sim, size_t night, size_t arm)
{
    return &sim->values[(night % (sim->plan->history + 1) * sim->arms + arm) * sim->per_night];
}

static void make_workload(struct sim *sim, size_t night, size_t workload)
{
    const struct mgc_sim_noise *noise = sim->noise;
    size_t from = mgc_random_below(&sim->random, (uint32_t)noise->nights);
    for (size_t r = 0; r < sim->per_night; r++) {
        size_t round = mgc_random_below(&sim->random, (uint32_t)noise->rounds[from]);
        for (size_t a = 0; a < noise->arms; a++)
            rounds_of(sim, night, workload * noise->arms + a)[r] =
                sim->plan->scale * (noise->effect[from][a] + noise->round[from][round][a]);
    }
}

static void make_night(struct sim *sim, size_t night)
{
    size_t slot = night % (sim->plan->history + 1);
    for (size_t w = 0; w < sim->plan->workloads; w++)
        make_workload(sim, night, w);
    snprintf(sim->inputs[slot], INPUTS_SIZE, "build %zu", night / sim->plan->nights_per_build);
}

static void look_at(struct sim *sim, size_t night)
{
    size_t history = sim->plan->history, rounds = sim->plan->rounds;
    for (size_t a = 0; a < sim->arms; a++) {
        struct mgc_night_rounds *own = &sim->nights[a * history];
        for (size_t i = 0; i < history; i++) {
            size_t before = night - history + i;
            own[i] = (struct mgc_night_rounds){
                rounds_of(sim, before, a), rounds, sim->inputs[before % (history + 1)]};
        }
        double *tonight = rounds_of(sim, night, a);
        sim->gate[a] = (struct mgc_gate_arm){.nights = own,
            .night_count = history,
            .tonight = {tonight, rounds, sim->inputs[night % (history + 1)]},
            .confirm = {tonight + rounds, sim->plan->confirm_rounds, NULL}};
    }
}

static void slow_down(struct sim *sim, size_t night, size_t arm, double by)
{
    for (size_t r = 0; r < sim->per_night; r++)
        rounds_of(sim, night, arm)[r] -= by;
}

static void count_night(const struct sim *sim, size_t slowed, struct mgc_sim_tally *tally)
{
    bool rerun = false, alarm = false;
    for (size_t a = 0; a < sim->arms; a++) {
        const struct mgc_gate_result *result = &sim->results[a];
        if (a == slowed || slowed == sim->arms) {
            tally->decisions[result->decision]++;
            tally->judged++;
            tally->flagged += result->flagged;
        }
        if (a == slowed)
            continue;
        rerun = rerun || result->flagged;
        alarm = alarm || result->decision == MGC_GATE_REGRESSED ||
                result->decision == MGC_GATE_IMPROVED;
    }
    tally->nights++;
    tally->reruns += rerun;
    tally->false_alarms += alarm;
}

static bool judge_night(struct sim *sim, size_t night, struct mgc_sim_tally *tally)
{
    size_t slowed = sim->plan->slowdown > 0 ? night % sim->arms : sim->arms;
    double by = log1p(sim->plan->slowdown);
    if (slowed < sim->arms)
        slow_down(sim, night, slowed, by);
    look_at(sim, night);
    if (!mgc_gate_decide(&mgc_gate_default, sim->gate, sim->arms, sim->results))
        return false;
    if (slowed < sim->arms)
        slow_down(sim, night, slowed, -by); /* the next nights' history has no slow one */
    count_night(sim, slowed, tally);
    return true;
}

static bool sim_init(
    struct sim *sim, const struct mgc_sim_noise *noise, const struct mgc_sim_plan *plan)
{
    *sim = (struct sim){.noise = noise,
        .plan = plan,
        .arms = plan->workloads * noise->arms,
        .per_night = plan->rounds + plan->confirm_rounds};
    mgc_random_seed(&sim->random, plan->seed);
    sim->values = calloc((plan->history + 1) * sim->arms * sim->per_night, sizeof(*sim->values));
    sim->inputs = calloc(plan->history + 1, sizeof(*sim->inputs));
    sim->nights = calloc(plan->history * sim->arms, sizeof(*sim->nights));
    sim->gate = calloc(sim->arms, sizeof(*sim->gate));
    sim->results = calloc(sim->arms, sizeof(*sim->results));
    return sim->values && sim->inputs && sim->nights && sim->gate && sim->results;
}

bool mgc_sim_run(const struct mgc_sim_noise *noise, const struct mgc_sim_plan *plan,
    struct mgc_sim_tally *ret_tally)
{
    struct sim sim;
    bool ok = sim_init(&sim, noise, plan);
    *ret_tally = (struct mgc_sim_tally){0};
    for (size_t night = 0; ok && night < plan->history + plan->nights; night++) {
        make_night(&sim, night);
        ok = night < plan->history || judge_night(&sim, night, ret_tally);
    }
    free(sim.values);
    free(sim.inputs);
    free(sim.nights);
    free(sim.gate);
    free(sim.results);
    return ok;
}
