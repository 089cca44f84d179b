#include "bench/lib/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/cli/cli.h"
#include "common/json/json.h"
#include "common/plat/file.h"
#include "common/plat/net.h"

struct options {
    bool json;
    int64_t scale;
    const char *build;
};

static const struct mgc_cli_range scale_range = {1, 10000};
static const struct mgc_cli_option option_table[] = {
    {"json", 'j', NULL, "Print rows as JSON lines", mgc_cli_flag, offsetof(struct options, json),
        NULL},
    {"scale", 0, "PERCENT", "Take so many percent of the usual samples", mgc_cli_int,
        offsetof(struct options, scale), &scale_range},
    {"build", 'b', "DIR", "Build directory with the programs (default: the one this is in)",
        mgc_cli_string, offsetof(struct options, build), NULL},
    {0},
};

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* Time that the machine's cores were not idle, stolen time included: that is noise too. */
static double machine_cpu(void)
{
    double user = 0, nice = 0, sys = 0, idle, wait, irq = 0, soft = 0, steal = 0;
    FILE *file = fopen("/proc/stat", "re");
    if (!file)
        return 0;
    if (fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &sys, &idle, &wait, &irq,
            &soft, &steal) < 8)
        steal = 0;
    fclose(file);
    return (user + nice + sys + irq + soft + steal) / (double)sysconf(_SC_CLK_TCK);
}

static struct mgc_bench_cpu cpu_now(void)
{
    struct rusage self, children;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    return (struct mgc_bench_cpu){.machine = machine_cpu(),
        .own = seconds(&self.ru_utime) + seconds(&self.ru_stime) + seconds(&children.ru_utime) +
               seconds(&children.ru_stime)};
}

static bool find_build(struct mgc_bench *bench, const char *given, struct mgc_error *err)
{
    ssize_t len = -1;
    if (given) {
        snprintf(bench->build, sizeof(bench->build), "%s", given);
        return true;
    }
    len = readlink("/proc/self/exe", bench->build, sizeof(bench->build) - 1);
    bench->build[len > 0 ? len : 0] = '\0';
    for (int up = 0; up < 2; up++) { /* BUILD/bench/program */
        char *slash = strrchr(bench->build, '/');
        if (!slash)
            return mgc_error_set(err, MGC_E_USAGE, "option --build is missing");
        *slash = '\0';
    }
    return true;
}

/* In memory, so that a disk that others use is not what is measured. */
static bool make_scratch(struct mgc_bench *bench, struct mgc_error *err)
{
    const char *base = getenv("MGBENCH_DIR");
    if (!base)
        base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(bench->scratch, sizeof(bench->scratch), "%.200s/mgbench-XXXXXX", base);
    if (mkdtemp(bench->scratch))
        return true;
    bench->scratch[0] = '\0';
    return mgc_error_set(err, MGC_E_NO_SPACE, "cannot make a directory in '%s'", base);
}

/* A coordinator with 128 workers holds several descriptors for each. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max < 8192 ? limit.rlim_max : 8192;
    setrlimit(RLIMIT_NOFILE, &limit);
}

bool mgc_bench_begin(struct mgc_bench *bench, const char *name, const char *summary, int argc,
    char **argv, int *ret_exit)
{
    struct mgc_cli cli = {.program = name, .summary = summary, .options = option_table};
    struct options options = {.scale = 100};
    struct mgc_error err = {0};
    char **operands;
    int count;
    *bench = (struct mgc_bench){.name = name};
    enum mgc_cli_outcome outcome =
        mgc_cli_parse_args(&cli, argc, argv, &options, &operands, &count, &err);
    if (outcome == MGC_CLI_HELP)
        mgc_cli_print_help(&cli, stdout);
    if (outcome == MGC_CLI_BAD)
        fprintf(stderr, "%s: %s\n", name, err.text);
    if (outcome != MGC_CLI_RUN) {
        *ret_exit = outcome == MGC_CLI_HELP ? 0 : 2;
        return false;
    }
    bench->json = options.json;
    bench->scale = options.scale;
    bench->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (getloadavg(&bench->load, 1) != 1)
        bench->load = 0;
    raise_descriptor_limit();
    bench->begin_ns = mgc_mono_ns();
    bench->begin_cpu = cpu_now();
    if (find_build(bench, options.build, &err) && make_scratch(bench, &err) &&
        mgc_random_init(&err) && mgc_net_init(&err))
        return true;
    *ret_exit = mgc_bench_end(bench, false, &err);
    return false;
}

/* What the others on this machine used meanwhile, in cores; below 0 is rounding. */
static double others_cores(const struct mgc_bench *bench)
{
    struct mgc_bench_cpu now = cpu_now();
    double wall = (double)(mgc_mono_ns() - bench->begin_ns) / 1e9;
    double used = (now.machine - bench->begin_cpu.machine) - (now.own - bench->begin_cpu.own);
    return wall > 0 && used > 0 ? used / wall : 0;
}

static void print_json(json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(9));
    if (text)
        printf("%s\n", text);
    fflush(stdout);
    free(text);
    json_decref(object);
}

static void print_machine(const struct mgc_bench *bench)
{
    double others = others_cores(bench);
    bool noisy = bench->load > bench->cores;
    if (bench->json) {
        print_json(json_pack("{s:s, s:i, s:f, s:f, s:b, s:f}", "machine", bench->name, "cores",
            bench->cores, "load", bench->load, "others_cores", others, "noisy", noisy, "took_s",
            (double)(mgc_mono_ns() - bench->begin_ns) / 1e9));
        return;
    }
    printf("%d cores, load %.1f at the begin, others used %.1f cores meanwhile%s\n", bench->cores,
        bench->load, others, noisy ? "; NOISY: more wanted to run than there are cores" : "");
}

int mgc_bench_end(struct mgc_bench *bench, bool ok, const struct mgc_error *err)
{
    if (bench->scratch[0])
        mgc_dir_remove(bench->scratch, NULL);
    if (!ok) {
        fprintf(stderr, "%s: %s\n", bench->name, err->text);
        return MGC_BENCH_CANNOT_RUN;
    }
    print_machine(bench);
    return 0;
}

size_t mgc_bench_count(const struct mgc_bench *bench, size_t n)
{
    size_t count = n * (size_t)bench->scale / 100;
    return count ? count : 1;
}

static bool join(char ret_path[MGC_PATH_MAX], const char *dir, const char *name)
{
    if (mgc_path_join(ret_path, MGC_PATH_MAX, dir, name))
        return true;
    ret_path[0] = '\0';
    return false;
}

bool mgc_bench_scratch(const struct mgc_bench *bench, const char *name, char ret_path[MGC_PATH_MAX])
{
    return join(ret_path, bench->scratch, name);
}

bool mgc_bench_program(const struct mgc_bench *bench, const char *name, char ret_path[MGC_PATH_MAX])
{
    return join(ret_path, bench->build, name);
}

double mgc_bench_ratio(const struct mgc_bench_row *row)
{
    return row->control > 0 ? row->ours / row->control : NAN;
}

int mgc_bench_within(const struct mgc_bench_row *row)
{
    bool own = row->budget == MGC_BENCH_OURS_AT_MOST || row->budget == MGC_BENCH_OURS_AT_LEAST;
    bool least = row->budget == MGC_BENCH_RATIO_AT_LEAST || row->budget == MGC_BENCH_OURS_AT_LEAST;
    double seen = own ? row->ours : mgc_bench_ratio(row);
    if (row->budget == MGC_BENCH_NO_BUDGET || isnan(seen))
        return -1;
    return least ? seen >= row->limit : seen <= row->limit;
}

static void budget_text(const struct mgc_bench_row *row, char *ret_text, size_t size)
{
    switch (row->budget) {
    case MGC_BENCH_NO_BUDGET:
        snprintf(ret_text, size, "-");
        break;
    case MGC_BENCH_RATIO_AT_MOST:
        snprintf(ret_text, size, "<= %g x", row->limit);
        break;
    case MGC_BENCH_RATIO_AT_LEAST:
        snprintf(ret_text, size, ">= %g x", row->limit);
        break;
    case MGC_BENCH_OURS_AT_MOST:
        snprintf(ret_text, size, "<= %g %s", row->limit, row->unit);
        break;
    case MGC_BENCH_OURS_AT_LEAST:
        snprintf(ret_text, size, ">= %g %s", row->limit, row->unit);
        break;
    }
}

static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static void print_row_json(const struct mgc_bench_row *row, const char *budget)
{
    int within = mgc_bench_within(row);
    print_json(json_pack("{s:s, s:s, s:o, s:o, s:o, s:s, s:o, s:I, s:s*}", "what", row->what,
        "unit", row->unit, "ours", number(row->ours), "control", number(row->control), "ratio",
        number(mgc_bench_ratio(row)), "budget", budget, "within",
        within < 0 ? json_null() : json_boolean(within), "n", (json_int_t)row->n, "note",
        row->note));
}

static void figure(double value, char ret_text[32])
{
    snprintf(ret_text, 32, isnan(value) ? "-" : fabs(value) >= 100 ? "%.0f" : "%.3g", value);
}

void mgc_bench_print(struct mgc_bench *bench, const struct mgc_bench_row *row)
{
    static const char *const words[] = {"-", "no", "yes"};
    char budget[64], ours[32], control[32], ratio[32];
    budget_text(row, budget, sizeof(budget));
    if (bench->json) {
        print_row_json(row, budget);
        return;
    }
    if (!bench->headed)
        printf("%-44s %-6s %9s %9s %7s %-12s %-6s %6s\n", "what", "unit", "ours", "control",
            "ratio", "budget", "within", "n");
    bench->headed = true;
    figure(row->ours, ours);
    figure(row->control, control);
    figure(mgc_bench_ratio(row), ratio);
    printf("%-44s %-6s %9s %9s %7s %-12s %-6s %6zu%s%s\n", row->what, row->unit, ours, control,
        ratio, budget, words[mgc_bench_within(row) + 1], row->n, row->note ? "  " : "",
        row->note ? row->note : "");
    fflush(stdout);
}
